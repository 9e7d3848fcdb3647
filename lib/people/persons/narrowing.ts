import { textOf } from "#lib/engines/evaluation/values/json.ts";
import type { Property } from "#lib/engines/evaluation/values/types.ts";

/** Stored values of which the database cannot tell, because PostgreSQL and JavaScript write them differently. */
type Unclear = {
  /** Numbers with a decimal point or many digits, which JavaScript rounds and shortens. */
  numbers: boolean;
  /** Objects and arrays, in whose JSON PostgreSQL puts spaces. */
  objects: boolean;
  /** Strings with one of these letters, whose lowercase is plain ASCII in JavaScript. */
  letters: readonly string[];
};

/**
 * Something that the database can tell of everybody for whom a condition holds. It may be true of others as well:
 * conditions are decided by the engine alone.
 */
export type Narrowing = {
  key: string;
  /** What the property's value is, in lower case; null: it is enough that there is one. */
  texts: readonly string[] | null;
  /** Whether it has to have only one of them in it. */
  part: boolean;
  /** Values that are not ruled out, whatever their text is. */
  unclear: Unclear;
};

const EXACT = new Set(["exact"]);
const WITHIN = new Set(["icontains", "icontains_multi", "starts_with", "ends_with"]);

/** Databases and engines may differ in the lowercase of other letters. */
const isPlain = (text: string) => /^[\x20-\x7e]*$/.test(text);

function unclearFor(texts: readonly string[], part: boolean): Unclear {
  const any = (pattern: RegExp) => texts.some((text) => pattern.test(text));
  return {
    // A part may be the "e+" of a large number.
    numbers: part || any(/\d/),
    objects: part || any(/[[\]{}",:]/),
    letters: [...(any(/k/) ? ["\u212a"] : []), ...(any(/i/) ? ["\u0130"] : [])],
  };
}

/** What the database can say about a condition on a property; null where it can say nothing. */
export function narrowingOf({ key, operator, value, type }: Property): Narrowing | null {
  // Without such a property, it is the person's id that is compared.
  if (type !== "person" || key === "distinct_id") return null;
  if (operator === "is_set") return { key, texts: null, part: false, unclear: unclearFor([], false) };
  const exact = EXACT.has(operator ?? "exact");
  if (!exact && !WITHIN.has(operator ?? "exact")) return null;
  const several = Array.isArray(value) && (exact || operator === "icontains_multi") ? value : [value];
  const texts = several.map((one) => textOf(one).toLowerCase());
  if (!texts.every(isPlain)) return null;
  return { key, texts, part: !exact, unclear: unclearFor(texts, !exact) };
}
