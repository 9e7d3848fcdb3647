import type { CodedQuestion } from "#lib/surveys/results/ingest/answer-codes.ts";
import type { Durations } from "#lib/surveys/results/ingest/durations.ts";

/** Counts of events of a day or an iteration. */
export type EventTotals = { shown: number; dismissed: number; answered: number; completed: number };

/** The counts that a results page is built from. */
export type Tables = {
  /** By kind and item, as in survey_counts. */
  counts: ReadonlyMap<string, number>;
  days: ReadonlyMap<string, EventTotals>;
  iterations: ReadonlyMap<number, EventTotals>;
  durations: Durations;
};

export type TableQuestion = CodedQuestion & { id: string; question: string };

const countKey = (kind: string, item: string) => `${kind} ${item}`;

/** The count of an item; 0 if there is none. */
export const countOf = (tables: Pick<Tables, "counts">, kind: string, item: string | number = ""): number =>
  tables.counts.get(countKey(kind, String(item))) ?? 0;

export const noEvents = (): EventTotals => ({ shown: 0, dismissed: 0, answered: 0, completed: 0 });

const EVENT_KINDS = ["shown", "dismissed", "answered", "completed"] as const;
const isEventKind = (name: string): name is keyof EventTotals => EVENT_KINDS.some((known) => known === name);

type Row = { kind: string; item: string; n: number };

/** Builds tables from rows of counts, and days from rows per day. */
export function buildTables(
  rows: readonly Row[],
  dayRows: readonly { day: string; kind: string; n: number }[],
): Omit<Tables, "durations"> {
  const counts = new Map<string, number>();
  const days = new Map<string, EventTotals>();
  const iterations = new Map<number, EventTotals>();
  for (const { kind, item, n } of rows) {
    counts.set(countKey(kind, item), (counts.get(countKey(kind, item)) ?? 0) + n);
    if (kind !== "iteration") continue;
    const [number, name = ""] = item.split(":");
    const found = iterations.get(Number(number)) ?? noEvents();
    if (isEventKind(name)) found[name] += n;
    iterations.set(Number(number), found);
  }
  for (const { day, kind, n } of dayRows) {
    const found = days.get(day) ?? noEvents();
    if (isEventKind(kind)) found[kind] += n;
    days.set(day, found);
  }
  return { counts, days, iterations };
}
