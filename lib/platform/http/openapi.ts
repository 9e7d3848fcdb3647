import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi";
import type { Contract, Endpoint } from "./contract.ts";

const errorSchema = z
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
  })
  .meta({ id: "Error", description: "Body of every error response." });

const PROBLEMS: Record<string, string> = {
  "400": "The request is malformed, or a field is invalid.",
  "401": "Missing or invalid credentials.",
  "403": "The key lacks the scope, or access to this project.",
  "404": "No such project or record.",
  "429": "Too many requests; Retry-After says when to retry.",
};

const problem = (description: string) => ({
  description,
  content: { "application/json": { schema: errorSchema } },
});

const SECURITY: Record<NonNullable<Endpoint["credential"]>, Record<string, string[]>[]> = {
  personal_api_key: [{ personal_api_key: [] }],
  personal_or_secret_key: [{ personal_api_key: [] }, { project_secret_key: [] }],
  project_token: [],
  bearer_project_token: [{ project_token: [] }],
  none: [],
};

function operation(id: string, declared: Endpoint): ZodOpenApiOperationObject {
  const success = {
    description: declared.status === 405 ? "Never allowed." : "Success.",
    ...(declared.response && { content: { "application/json": { schema: declared.response } } }),
  };
  return {
    operationId: id,
    tags: [declared.tag],
    summary: declared.summary,
    ...(declared.description && { description: declared.description }),
    security: SECURITY[declared.credential ?? "personal_api_key"],
    ...(declared.scope && { "x-scope": declared.scope }),
    requestParams: {
      ...(declared.params && { path: declared.params }),
      ...(declared.query && { query: declared.query }),
    },
    ...(declared.body && { requestBody: { content: { "application/json": { schema: declared.body } } } }),
    responses: {
      [String(declared.status)]: success,
      ...Object.fromEntries(Object.entries(PROBLEMS).map(([status, text]) => [status, problem(text)])),
    },
  };
}

/** The OpenAPI 3.1 document of every contract, made from the schemas that validate the calls. */
export function openApiDocument(contracts: Record<string, Contract>, version: string) {
  const paths: ZodOpenApiPathsObject = {};
  for (const [resource, contract] of Object.entries(contracts)) {
    for (const [verb, declared] of Object.entries(contract)) {
      const methods = paths[declared.path] ?? {};
      paths[declared.path] = methods;
      const method = declared.method.toLowerCase() as "get";
      methods[method] = operation(`${resource}_${verb}`, declared);
    }
  }
  return createDocument({
    openapi: "3.1.0",
    info: {
      title: "Switchyard",
      version,
      description: "Feature flags, experiments and surveys: management, evaluation and ingestion.",
    },
    servers: [{ url: "/" }],
    components: {
      securitySchemes: {
        personal_api_key: { type: "http", scheme: "bearer", description: "A personal API key (phx_…)." },
        project_secret_key: {
          type: "http",
          scheme: "bearer",
          description: "A project's secret key (phs_…).",
        },
        project_token: { type: "http", scheme: "bearer", description: "A project's token (phc_…)." },
      },
    },
    paths,
  });
}
