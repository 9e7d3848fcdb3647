/** Guards for stored JSON: definitions are read by shape, never by trust. */

/** A JSON object, or null for anything else. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}

/** A JSON array, or an empty one for anything else. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A non-empty text, or null. */
export function asText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** A group type index 0 to 4 and beyond, or null. */
export function asIndex(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}

/** An own member, so that a property called "constructor" is not found on every object. */
export function own(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/**
 * The text a JSON value is compared as: a string is itself, a number and a boolean as JavaScript writes
 * them, null is "null", lists and objects are their JSON.
 */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "object" && value !== null) return JSON.stringify(value) ?? "";
  return String(value);
}

/**
 * A percentage from a definition.
 * @returns `whenAbsent` for null and undefined, 0 for what is no number
 */
export function percentOf(value: unknown, whenAbsent: number): number {
  if (value === null || value === undefined) return whenAbsent;
  // Number() of an object runs whatever its "valueOf" member is, and throws when that is no function.
  if (typeof value === "object") return 0;
  const number = Number(value);
  return Number.isFinite(number) ? number : 0;
}
