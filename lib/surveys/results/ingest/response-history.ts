import type { Answers } from "./answer-codes.ts";
import { countsOfEvent, countsOfState, type PeopleSet, storedAs } from "./counts.ts";
import { DURATION_WIDTHS, tenthsOf } from "./durations.ts";
import type { EventKind } from "./facts.ts";

/** A state of a response, as an event reports it; `at` in milliseconds. */
export type NewState = {
  project_id: number;
  survey_id: string;
  key: string;
  uuid: string;
  at: number;
  person_id: number;
  distinct_id: string;
  iteration: number;
  completed: boolean;
  archived: boolean;
  codes: string[];
  path: number[];
  answers: Answers;
};

/** A stored state: with its place in the history of its response. */
export type ResponseState = NewState & { latest: boolean; next_at: number | null; started_at: number };

/** The states of one response in order (simultaneous ones by uuid), each with the time of the next. */
export function buildHistory(states: readonly NewState[]): ResponseState[] {
  const sorted = states.toSorted((a, b) => a.at - b.at || (a.uuid < b.uuid ? -1 : 1));
  const started_at = sorted[0]?.at ?? 0;
  return sorted.map((state, i) => {
    const next = sorted[i + 1];
    return { ...state, started_at, latest: !next, next_at: next?.at ?? null };
  });
}

/** A day in UTC, YYYY-MM-DD. Sorts as text: years beyond 9999 do not occur. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** PostgreSQL's date after all others. */
const NEVER = "infinity";

/** The numbers stored per person and day. */
export const PERSON_FIGURES = [
  "shown",
  "dismissed",
  "quit",
  "abandoned",
  "answering",
  "answered",
  "completed",
] as const;
export type PersonFigures = Record<(typeof PERSON_FIGURES)[number], number>;

/** Changes of numbers, by name. */
export class Tally {
  readonly of = new Map<string, number>();

  add(names: readonly (string | number)[], by: number): void {
    const name = names.join("\u0000");
    this.of.set(name, (this.of.get(name) ?? 0) + by);
  }

  /** Nonzero changes, sorted by name: [names, number]. */
  changes(): [string[], number][] {
    return [...this.of]
      .filter(([, n]) => n !== 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, n]) => [name.split("\u0000"), n]);
  }
}

/**
 * Counts: project, survey, kind, item, day, until. Durations: project, survey, width and lower end of the
 * interval, day, until. People's days: project, survey, person, day, iteration, figure.
 */
export type Tallies = {
  counts: Tally;
  durations: Tally;
  days: Tally;
};

/** The last state of each day, in order of time: those that a window of whole days can select. */
const dayEnds = (history: readonly ResponseState[]) =>
  history
    .flatMap((state) => {
      const [day, until] = [dayOf(state.at), state.next_at === null ? NEVER : dayOf(state.next_at)];
      return day === until ? [] : [{ state, day, until }];
    })
    .sort((a, b) => a.state.at - b.state.at);

/**
 * Whether people cannot be counted by day alone: states of different days belong to different persons, lose
 * their completion, or are partly archived. Such people are counted from rows.
 */
function isIrregular(ends: ReturnType<typeof dayEnds>): boolean {
  if (ends.length < 2) return false;
  const [first] = ends;
  return ends.some(
    ({ state }, i) =>
      state.archived ||
      state.person_id !== first?.state.person_id ||
      (state.completed && ends.slice(i + 1).some((later) => !later.state.completed)),
  );
}

function tallyState(
  { counts, durations }: Pick<Tallies, "counts" | "durations">,
  scope: [number, string],
  end: ReturnType<typeof dayEnds>[number],
  by: number,
) {
  const { state, day, until } = end;
  for (const counted of countsOfState(state)) counts.add([...scope, ...storedAs(counted), day, until], by);
  if (state.completed && state.at > state.started_at) {
    const tenths = tenthsOf(state.at - state.started_at);
    for (const width of DURATION_WIDTHS)
      durations.add([...scope, width, tenths - (tenths % width), day, until], by);
  }
}

/** Adds the counts of a history, `by` times (-1 subtracts them). */
export function tallyHistory(
  { counts, durations, days }: Tallies,
  history: readonly ResponseState[],
  by: 1 | -1,
): void {
  const [first] = history;
  if (!first) return;
  const scope: [number, string] = [first.project_id, first.survey_id];
  const ends = dayEnds(history);
  if (isIrregular(ends)) counts.add([...scope, "irregular", "", "1970-01-01", NEVER], by);
  for (const state of history) {
    if (state.archived) counts.add([...scope, "archived", "", "1970-01-01", NEVER], by);
    else days.add([...scope, state.person_id, dayOf(state.at), state.iteration, "answering"], by);
  }
  for (const end of ends) {
    const { state, day } = end;
    if (state.archived) continue;
    tallyState({ counts, durations }, scope, end, by);
    const person = [...scope, state.person_id, day, state.iteration];
    days.add([...person, "answered"], by);
    if (state.completed) days.add([...person, "completed"], by);
  }
}

/** Adds events other than answers, `n` of them (negative numbers subtract them). */
export function tallyEvents(
  { counts, days }: Tallies,
  of: {
    project_id: number;
    survey_id: string;
    person_id: number;
    day: string;
    iteration: number;
    kind: EventKind;
  },
  n: number,
): void {
  const { project_id, survey_id, person_id, day, iteration, kind } = of;
  for (const counted of countsOfEvent(kind, iteration))
    counts.add([project_id, survey_id, ...storedAs(counted), day, NEVER], n);
  days.add([project_id, survey_id, person_id, day, iteration, kind], n);
}

/** The sets of people that are counted, by what a person did on a day. */
const PEOPLE: Record<PeopleSet, (did: PersonFigures) => boolean> = {
  shown: (did) => did.shown > 0,
  dismissed: (did) => did.dismissed > 0,
  quit: (did) => did.quit > 0,
  answering: (did) => did.answering > 0,
  answered: (did) => did.answered > 0,
  completed: (did) => did.completed > 0,
  closed: (did) => did.dismissed > 0 || did.answering > 0,
};

/**
 * Adds a person to the sets of people: for each day on which they belong to a set, until the next such day.
 */
export function tallyPerson(
  counts: Tally,
  scope: readonly [number, string],
  days: readonly { day: string; did: PersonFigures }[],
  by: 1 | -1,
): void {
  for (const [name, isIn] of Object.entries(PEOPLE)) {
    const present = [...new Set(days.filter(({ did }) => isIn(did)).map(({ day }) => day))].sort();
    for (const [i, day] of present.entries())
      counts.add([...scope, "people", name, day, present[i + 1] ?? NEVER], by);
  }
}

/** Sums a person's rows by day, over iterations and surveys. */
export function sumDays(
  rows: readonly ({ day: string } & PersonFigures)[],
): { day: string; did: PersonFigures }[] {
  const byDay = new Map<string, PersonFigures>();
  for (const row of rows) {
    const did = byDay.get(row.day) ?? noPersonFigures();
    for (const name of PERSON_FIGURES) did[name] += row[name];
    byDay.set(row.day, did);
  }
  return [...byDay].map(([day, did]) => ({ day, did }));
}

export const noPersonFigures = (): PersonFigures => ({
  shown: 0,
  dismissed: 0,
  quit: 0,
  abandoned: 0,
  answering: 0,
  answered: 0,
  completed: 0,
});
