import type { CodedQuestion } from "./coding.ts";
import type { Durations } from "./durations.ts";

/** What happened on a day or in an iteration. */
export type Happened = { shown: number; dismissed: number; answered: number; completed: number };

/** Everything that a page of results is made from, wherever it was counted. */
export type Tables = {
  /** By kind and item, as in survey_counts. */
  counts: ReadonlyMap<string, number>;
  days: ReadonlyMap<string, Happened>;
  iterations: ReadonlyMap<number, Happened>;
  durations: Durations;
};

export type TableQuestion = CodedQuestion & { id: string; question: string };

const countKey = (kind: string, item: string) => `${kind} ${item}`;

/** The number of an item; 0 where nothing was counted. */
export const countOf = (tables: Pick<Tables, "counts">, kind: string, item: string | number = ""): number =>
  tables.counts.get(countKey(kind, String(item))) ?? 0;

export const noneHappened = (): Happened => ({ shown: 0, dismissed: 0, answered: 0, completed: 0 });

const HAPPENED = ["shown", "dismissed", "answered", "completed"] as const;
const isHappened = (name: string): name is keyof Happened => HAPPENED.some((known) => known === name);

type Row = { kind: string; item: string; n: number };

/** Tables from rows of counts; days from rows a day. */
export function tablesOf(
  rows: readonly Row[],
  dayRows: readonly { day: string; kind: string; n: number }[],
): Omit<Tables, "durations"> {
  const counts = new Map<string, number>();
  const days = new Map<string, Happened>();
  const iterations = new Map<number, Happened>();
  for (const { kind, item, n } of rows) {
    counts.set(countKey(kind, item), (counts.get(countKey(kind, item)) ?? 0) + n);
    if (kind !== "iteration") continue;
    const [number, name = ""] = item.split(":");
    const found = iterations.get(Number(number)) ?? noneHappened();
    if (isHappened(name)) found[name] += n;
    iterations.set(Number(number), found);
  }
  for (const { day, kind, n } of dayRows) {
    const found = days.get(day) ?? noneHappened();
    if (isHappened(kind)) found[kind] += n;
    days.set(day, found);
  }
  return { counts, days, iterations };
}
