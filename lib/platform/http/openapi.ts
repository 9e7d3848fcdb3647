import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi";
import type { Contract, Endpoint, OtherAnswer } from "./contract.ts";
import { errorSchema } from "./error-schema.ts";

/** What every endpoint may answer. */
const PROBLEMS: Record<string, string> = {
  "400": "The request is malformed, or a field is invalid.",
  "401": "Missing or invalid credentials.",
  "403": "The key lacks the scope, or access to this project.",
  "404": "No such project or record.",
  "429": "Too many requests; Retry-After says when to retry.",
  "431": "The URL and the headers are too large.",
  "500": "The server failed.",
  "503": "The server cannot answer now; Retry-After says when to retry.",
};

/** And those that read a body. */
const BODY_PROBLEMS: Record<string, string> = {
  "409": "The record has changed meanwhile.",
  "413": "The body is too large.",
  "415": "The body is neither JSON nor a form.",
};

function usualProblems({ method, onlyDeclared }: Endpoint): Record<string, string> {
  if (onlyDeclared) return {};
  return method === "GET" ? PROBLEMS : { ...PROBLEMS, ...BODY_PROBLEMS };
}

const JSON_ONLY = ["application/json"] as const;

/** Content of an answer: JSON by its schema, other media types as text. */
const contentOf = (media: readonly string[], schema: z.ZodType | undefined) =>
  Object.fromEntries(
    media.map((type) => [
      type,
      { schema: type === "application/json" && schema ? schema : { type: "string" as const } },
    ]),
  );

const problem = (description: string) => ({
  description,
  content: contentOf(JSON_ONLY, errorSchema),
});

const problems = (texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).map(([status, text]) => [status, problem(text)]));

/** A status that is the API's error or another body, whichever applies. */
function otherAnswer(usual: string | undefined, { description, body, media }: OtherAnswer) {
  const schema = body && usual ? z.union([errorSchema, body]) : (body ?? (usual ? errorSchema : undefined));
  const types = [...(schema ? JSON_ONLY : []), ...(media ?? [])];
  return {
    description: usual ? `${usual} Or: ${description}` : description,
    ...(types.length > 0 && { content: contentOf(types, schema) }),
  };
}

const SECURITY: Record<NonNullable<Endpoint["credential"]>, Record<string, string[]>[]> = {
  personal_api_key: [{ personal_api_key: [] }],
  personal_or_secret_key: [{ personal_api_key: [] }, { project_secret_key: [] }],
  project_token: [],
  bearer_project_token: [{ project_token: [] }],
  none: [],
};

const REFUSED = {
  project_keys: "Not for keys that are restricted to projects.",
  restricted_keys: "Not for keys that are restricted to projects or organizations.",
} as const;

/** What an endpoint does, and who may call it beyond what its scope says. */
const FROM_REPLICA =
  "If a read replica answers, the header Switchyard-As-Of says as of when the answer is true.";

const descriptionOf = (declared: Endpoint): string => {
  const { description, scope, or_scopes, administrators, refuses, from_replica } = declared;
  return [
    description,
    or_scopes && `Needs the scopes of what it is about, of ${[scope, ...or_scopes].join(", ")}.`,
    administrators && "For administrators of the organization.",
    refuses && REFUSED[refuses],
    from_replica && FROM_REPLICA,
  ]
    .filter(Boolean)
    .join(" ");
};

function operation(id: string, declared: Endpoint): ZodOpenApiOperationObject {
  const media = declared.media ?? (declared.response ? JSON_ONLY : []);
  const success = {
    description: declared.status === 405 ? "Never allowed." : "Success.",
    ...(media.length > 0 && { content: contentOf(media, declared.response) }),
  };
  const usual = usualProblems(declared);
  const description = descriptionOf(declared);
  return {
    operationId: id,
    tags: [declared.tag],
    summary: declared.summary,
    ...(description && { description }),
    security: SECURITY[declared.credential ?? "personal_api_key"],
    ...(declared.scope && { "x-scope": declared.scope }),
    ...(declared.or_scopes && { "x-or-scopes": declared.or_scopes }),
    requestParams: {
      ...(declared.params && { path: declared.params }),
      ...(declared.query && { query: declared.query }),
    },
    ...(declared.body && { requestBody: { content: { "application/json": { schema: declared.body } } } }),
    responses: {
      [String(declared.status)]: success,
      ...problems(usual),
      ...Object.fromEntries(
        Object.entries(declared.also ?? {}).map(([status, other]) => [
          status,
          otherAnswer(usual[status], other),
        ]),
      ),
    },
  };
}

/** The OpenAPI 3.1 document of every contract, made from the schemas that validate the calls. */
export function openApiDocument(contracts: Record<string, Contract>, version: string) {
  const paths: ZodOpenApiPathsObject = {};
  for (const [resource, contract] of Object.entries(contracts)) {
    for (const [verb, declared] of Object.entries(contract)) {
      const method = declared.method.toLowerCase() as "get";
      [declared.path, ...(declared.aliases ?? [])].forEach((path, place) => {
        const id = `${resource}_${verb}${place === 0 ? "" : `_${place + 1}`}`;
        paths[path] = { ...paths[path], [method]: operation(id, declared) };
      });
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
