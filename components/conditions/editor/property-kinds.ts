import { parseDateValue } from "#lib/engines/evaluation/values/dates.ts";
import { OPERATORS } from "#lib/flags/feature_flags/filters/operators.ts";
import type { FlagProperty } from "#lib/people/conditions/filters-schema.ts";
import { OPERATOR_WORDS } from "#lib/people/conditions/words.ts";

/** How the value of an operator is given. */
export type ValueKind = keyof typeof OPERATORS;

const KINDS = new Map<string, ValueKind>(
  Object.entries(OPERATORS).flatMap(([kind, names]) =>
    names.map((name): [string, ValueKind] => [name, kind as ValueKind]),
  ),
);

export const kindOfOperator = (operator: string): ValueKind => KINDS.get(operator) ?? "any";

/** The type of a property, inferred from its values. */
export type PropertyType = "text" | "number" | "date" | "boolean" | "unknown";

const TYPES: Record<string, PropertyType> = {
  string: "text",
  numeric: "number",
  number: "number",
  datetime: "date",
  date: "date",
  boolean: "boolean",
};

export const propertyTypeOf = (name: string | null | undefined): PropertyType =>
  TYPES[(name ?? "").toLowerCase()] ?? "unknown";

const EQUAL = ["exact", "is_not"];
const PRESENCE = ["is_set", "is_not_set"];
const TEXT = [
  "icontains",
  "not_icontains",
  "starts_with",
  "not_starts_with",
  "ends_with",
  "not_ends_with",
  "regex",
  "not_regex",
];
const LISTS = ["icontains_multi", "not_icontains_multi"];
const NUMBER = ["gt", "gte", "lt", "lte"];
const DATE = ["is_date_before", "is_date_after", "is_date_exact"];
const VERSION: readonly string[] = OPERATORS.text.filter((name) => name.startsWith("semver_"));

const BY_TYPE: Record<PropertyType, readonly string[]> = {
  text: [...EQUAL, ...TEXT, ...LISTS, ...PRESENCE, ...VERSION],
  number: [...EQUAL, ...NUMBER, ...PRESENCE],
  date: [...DATE, ...PRESENCE],
  boolean: [...EQUAL, ...PRESENCE],
  unknown: [...EQUAL, ...TEXT, ...LISTS, ...NUMBER, ...DATE, ...PRESENCE, ...VERSION],
};

/** Names of properties that hold versions; others are not offered the ten comparisons of versions. */
const VERSION_NAME = /ver|build|release/i;

/** The operators that make sense for a property, in words; the current one is always included. */
export function operatorOptions(
  type: PropertyType,
  present: string,
  property = "",
): { value: string; label: string }[] {
  const offersVersions = property === "" || VERSION_NAME.test(property) || VERSION.includes(present);
  const names = BY_TYPE[type].filter((name) => offersVersions || !VERSION.includes(name));
  return [...names, ...(names.includes(present) ? [] : [present])].map((value) => ({
    value,
    label: (OPERATOR_WORDS[value] ?? value).replace(/:$/, ""),
  }));
}

/** A value as a list of texts, for editing several. */
export const valuesOf = (value: unknown): string[] =>
  value === undefined || value === null || value === ""
    ? []
    : Array.isArray(value)
      ? value.map(String)
      : [String(value)];

const first = (value: unknown): string => valuesOf(value)[0] ?? "";

/** The row with another operator; the value is carried over as far as it fits. */
export function withOperator(row: FlagProperty, operator: string): FlagProperty {
  const [from, to] = [kindOfOperator(row.operator ?? "exact"), kindOfOperator(operator)];
  if (to === "presence") return { ...row, operator, value: operator };
  if (from === to) return { ...row, operator };
  const value = from === "presence" ? "" : row.value;
  if (to === "any" || to === "texts") return { ...row, operator, value: valuesOf(value) };
  const text = first(value);
  if (to === "number") return { ...row, operator, value: Number.isFinite(Number(text)) ? text : "" };
  if (to === "date") return { ...row, operator, value: parseDateValue(text) ? text : "" };
  return { ...row, operator, value: text };
}

/** Whether a row is complete, so that it can be counted. */
export function isComplete(row: FlagProperty): boolean {
  if (row.type === "cohort") return row.value !== undefined && row.value !== null && row.value !== "";
  if (!row.key) return false;
  if (kindOfOperator(row.operator ?? "exact") === "presence" || row.type === "flag") return true;
  return valuesOf(row.value).length > 0;
}
