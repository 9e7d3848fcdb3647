import type { ActivityChange } from "./schema.ts";

/** Whether a field holds nothing: null, an empty text, list or object. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);

/** Equality of JSON data; the order of an object's keys does not count. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length && keys.every((k) => k in right && sameJson(left[k], right[k]))
  );
}

/**
 * Fields that a request changes although somebody else has changed them, to something else, since its caller read
 * the record.
 *
 * @param stored the record now
 * @param original the record as the caller read it; a field that is missing on either side is not judged
 */
export function findConflictingFields(
  stored: Record<string, unknown>,
  original: Record<string, unknown>,
  wanted: Record<string, unknown>,
): string[] {
  return Object.keys(wanted).filter(
    (field) =>
      field in original &&
      field in stored &&
      !sameJson(wanted[field], original[field]) &&
      !sameJson(stored[field], original[field]) &&
      !sameJson(stored[field], wanted[field]),
  );
}

/**
 * What changed between two states of a record, field by field.
 *
 * @param fields the fields that are watched, in the order reported
 */
export function changesBetween(
  type: string,
  fields: readonly string[],
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): ActivityChange[] {
  return fields
    .filter((field) => !sameJson(before[field] ?? null, after[field] ?? null))
    .map((field) => {
      const [from, to] = [before[field] ?? null, after[field] ?? null];
      const action = isEmpty(from) ? "created" : isEmpty(to) ? "deleted" : "changed";
      return { type, action, field, before: from, after: to };
    });
}
