import { invalid } from "#lib/platform/http/errors.ts";

/** Deeper than any body of this API; what is nested further could not be written out again. */
const DEEPEST = 100;

function checkText(text: string, field: string | null): void {
  if (!text.isWellFormed() || text.includes("\0"))
    throw invalid("Null characters and invalid Unicode are not allowed.", field);
}

function check(value: unknown, depth: number, field: string | null): void {
  if (typeof value === "string") checkText(value, field);
  if (typeof value !== "object" || value === null) return;
  if (depth > DEEPEST) throw invalid(`Values can be nested ${DEEPEST} levels deep at most.`, field);
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) check(value[at], depth + 1, field ?? String(at));
    return;
  }
  for (const key of Object.keys(value)) {
    checkText(key, field);
    check((value as Record<string, unknown>)[key], depth + 1, field ?? key);
  }
}

/**
 * Refuses what the database cannot hold: NUL and halves of surrogate pairs in texts, and endless nesting.
 *
 * @returns the value itself
 * @throws ApiError 400, naming the top-level field that contains it
 */
export function storable<T>(value: T): T {
  check(value, 0, null);
  return value;
}
