import { invalid } from "./errors.ts";

/** Deeper than any body of this API; what is nested further could not be written out again. */
const DEEPEST = 100;

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

/**
 * Refuses what the database cannot hold: NUL and halves of surrogate pairs in texts, and endless nesting.
 *
 * @returns the value itself
 * @throws ApiError 400, naming the field at the top that it stands in
 */
export function storable<T>(value: T): T {
  const open: { value: unknown; depth: number; field: string | null }[] = [{ value, depth: 0, field: null }];
  for (let at = open.pop(); at; at = open.pop()) {
    const { depth, field } = at;
    if (typeof at.value === "string" && !isStorable(at.value))
      throw invalid("Null characters and invalid Unicode are not allowed.", field);
    if (typeof at.value !== "object" || at.value === null) continue;
    if (depth > DEEPEST) throw invalid(`Values are nested ${DEEPEST} deep at most.`, field);
    for (const [key, inner] of Object.entries(at.value)) {
      const top = field ?? key;
      if (!isStorable(key)) throw invalid("Null characters and invalid Unicode are not allowed.", field);
      open.push({ value: inner, depth: depth + 1, field: top });
    }
  }
  return value;
}
