import { variantColor, variantColorCount } from "#components/ui/tone.ts";

/** Series whose meaning is the same on every page keep their colour, whatever is beside them. */
const NAMED: Readonly<Record<string, string>> = {
  "survey shown": "var(--variant-1)",
  "survey dismissed": "var(--variant-4)",
  "survey sent": "var(--variant-2)",
  completed: "var(--variant-7)",
  promoters: "var(--success)",
  passives: "var(--variant-1)",
  detractors: "var(--danger)",
  // Values of flags that are on or off.
  true: "var(--variant-2)",
  false: "var(--faint)",
};

/**
 * Colour of a series as a CSS value.
 *
 * @param key what the series is, the same on every page: a variant's key, an event's name, a choice
 * @param index its place where its owner fixes one (a variant's place in its flag, from 0); without it the
 *   key itself decides, so that the colour never depends on which other series are drawn
 */
export function colorOf(key: string, index?: number): string {
  const named = NAMED[key];
  if (named !== undefined && index === undefined) return named;
  return variantColor(index ?? placeOf(key));
}

function placeOf(key: string): number {
  let sum = 0;
  for (const character of key) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return sum % variantColorCount;
}

/** The second signal beside colour: dashes of lines, by place. */
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "5 2 1 2", "12 4"] as const;

export const lineDash = (place: number): string => DASHES[place % DASHES.length] ?? "";
