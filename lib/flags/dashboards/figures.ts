import type { DashboardTile } from "./store.ts";

const DAYS = 30;
/** Values that a tile shows by name; calls with others are shown together. */
const MAX_SERIES = 20;
const DAY_MS = 86_400_000;

type Figure = { label: string; count: number; data: number[] };

/** The last 30 days in UTC as YYYY-MM-DD, today last. */
export const daysUpTo = (now: Date): string[] =>
  Array.from({ length: DAYS }, (_, i) =>
    new Date(now.getTime() - (DAYS - 1 - i) * DAY_MS).toISOString().slice(0, 10),
  );

function figureOf(
  label: string,
  days: readonly string[],
  counts: readonly { day: string; count: number }[],
): Figure {
  const data = new Array<number>(days.length).fill(0);
  for (const { day, count } of counts) {
    const at = days.indexOf(day);
    if (at >= 0) data[at] = (data[at] ?? 0) + count;
  }
  return { label, count: data.reduce((sum, n) => sum + n, 0), data };
}

/**
 * Lays counts out by day.
 *
 * @param kind whether to split by value
 * @param counts in any order; days outside `days` are left out
 * @returns one series "total"; or one a value, the most frequent first, rare ones together as "other"
 */
export function figuresOf(
  kind: DashboardTile["query"]["kind"],
  days: readonly string[],
  counts: readonly { day: string; label: string; count: number }[],
): Figure[] {
  if (kind !== "FlagCallsByValue") return [figureOf("total", days, counts)];
  const all = [...Map.groupBy(counts, (c) => c.label)]
    .map(([label, own]) => figureOf(label, days, own))
    .sort((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1));
  if (all.length <= MAX_SERIES) return all;
  const named = new Set(all.slice(0, MAX_SERIES).map((figure) => figure.label));
  const rest = counts.filter((c) => !named.has(c.label));
  return [...all.slice(0, MAX_SERIES), figureOf("other", days, rest)];
}
