import type { Answers } from "./coding.ts";
import { edgesOf, NONE, waitingAt } from "./coding.ts";
import { DURATION_WIDTHS, tenthsOf } from "./durations.ts";
import type { Happening } from "./facts.ts";

/** One state of a response; `at` in milliseconds. */
export type State = {
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

/** A state with its place among the states of its response. */
export type Link = State & { latest: boolean; next_at: number | null; started_at: number };

/** The states of one response in their order, the later of simultaneous ones by uuid, each knowing the next. */
export function chainOf(states: readonly State[]): Link[] {
  const sorted = states.toSorted((a, b) => a.at - b.at || (a.uuid < b.uuid ? -1 : 1));
  const started_at = sorted[0]?.at ?? 0;
  return sorted.map((state, i) => {
    const next = sorted[i + 1];
    return { ...state, started_at, latest: !next, next_at: next?.at ?? null };
  });
}

/** A day in UTC, YYYY-MM-DD, that sorts as text: years beyond 9999 do not occur. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The day that never comes, in PostgreSQL's words. */
const NEVER = "infinity";

/** What persons did, as numbers that are kept a person and day. */
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

/** Numbers that change, by name. Zero again means that nothing is left. */
export class Tally {
  readonly of = new Map<string, number>();

  add(names: readonly (string | number)[], by: number): void {
    const name = names.join("\u0000");
    this.of.set(name, (this.of.get(name) ?? 0) + by);
  }

  /** What is not zero, sorted by name: [names, number]. */
  changes(): [string[], number][] {
    return [...this.of]
      .filter(([, n]) => n !== 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, n]) => [name.split("\u0000"), n]);
  }
}

/**
 * Counts: project, survey, kind, item, day, until. Durations: project, survey, width and lower end of the interval, day,
 * until. People's days: project, survey, person, day, iteration, figure.
 * Responses: the events whose rows change, with the survey's project and id.
 */
export type Tallies = {
  counts: Tally;
  durations: Tally;
  days: Tally;
  responses: Map<string, Pick<State, "project_id" | "survey_id">>;
};

/** States that a window of whole days can choose: the last ones of their days. */
const dayEnds = (chain: readonly Link[]) =>
  chain.flatMap((link) => {
    const [day, until] = [dayOf(link.at), link.next_at === null ? NEVER : dayOf(link.next_at)];
    return day === until ? [] : [{ link, day, until }];
  });

/**
 * Whether people cannot be counted by their days alone: the states of several days are of several persons, lose
 * their completion, or are put away in part. Their people are counted from the rows.
 */
function isIrregular(ends: ReturnType<typeof dayEnds>): boolean {
  if (ends.length < 2) return false;
  const [first] = ends;
  return ends.some(
    ({ link }, i) =>
      link.archived ||
      link.person_id !== first?.link.person_id ||
      (link.completed && ends.slice(i + 1).some((later) => !later.link.completed)),
  );
}

function tallyState(
  { counts, durations }: Pick<Tallies, "counts" | "durations">,
  scope: [number, string],
  end: ReturnType<typeof dayEnds>[number],
  by: number,
) {
  const { link, day, until } = end;
  const count = (kind: string, item: string | number) => counts.add([...scope, kind, item, day, until], by);
  count("answered", "");
  if (link.completed) count("completed", "");
  if (link.iteration > 0) {
    count("iteration", `${link.iteration}:answered`);
    if (link.completed) count("iteration", `${link.iteration}:completed`);
  }
  for (const [i, code] of link.codes.entries()) {
    if (code === NONE) continue;
    count("given", i);
    for (const part of code.split(",")) count("code", `${i}:${part}`);
  }
  const waiting = waitingAt(link);
  if (waiting !== null) count("waiting", waiting);
  for (const edge of edgesOf(link.path, link.completed)) count("edge", edge);
  if (link.completed && link.at > link.started_at) {
    const tenths = tenthsOf(link.at - link.started_at);
    for (const width of DURATION_WIDTHS)
      durations.add([...scope, width, tenths - (tenths % width), day, until], by);
  }
}

/** Adds what a chain counts for, `by` times (-1 takes it away). */
export function tallyChain({ counts, durations, days }: Tallies, chain: readonly Link[], by: 1 | -1): void {
  const [first] = chain;
  if (!first) return;
  const scope: [number, string] = [first.project_id, first.survey_id];
  const ends = dayEnds(chain);
  if (isIrregular(ends)) counts.add([...scope, "irregular", "", "1970-01-01", NEVER], by);
  for (const link of chain) {
    if (link.archived) counts.add([...scope, "archived", "", "1970-01-01", NEVER], by);
    else days.add([...scope, link.person_id, dayOf(link.at), link.iteration, "answering"], by);
  }
  for (const end of ends) {
    const { link, day } = end;
    if (link.archived) continue;
    tallyState({ counts, durations }, scope, end, by);
    const person = [...scope, link.person_id, day, link.iteration];
    days.add([...person, "answered"], by);
    if (link.completed) days.add([...person, "completed"], by);
  }
}

/** Adds something that happened to a person with a survey. */
export function tallyHappening(
  { counts, days }: Tallies,
  fact: { project_id: number; survey_id: string; at: number; iteration: number; happening: Happening },
  person_id: number,
): void {
  const { project_id, survey_id, iteration, happening } = fact;
  const day = dayOf(fact.at);
  counts.add([project_id, survey_id, happening, "", day, NEVER], 1);
  if (iteration > 0)
    counts.add([project_id, survey_id, "iteration", `${iteration}:${happening}`, day, NEVER], 1);
  days.add([project_id, survey_id, person_id, day, iteration, happening], 1);
}

/** Sets of people that are counted, and who is in one by what they did on a day. */
const PEOPLE: Record<string, (did: PersonFigures) => boolean> = {
  shown: (did) => did.shown > 0,
  dismissed: (did) => did.dismissed > 0,
  quit: (did) => did.quit > 0,
  answering: (did) => did.answering > 0,
  answered: (did) => did.answered > 0,
  completed: (did) => did.completed > 0,
  closed: (did) => did.dismissed > 0 || did.answering > 0,
};

/** Adds the person to the sets of people: for each day on which they are in one, until the next such day. */
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

/** A person's days, iterations (and surveys) put together. */
export function daysOf(
  rows: readonly ({ day: string } & PersonFigures)[],
): { day: string; did: PersonFigures }[] {
  const byDay = new Map<string, PersonFigures>();
  for (const row of rows) {
    const did = byDay.get(row.day) ?? nothingDone();
    for (const name of PERSON_FIGURES) did[name] += row[name];
    byDay.set(row.day, did);
  }
  return [...byDay].map(([day, did]) => ({ day, did }));
}

export const nothingDone = (): PersonFigures => ({
  shown: 0,
  dismissed: 0,
  quit: 0,
  abandoned: 0,
  answering: 0,
  answered: 0,
  completed: 0,
});
