/** How long a point of a time chart lasts. Weeks begin on Monday, months on their first day, all in UTC. */
export type Period = "day" | "week" | "month";

/**
 * What becomes of days inside a longer period. `sum`: what happened is added up. `last`: what has come together
 * since the start, a running total or an estimate, shows the last day that has one.
 */
export type Grouping = "sum" | "last";

/** The days that a point covers: both in milliseconds, both included; `of` are those of the whole period. */
export type Span = { from: number; to: number; days: number; of: number };

export const DAY_MS = 86_400_000;

/** More points than these are drawn by week, more weeks than these by month. */
const MOST_DAYS = 120;
const MOST_WEEKS = 156;

/** Shorter ranges than these leave nothing to choose. */
const CHOICE_DAYS = 15;
const MONTHS_DAYS = 60;

/** Days from the first to the last, both included. */
const daysIn = (first: number, last: number): number => Math.round((last - first) / DAY_MS) + 1;

/** The period by which a range is read best, where nobody has said. */
export function periodFor(first: number, last: number): Period {
  const days = daysIn(first, last);
  if (days <= MOST_DAYS) return "day";
  return days <= MOST_WEEKS * 7 ? "week" : "month";
}

/** The periods that make sense of a range; one where there is nothing to choose. */
export function periodsOf(first: number, last: number): Period[] {
  const days = daysIn(first, last);
  return [
    "day",
    ...(days >= CHOICE_DAYS ? (["week"] as const) : []),
    ...(days >= MONTHS_DAYS ? (["month"] as const) : []),
  ];
}

/** First day of the period that a day lies in. */
export function startOf(time: number, period: Period): number {
  const day = new Date(time);
  day.setUTCHours(0, 0, 0, 0);
  if (period === "week") day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  if (period === "month") day.setUTCDate(1);
  return day.getTime();
}

/** First day of the period after the one that begins on `start`. */
function after(start: number, period: Period): number {
  const day = new Date(start);
  if (period === "month") day.setUTCMonth(day.getUTCMonth() + 1);
  else day.setUTCDate(day.getUTCDate() + (period === "week" ? 7 : 1));
  return day.getTime();
}

/** The periods that a range touches, each cut to the range: the first and the last may be parts. */
export function spansOf(first: number, last: number, period: Period): Span[] {
  const spans: Span[] = [];
  for (let start = startOf(first, period); start <= last; start = after(start, period)) {
    const end = after(start, period) - DAY_MS;
    const [from, to] = [Math.max(start, first), Math.min(end, last)];
    spans.push({ from, to, days: daysIn(from, to), of: daysIn(start, end) });
  }
  return spans;
}

export const isPart = ({ days, of }: Span): boolean => days < of;
