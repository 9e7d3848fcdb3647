import { formatNumber } from "#lib/platform/format.ts";
import type { Schema, Schemas } from "./document.ts";

const REFERENCE = "#/components/schemas/";
/** How zod writes "any safe integer": not a limit worth showing. */
const SAFE = Number.MAX_SAFE_INTEGER;

const nameOfReference = (schema: Schema): string | null =>
  schema.$ref?.startsWith(REFERENCE) ? schema.$ref.slice(REFERENCE.length) : null;

/** The schema that a reference leads to; anything else as it is. An unknown one allows everything. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  let found = schema;
  for (let steps = 0; found.$ref !== undefined && steps < 20; steps++) {
    const { $ref: _, ...beside } = found;
    const target = schemas[nameOfReference(found) ?? ""];
    found = target ? { ...target, ...beside } : beside;
  }
  return found;
}

const branches = (schema: Schema): Schema[] => schema.anyOf ?? schema.oneOf ?? [];

const WORDS: Record<string, string> = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "true or false",
  object: "object",
  array: "list",
  null: "null",
};

const FORMATS: Record<string, string> = {
  "date-time": "time",
  date: "date",
  uuid: "UUID",
  email: "email address",
  uri: "address",
};

const join = (parts: readonly string[]): string => [...new Set(parts)].join(" or ");

function plural(schema: Schema, schemas: Schemas): string {
  const name = nameOfReference(schema);
  if (name) return name;
  const words = typeInWords(schema, schemas);
  if (words === "UUID") return "UUIDs";
  return /^(text|object|number|whole number|time|date)$/.test(words) ? `${words}s` : words;
}

/** The type of a value in words: "text or null", "list of FlagVariant", "one of “a”, “b”". */
export function typeInWords(schema: Schema, schemas: Schemas): string {
  const name = nameOfReference(schema);
  if (name) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  const several = branches(schema);
  if (several.length > 0) return join(several.map((branch) => typeInWords(branch, schemas)));
  if (schema.allOf) return join(schema.allOf.map((part) => typeInWords(part, schemas)));
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return schema.properties ? "object" : "any value";
  return join(
    types.map((type) => {
      if (type === "array") return schema.items ? `list of ${plural(schema.items, schemas)}` : "list";
      if (type === "string") return FORMATS[schema.format ?? ""] ?? "text";
      return WORDS[type] ?? type;
    }),
  );
}

/** What limits a value beyond its type: "1 to 400 characters". */
export function limitsInWords(schema: Schema): string[] {
  const range = (least: number | undefined, most: number | undefined, unit: string) => {
    const low = least === undefined || least <= -SAFE ? undefined : least;
    const high = most === undefined || most >= SAFE ? undefined : most;
    if (low !== undefined && high !== undefined && (low !== 0 || unit === ""))
      return [`${formatNumber(low)} to ${formatNumber(high)}${unit}`];
    if (high !== undefined) return [`up to ${formatNumber(high)}${unit}`];
    return low !== undefined && low !== 0 ? [`at least ${formatNumber(low)}${unit}`] : [];
  };
  return [
    ...range(schema.minLength, schema.maxLength, " characters"),
    ...range(schema.minItems, schema.maxItems, " entries"),
    ...range(schema.minimum, schema.maximum, ""),
    ...(schema.default === undefined ? [] : [`${JSON.stringify(schema.default)} when absent`]),
  ];
}

export type FieldRow = {
  name: string;
  type: string;
  required: boolean;
  description: string;
  limits: string[];
  /** The object whose fields can be looked into; null for plain values. */
  inner: Schema | null;
};

/** The object within a schema: itself, what it refers to, the members of its list, one of its alternatives. */
export function objectWithin(schema: Schema, schemas: Schemas): Schema | null {
  const found = resolved(schema, schemas);
  if (found.properties && Object.keys(found.properties).length > 0) return found;
  if (found.items) return objectWithin(found.items, schemas);
  if (typeof found.additionalProperties === "object" && Object.keys(found.additionalProperties).length > 0)
    return objectWithin(found.additionalProperties, schemas);
  for (const branch of [...branches(found), ...(found.allOf ?? [])]) {
    const inner = objectWithin(branch, schemas);
    if (inner) return inner;
  }
  return null;
}

/** The fields of an object, required ones first, one level of it; looking into `inner` goes on from there. */
export function fieldsOf(schema: Schema, schemas: Schemas): FieldRow[] {
  const object = objectWithin(schema, schemas);
  const required = new Set(object?.required ?? []);
  const fields = Object.entries(object?.properties ?? {});
  const first = fields.filter(([name]) => required.has(name));
  return [...first, ...fields.filter(([name]) => !required.has(name))].map(([name, field]) => {
    const target = resolved(field, schemas);
    return {
      name,
      type: typeInWords(field, schemas),
      required: required.has(name),
      description: field.description ?? target.description ?? "",
      limits: limitsInWords(target),
      inner: objectWithin(field, schemas),
    };
  });
}

const DEEPEST = 4;

/** A value to start from: the required fields of objects, the first of alternatives, empty for the rest. */
export function exampleOf(schema: Schema, schemas: Schemas, depth = 0): unknown {
  const found = resolved(schema, schemas);
  if (found.const !== undefined) return found.const;
  if (found.default !== undefined) return found.default;
  if (found.enum) return found.enum[0];
  const branch = branches(found).find((each) => each.type !== "null");
  if (branch) return exampleOf(branch, schemas, depth);
  const type = [found.type ?? "object"].flat().find((each) => each !== "null");
  if (type === "string") return "";
  if (type === "integer" || type === "number") return Math.max(0, found.minimum ?? 0);
  if (type === "boolean") return false;
  if (type === "array") return [];
  const required = depth < DEEPEST ? (found.required ?? []) : [];
  return Object.fromEntries(
    required.flatMap((name) => {
      const field = found.properties?.[name];
      return field ? [[name, exampleOf(field, schemas, depth + 1)]] : [];
    }),
  );
}
