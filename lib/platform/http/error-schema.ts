import { z } from "zod";

/** The body of errors, as callers get it. */
export const errorSchema = z
  .object({
    type: z
      .enum([
        "authentication_error",
        "validation_error",
        "invalid_request",
        "throttled_error",
        "server_error",
      ])
      .meta({ description: "Kind of the error." }),
    code: z.string().meta({ description: "Machine-readable error code." }),
    detail: z.string().meta({ description: "Human-readable explanation." }),
    attr: z
      .string()
      .nullable()
      .meta({ description: "The field that caused it; nested names are joined by two underscores." }),
    extra: z
      .object({
        path: z
          .array(z.union([z.string(), z.number().int()]))
          .optional()
          .meta({ description: "Where inside the field the problem is." }),
        fields: z
          .array(z.string())
          .optional()
          .meta({ description: "Of a conflict: the fields that two requests changed." }),
        version: z
          .number()
          .int()
          .optional()
          .meta({ description: "Of a conflict: the version that is stored." }),
      })
      .optional(),
    request_id: z
      .string()
      .optional()
      .meta({ description: "With 429 and 5xx: the id of the request, as in the header X-Request-Id." }),
  })
  .meta({ id: "Error", description: "Body of every error response." });
