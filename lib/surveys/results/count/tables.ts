import type { CodedQuestion, Step } from "#lib/surveys/results/ingest/answer-codes.ts";
import type { Counted, EventName, PeopleSet } from "#lib/surveys/results/ingest/counts.ts";
import type { Durations } from "#lib/surveys/results/ingest/durations.ts";

/** Counts of events of a day or an iteration. */
export type EventTotals = { shown: number; dismissed: number; answered: number; completed: number };

/** A part of figures: `n` of what is counted. The counts of equal parts add up. */
export type CountRow = { n: number } & Counted;

/** Counts of a day. */
export type DayRow = { day: string; event: EventName; n: number };

type QuestionCounts = { given: number; waiting: number; slots: ReadonlyMap<string, number> };

/** The counts that figures are built from. */
export type SurveyCounts = {
  events: Readonly<Record<EventName, number>>;
  /** Distinct persons. */
  people: Readonly<Record<PeopleSet, number>>;
  edges: readonly (Step & { n: number })[];
  /** Whether people cannot be counted by day alone. */
  isIrregular: boolean;
  days: ReadonlyMap<string, EventTotals>;
  iterations: ReadonlyMap<number, EventTotals>;
  /** What was answered to a question, by its place. */
  question: (place: number) => QuestionCounts;
};

/** The same with durations. */
export type Tables = SurveyCounts & { durations: Durations };

export type TableQuestion = CodedQuestion & { id: string; question: string };

export const noEvents = (): EventTotals => ({ shown: 0, dismissed: 0, answered: 0, completed: 0 });

const add = <K>(counts: Map<K, number>, key: K, n: number) => counts.set(key, (counts.get(key) ?? 0) + n);

/** Adds to the totals of a day or an iteration; events that are not shown there are left out. */
function addTo<K>(totals: Map<K, EventTotals>, key: K, event: EventName, n: number): void {
  const found = totals.get(key) ?? noEvents();
  if (event !== "quit" && event !== "abandoned") found[event] += n;
  totals.set(key, found);
}

const NOTHING: QuestionCounts = { given: 0, waiting: 0, slots: new Map() };

/** Adds up rows of counts, and rows per day. */
export function buildCounts(rows: readonly CountRow[], dayRows: readonly DayRow[]): SurveyCounts {
  const events = { shown: 0, dismissed: 0, quit: 0, abandoned: 0, answered: 0, completed: 0 };
  const people = { shown: 0, dismissed: 0, quit: 0, answering: 0, answered: 0, completed: 0, closed: 0 };
  const questions = new Map<number, { given: number; waiting: number; slots: Map<string, number> }>();
  const question = (place: number) => {
    const found = questions.get(place) ?? { given: 0, waiting: 0, slots: new Map<string, number>() };
    questions.set(place, found);
    return found;
  };
  const edges = new Map<Step["from"], Map<Step["to"], number>>();
  const days = new Map<string, EventTotals>();
  const iterations = new Map<number, EventTotals>();
  let irregular = 0;
  for (const row of rows) {
    const { n } = row;
    if (row.kind === "irregular") irregular += n;
    else if (row.kind === "iteration") addTo(iterations, row.iteration, row.event, n);
    else if (row.kind === "people") people[row.set] += n;
    else if (row.kind === "given" || row.kind === "waiting") question(row.question)[row.kind] += n;
    else if (row.kind === "code") add(question(row.question).slots, row.slot, n);
    else if (row.kind === "edge") {
      const steps = edges.get(row.from) ?? new Map<Step["to"], number>();
      edges.set(row.from, add(steps, row.to, n));
    } else if (row.kind !== "archived") events[row.kind] += n;
  }
  for (const { day, event, n } of dayRows) addTo(days, day, event, n);
  return {
    events,
    people,
    edges: [...edges].flatMap(([from, steps]) => [...steps].map(([to, n]) => ({ from, to, n }))),
    isIrregular: irregular > 0,
    days,
    iterations,
    question: (place) => questions.get(place) ?? NOTHING,
  };
}
