/** A JSON Schema as OpenAPI 3.1 holds it; only what the reference shows. */
import { isObject, type Json } from "#lib/engines/json.ts";
export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  additionalProperties?: boolean | Schema;
};
export type Schemas = Readonly<Record<string, Schema>>;

export type Parameter = {
  name: string;
  in: "path" | "query";
  required: boolean;
  description: string;
  schema: Schema;
};

export type Answer = { status: string; description: string; schema: Schema | null };

/** One endpoint, ready to be shown. */
export type Operation = {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  /** null: any valid credential will do. */
  scope: string | null;
  /** Others that let a call in as well. */
  or_scopes: readonly string[];
  credentials: string[];
  parameters: Parameter[];
  body: Schema | null;
  answers: Answer[];
};

export type Reference = {
  version: string;
  groups: { tag: string; operations: Operation[] }[];
  schemas: Schemas;
};

const METHODS = ["get", "post", "put", "patch", "delete"];

const objectAt = (value: unknown, name: string): Json => {
  const found = isObject(value) ? value[name] : undefined;
  return isObject(found) ? found : {};
};
const textAt = (value: Json, name: string): string => (typeof value[name] === "string" ? value[name] : "");

const jsonSchema = (holder: unknown): Schema | null => {
  const media = objectAt(objectAt(holder, "content"), "application/json");
  return isObject(media.schema) ? (media.schema as Schema) : null;
};

const CREDENTIALS: Record<string, string> = {
  personal_api_key: "Personal API key",
  project_secret_key: "Project secret key",
  project_token: "Project token",
};

function parameterOf(raw: unknown): Parameter[] {
  if (!isObject(raw) || (raw.in !== "path" && raw.in !== "query")) return [];
  const schema = (isObject(raw.schema) ? raw.schema : {}) as Schema;
  return [
    {
      name: textAt(raw, "name"),
      in: raw.in,
      required: raw.required === true,
      description: textAt(raw, "description") || (schema.description ?? ""),
      schema,
    },
  ];
}

function operationOf(path: string, method: string, raw: Json): Operation {
  const security = Array.isArray(raw.security) ? raw.security.filter(isObject) : [];
  const names = security.flatMap((each) => Object.keys(each));
  return {
    id: textAt(raw, "operationId") || `${method}_${path}`,
    method: method.toUpperCase(),
    path,
    tag: (Array.isArray(raw.tags) && typeof raw.tags[0] === "string" && raw.tags[0]) || "Other",
    summary: textAt(raw, "summary") || path,
    description: textAt(raw, "description"),
    scope: textAt(raw, "x-scope") || null,
    or_scopes: Array.isArray(raw["x-or-scopes"]) ? raw["x-or-scopes"].map(String) : [],
    credentials: names.map((name) => CREDENTIALS[name] ?? name),
    parameters: Array.isArray(raw.parameters) ? raw.parameters.flatMap(parameterOf) : [],
    body: jsonSchema(raw.requestBody),
    answers: Object.entries(objectAt(raw, "responses")).map(([status, answer]) => ({
      status,
      description: isObject(answer) ? textAt(answer, "description") : "",
      schema: jsonSchema(answer),
    })),
  };
}

/** Lists first, then records, then actions on them; otherwise by path. */
function byPath(a: Operation, b: Operation): number {
  const rank = ({ path }: Operation) => {
    const parts = path.split("/").filter(Boolean);
    const last = parts.at(-1) ?? "";
    return `${String(parts.length).padStart(2, "0")} ${last.startsWith("{") ? 0 : 1} ${path}`;
  };
  const [x, y] = [rank(a), rank(b)];
  return x < y
    ? -1
    : x > y
      ? 1
      : METHODS.indexOf(a.method.toLowerCase()) - METHODS.indexOf(b.method.toLowerCase());
}

/**
 * An OpenAPI document as the reference shows it: endpoints under their first tag, tags in the document's order.
 *
 * @returns null if it is not such a document
 */
export function referenceOf(document: unknown): Reference | null {
  if (!isObject(document) || !isObject(document.paths)) return null;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const raw = objectAt(methods, method);
      return Object.keys(raw).length > 0 ? [operationOf(path, method, raw)] : [];
    }),
  );
  const tags = [...new Set(operations.map((operation) => operation.tag))];
  return {
    version: textAt(objectAt(document, "info"), "version"),
    groups: tags.map((tag) => ({
      tag,
      operations: operations.filter((each) => each.tag === tag).sort(byPath),
    })),
    schemas: objectAt(objectAt(document, "components"), "schemas") as Schemas,
  };
}

/** Whether every word occurs in an endpoint's method, path, summary, tag or scope. */
export function fits(operation: Operation, search: string): boolean {
  const { method, path, summary, tag, scope, id } = operation;
  const text = [method, path, summary, tag, scope ?? "", id].join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
