/** Values from JSON Schemas: valid ones, and ones that are wrong in the ways in which clients and attackers are. */
import { isObject } from "#lib/engines/json.ts";
import type { Random } from "#lib/engines/statistics/simulation/random.ts";

export type Schema = { readonly [word: string]: unknown };

export type Source = Random & {
  /** The schemas that `$ref` names. */
  schemas: Readonly<Record<string, Schema>>;
  /** Words that the document gives a meaning: of enumerations, and constants. */
  literals: readonly string[];
  /** Values that the service has answered for a field of this name: ids to follow, most of all. */
  seen(field: string): unknown;
};

export const chance = (random: Random, share: number): boolean => random.uniform() < share;
export const below = (random: Random, count: number): number => Math.floor(random.uniform() * count);
export function pick<T>(random: Random, values: readonly T[]): T {
  const found = values[below(random, values.length)];
  if (found === undefined && values.length === 0) throw new Error("There is nothing to choose from.");
  return found as T;
}

const nested = (depth: number, wrap: (inner: unknown) => unknown): unknown =>
  depth === 0 ? 1 : wrap(nested(depth - 1, wrap));

/** What breaks programs that did not expect it. */
const HOSTILE_TEXTS: readonly string[] = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "x\udfff",
  "\u202eabc",
  "\ufeff",
  "İıſß",
  "👩‍👩‍👧‍👦",
  "e\u0301".repeat(50),
  "x".repeat(500),
  "x".repeat(20_000),
  "'; drop table events; --",
  "\" or ''='",
  "%",
  "_%\\",
  "\\",
  "$1",
  "{{name}}",
  "<script>alert(1)</script>",
  "../../etc/passwd",
  "%2e%2e%2f",
  "a/b",
  "a?b#c",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "undefined",
  "NaN",
  "true",
  "[]",
  "{}",
  "(a+)+$",
  "[",
  "(?<!a)b",
  "\\",
  "0x10",
  "1e400",
  "-0",
  "9999999999999999999",
  "2026-02-30",
  "2026-13-01T25:61:61Z",
  "0000-01-01T00:00:00Z",
  "+275760-09-13T00:00:00.001Z",
  "-271821-04-20T00:00:00Z",
  "9999-12-31T23:59:59.999Z",
  "10000-01-01T00:00:00Z",
  "1970-01-01T00:00:00+99:99",
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "@current",
  "@me",
];
const HOSTILE_NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  0.1,
  1e-320,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  1e21,
  1e308,
  -1e308,
];
const HOSTILE_OTHERS: readonly (() => unknown)[] = [
  () => null,
  () => true,
  () => false,
  () => [],
  () => ({}),
  () => [null],
  () => [[[]]],
  () => ({ "": "" }),
  () => ({ constructor: { prototype: {} }, toString: 1 }),
  () => JSON.parse('{"__proto__": {"a": 1}}'),
  () => ({ "\0": 1 }),
  () => ({ "\ud800": 1 }),
  () => nested(40, (inner) => [inner]),
  () => nested(150, (inner) => ({ a: inner })),
  () => Array.from({ length: 300 }, (_, i) => i),
  () => Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i])),
];

export function hostile(random: Random): unknown {
  const kind = random.uniform();
  if (kind < 0.45) return pick(random, HOSTILE_TEXTS);
  if (kind < 0.65) return pick(random, HOSTILE_NUMBERS);
  return pick(random, HOSTILE_OTHERS)();
}

export const hostileText = (random: Random): string => pick(random, HOSTILE_TEXTS);

const WORDS = [
  ...["plan", "pro", "control", "test", "email", "age", "Ann", "why", "a", "checkout", "2", "x y"],
  ...["$set", "$set_once", "$identify", "$groupidentify", "$group_0", "$survey_id", "survey sent"],
];

function textOf(source: Source, schema: Schema, field: string): string {
  const format = String(schema.format ?? "");
  if (format.startsWith("date") || /(_at|_date|^day.*|date_(from|to)|_after|_before)$/.test(field)) {
    const day = Date.UTC(2026, below(source, 12), 1 + below(source, 28), below(source, 24));
    return new Date(day).toISOString().slice(0, chance(source, 0.5) ? 10 : undefined);
  }
  if (format === "uuid") {
    const hex = Array.from({ length: 32 }, () => below(source, 16).toString(16)).join("");
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
  }
  if (format === "email" || field === "email") return `p${below(source, 1_000_000)}@fuzz.test`;
  const text = /^(key|name|label)$/.test(field)
    ? `${field}-${below(source, 1_000_000)}`
    : pick(source, WORDS);
  const least = Number(schema.minLength ?? 0);
  return text.padEnd(least, "x").slice(0, Number(schema.maxLength ?? 400));
}

