import { z } from "zod";

/** One changed field. `before` and `after` are both there, null where there is nothing. */
export const activityChange = z.object({
  type: z.string(),
  action: z.enum(["created", "changed", "deleted"]),
  field: z.string(),
  before: z.unknown(),
  after: z.unknown(),
});

export const activityEntry = z
  .object({
    id: z.string().meta({ description: "UUID of the entry." }),
    user: z
      .object({ first_name: z.string(), email: z.string().nullable(), is_system: z.boolean().optional() })
      .meta({ description: "Who did it; is_system where nobody in particular did." }),
    activity: z.string().meta({ description: "created, updated, deleted, restored …" }),
    scope: z.string().meta({ description: "Kind of the record: FeatureFlag, Survey, PersonalAPIKey …" }),
    item_id: z.string().nullable().meta({ description: "Id of the record, as text." }),
    detail: z.object({
      changes: z.array(activityChange),
      trigger: z.unknown(),
      type: z.string().nullable(),
      name: z.string().nullable().meta({ description: "Name of the record; of a flag its key." }),
      short_id: z.string().nullable(),
    }),
    created_at: z.string(),
  })
  .meta({ id: "ActivityLogEntry" });

export const activityPage = z.object({
  results: z.array(activityEntry),
  next: z.string().nullable(),
  previous: z.string().nullable(),
  total_count: z.number().int(),
});

const whole = (name: string, fallback: number) =>
  z
    .string()
    .optional()
    .transform((text, context) => {
      if (text === undefined || text === "") return fallback;
      const value = Number(text);
      if (Number.isSafeInteger(value) && value >= 1) return Math.min(value, 1_000_000);
      context.addIssue({ code: "custom", message: `${name} must be a whole number of at least 1.` });
      return z.NEVER;
    });

/** Activity lists page by number, ten at a time, unlike the other lists. */
export const activityQuery = z.object({
  limit: whole("limit", 10).meta({ description: "Entries per page; 10 when absent." }),
  page: whole("page", 1).meta({ description: "Number of the page, from 1." }),
});

export type ActivityChange = z.infer<typeof activityChange>;
export type ActivityEntry = z.infer<typeof activityEntry>;
export type ActivityQuery = z.infer<typeof activityQuery>;
