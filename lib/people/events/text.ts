/** What PostgreSQL cannot hold as text: NUL characters, and halves of surrogate pairs standing alone. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/;

/** The text without NUL characters, lone surrogates replaced by U+FFFD. */
export const storableText = (text: string): string =>
  (text.isWellFormed() ? text : text.toWellFormed()).replaceAll("\0", "");

function storableValue(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (Array.isArray(value)) return value.map(storableValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, v]) => [storableText(name), storableValue(v)]));
}

/**
 * JSON of an object in a form that PostgreSQL stores as jsonb.
 *
 * @param value parsed JSON, its depth already bounded
 * @returns the JSON, and the object it represents: the same one wherever nothing had to be replaced
 */
export function storableJson(value: Record<string, unknown>): {
  json: string;
  value: Record<string, unknown>;
} {
  const json = JSON.stringify(value);
  // Serialising escapes exactly what cannot be stored, so that one test of the text finds it.
  if (!UNSTORABLE_ESCAPE.test(json)) return { json, value };
  const clean = storableValue(value) as Record<string, unknown>;
  return { json: JSON.stringify(clean), value: clean };
}

/** Whether objects and arrays stand more than `levels` deep in each other. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const inner of Object.values(value)) if (isDeeperThan(inner, levels - 1)) return true;
  return false;
}