function numberOf(source: Source, schema: Schema, isWhole: boolean): number {
  const least = Math.max(Number(schema.minimum ?? schema.exclusiveMinimum ?? 0), -1_000_000);
  const most = Math.min(Number(schema.maximum ?? schema.exclusiveMaximum ?? least + 100), least + 1_000);
  const value = least + source.uniform() * (most - least);
  return isWhole ? Math.ceil(least + source.uniform() * (most - least)) : value;
}

const schemasOf = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isObject) : []);

function objectOf(source: Source, schema: Schema, depth: number): Record<string, unknown> {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const value: Record<string, unknown> = {};
  const share = depth > 4 ? 0.1 : 0.45;
  for (const [name, inner] of Object.entries(isObject(schema.properties) ? schema.properties : {}))
    if (isObject(inner) && (required.includes(name) || chance(source, share)))
      value[name] = generate(source, inner, name, depth + 1);
  const others = schema.additionalProperties;
  if (isObject(others) && depth < 6)
    for (let i = below(source, 3); i > 0; i -= 1)
      value[pick(source, WORDS)] = generate(source, others, "", depth + 1);
  return value;
}

function typed(source: Source, schema: Schema, type: unknown, field: string, depth: number): unknown {
  switch (type) {
    case "string":
      return textOf(source, schema, field);
    case "integer":
    case "number":
      return numberOf(source, schema, type === "integer");
    case "boolean":
      return chance(source, 0.5);
    case "null":
      return null;
    case "array": {
      const least = Number(schema.minItems ?? 0);
      const count = depth > 5 ? least : least + below(source, 3);
      const items = isObject(schema.items) ? schema.items : {};
      return Array.from({ length: count }, () => generate(source, items, field.replace(/s$/, ""), depth + 1));
    }
    case "object":
      return objectOf(source, schema, depth);
    default:
      return pick(source, [pick(source, WORDS), below(source, 100), chance(source, 0.5), null, {}, []]);
  }
}

/** A value that the schema allows, as far as a schema says it; ids are mostly ones that were seen. */
export function generate(source: Source, schema: Schema, field = "", depth = 0): unknown {
  if (typeof schema.$ref === "string") {
    const name = schema.$ref.split("/").at(-1) ?? "";
    const target = source.schemas[name];
    return target && depth < 12 ? generate(source, target, field, depth) : null;
  }
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return pick(source, schema.enum);
  const share = /^(api_key|token)$/.test(field) ? 0.97 : 0.5;
  const seen = field && chance(source, share) ? source.seen(field) : undefined;
  if (seen !== undefined) return seen;
  const choices = [...schemasOf(schema.anyOf), ...schemasOf(schema.oneOf)];
  if (choices.length > 0) return generate(source, pick(source, choices), field, depth + 1);
  const parts = schemasOf(schema.allOf);
  if (parts.length > 0)
    return Object.assign({}, ...parts.map((part) => generate(source, part, field, depth + 1)));
  const type = Array.isArray(schema.type) ? pick(source, schema.type) : schema.type;
  return typed(source, schema, type, field, depth);
}

/** The same with one place changed to something that does not belong there, removed, or added. */
export function spoiled(source: Source, value: unknown, field = ""): unknown {
  if (Array.isArray(value) && value.length > 0 && chance(source, 0.8)) {
    const at = below(source, value.length);
    if (chance(source, 0.1)) return [...value, value[at]];
    return value.map((inner, i) => (i === at ? spoiled(source, inner, field) : inner));
  }
  if (isObject(value) && Object.keys(value).length > 0 && chance(source, 0.85)) {
    const name = pick(source, Object.keys(value));
    if (chance(source, 0.1))
      return Object.fromEntries(Object.entries(value).filter(([each]) => each !== name));
    return { ...value, [name]: spoiled(source, value[name], name) };
  }
  if (chance(source, 0.3)) return pick(source, source.literals);
  return (chance(source, 0.2) ? source.seen(field) : undefined) ?? hostile(source);
}
