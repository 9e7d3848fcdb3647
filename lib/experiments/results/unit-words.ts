import { plural } from "#lib/platform/format.ts";

/** Several of what is counted, in words: "people", or the plural of the group type's name. */
export const unitWord = (unit: string): string => {
  if (unit === "person") return "people";
  if (/[^aeiou]y$/.test(unit)) return `${unit.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(unit) ? `${unit}es` : `${unit}s`;
};

/** "1 person", "120 companies". */
export const unitCount = (count: number, unit: string): string => plural(count, unit, unitWord(unit));
