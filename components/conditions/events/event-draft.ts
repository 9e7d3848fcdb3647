import { isObject, type Json } from "#lib/engines/json.ts";

/** A condition on an event, as the form holds it. */
export type FilterDraft = { key: string; operator: string; value: string };

/** How comparisons with a property of an event read. */
export const OPERATOR_WORDS: Record<string, string> = {
  exact: "is",
  is_not: "is not",
  icontains: "contains",
  not_icontains: "does not contain",
  regex: "matches",
  not_regex: "does not match",
  gt: ">",
  gte: "≥",
  lt: "<",
  lte: "≤",
  is_set: "is set",
  is_not_set: "is not set",
};

export const readFilters = (given: unknown): FilterDraft[] =>
  (Array.isArray(given)
    ? given
    : isObject(given)
      ? Object.entries(given).map(([key, value]) => ({ key, value }))
      : []
  )
    .filter(isObject)
    .map((row) => ({
      key: String(row.key ?? ""),
      operator: typeof row.operator === "string" ? row.operator : "exact",
      value: Array.isArray(row.value) ? row.value.join(", ") : String(row.value ?? ""),
    }));

const VALUELESS = new Set(["is_set", "is_not_set"]);

/** Conditions as the API takes them; rows without a property are left out. */
export const writeFilters = (rows: readonly FilterDraft[]): Json[] =>
  rows
    .filter((row) => row.key !== "")
    .map(({ key, operator, value }) => ({
      key,
      operator,
      type: "event",
      ...(!VALUELESS.has(operator) && { value: operator === "exact" ? [value] : value }),
    }));
