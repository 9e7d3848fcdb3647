import type { CountRow, DayRow } from "#lib/surveys/results/count/results-store.ts";
import { buildTables, type Tables } from "#lib/surveys/results/count/tables.ts";
import { edgesOf, NONE } from "#lib/surveys/results/ingest/answer-codes.ts";
import { type DurationCount, durationsOf } from "#lib/surveys/results/ingest/durations.ts";
import { ARCHIVED, COMPLETED, type CodeColumn, LATEST, type SurveyColumns } from "./columns.ts";
import type { RowTest } from "./columns-match.ts";

/** A compiled filter for columns. */
export type ColumnFilter = {
  date_from: string | null;
  date_to: string | null;
  iteration: number | null;
  /** 1 for each person whose properties match; null: everybody. */
  admitted: Uint8Array | null;
  answers: readonly RowTest[];
};

const DAY_MS = 86_400_000;
const dayNumber = (day: string) => Math.round(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
const dayText = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

type Window = { first: number; last: number };

const windowOf = ({ date_from, date_to }: ColumnFilter): Window => ({
  first: date_from === null ? Number.NEGATIVE_INFINITY : dayNumber(date_from),
  last: date_to === null ? Number.POSITIVE_INFINITY : dayNumber(date_to),
});

/** Yields to other requests between passes over many rows. */
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
const PASS = 250_000;

/** Iterates over rows, with pauses. */
async function overRows(count: number, pass: (from: number, to: number) => void): Promise<void> {
  for (let from = 0; from < count; from += PASS) {
    pass(from, Math.min(count, from + PASS));
    await pause();
  }
}

/** The rows of responses that match a filter: the last states within its days. */
export async function rowsOf(columns: SurveyColumns, filter: ColumnFilter): Promise<Uint32Array> {
  const { responses } = columns;
  const [flags, days, untils] = [responses.flags.data, responses.day.data, responses.until.data];
  const [iterations, people] = [responses.iteration.data, responses.person.data];
  const { first, last } = windowOf(filter);
  const { iteration, admitted, answers } = filter;
  const isEnd = (row: number, flag: number) =>
    (flag & LATEST) !== 0 || (filter.date_to !== null && (untils[row] ?? 0) > last);
  const found = new Uint32Array(responses.length);
  let count = 0;
  await overRows(responses.length, (from, to) => {
    for (let row = from; row < to; row++) {
      const [flag, day] = [flags[row] ?? 0, days[row] ?? 0];
      if ((flag & ARCHIVED) !== 0 || day < first || day > last || !isEnd(row, flag)) continue;
      if (iteration !== null && iterations[row] !== iteration) continue;
      if (admitted && admitted[people[row] ?? 0] !== 1) continue;
      if (answers.length > 0 && !answers.every((test) => test(row))) continue;
      found[count++] = row;
    }
  });
  return found.subarray(0, count);
}

/** Counts each number in some rows of a column. */
export function tally(data: ArrayLike<number>, rows: Uint32Array): Map<number, number> {
  let most = 0;
  for (const row of rows) most = Math.max(most, data[row] ?? 0);
  const counts = new Float64Array(most + 1);
  for (const row of rows) {
    const value = data[row] ?? 0;
    counts[value] = (counts[value] ?? 0) + 1;
  }
  const found = new Map<number, number>();
  for (const [value, n] of counts.entries()) if (n > 0) found.set(value, n);
  return found;
}

/** The same for numbers of several columns together: the first part is the number, the second a flag. */
function tallyWith(data: ArrayLike<number>, flags: ArrayLike<number>, flag: number, rows: Uint32Array) {
  const all = tally(data, rows);
  const flagged = tally(
    data,
    rows.filter((row) => ((flags[row] ?? 0) & flag) !== 0),
  );
  return [...all].map(([value, n]) => ({ value, n, flagged: flagged.get(value) ?? 0 }));
}

function* codeCounts({ codes, column }: CodeColumn, place: number, rows: Uint32Array): Generator<CountRow> {
  for (const [number, n] of tally(column.data, rows)) {
    const code = codes.list[number] ?? NONE;
    if (code === NONE) continue;
    yield { kind: "given", item: String(place), n };
    for (const part of code.split(",")) yield { kind: "code", item: `${place}:${part}`, n };
  }
}

/** Counts the steps of paths, and the question that each unfinished response left unanswered. */
function* pathCounts({ responses }: SurveyColumns, rows: Uint32Array): Generator<CountRow> {
  const paths = responses.pathList;
  const flags = responses.flags.data;
  for (const { value, n, flagged } of tallyWith(responses.path.data, flags, COMPLETED, rows)) {
    const path = paths[value] ?? [];
    if (flagged > 0) for (const edge of edgesOf(path, true)) yield { kind: "edge", item: edge, n: flagged };
    if (n > flagged)
      for (const edge of edgesOf(path, false)) yield { kind: "edge", item: edge, n: n - flagged };
  }
  const lasts = Int32Array.from(paths, (path) => path.at(-1) ?? -1);
  const waiting = new Map<number, number>();
  for (const row of rows) {
    if (((flags[row] ?? 0) & COMPLETED) !== 0) continue;
    const last = lasts[responses.path.at(row)] ?? -1;
    if (last < 0 || responses.questions[last]?.column.at(row) !== 0) continue;
    waiting.set(last, (waiting.get(last) ?? 0) + 1);
  }
  for (const [question, n] of waiting) yield { kind: "waiting", item: String(question), n };
}

/** Who answered (1) and who completed (2), by person. */
function respondentsOf({ people, responses }: SurveyColumns, rows: Uint32Array): Uint8Array {
  const did = new Uint8Array(people.length);
  const [persons, flags] = [responses.person.data, responses.flags.data];
  for (const row of rows) {
    const person = persons[row] ?? 0;
    did[person] = (did[person] ?? 0) | 1 | (((flags[row] ?? 0) & COMPLETED) === 0 ? 0 : 2);
  }
  return did;
}

function countThat(all: Uint8Array, holds: (value: number) => boolean): number {
  let count = 0;
  for (const value of all) if (holds(value)) count += 1;
  return count;
}

/** The counts of the responses in some rows. */
async function answeringCounts(columns: SurveyColumns, rows: Uint32Array) {
  const { responses } = columns;
  const flags = responses.flags.data;
  const counts: CountRow[] = [];
  const days: DayRow[] = [];
  for (const { value, n, flagged } of tallyWith(responses.day.data, flags, COMPLETED, rows)) {
    const day = dayText(value);
    days.push({ day, kind: "answered", n }, { day, kind: "completed", n: flagged });
    counts.push({ kind: "answered", item: "", n }, { kind: "completed", item: "", n: flagged });
  }
  await pause();
  for (const { value, n, flagged } of tallyWith(responses.iteration.data, flags, COMPLETED, rows))
    counts.push(
      { kind: "iteration", item: `${value}:answered`, n },
      { kind: "iteration", item: `${value}:completed`, n: flagged },
    );
  await pause();
  counts.push(...pathCounts(columns, rows));
  for (const [place, question] of responses.questions.entries()) {
    await pause();
    counts.push(...codeCounts(question, place, rows));
  }
  return { counts, days };
}

/** The durations of the responses in some rows. */
async function durationCounts({ responses }: SurveyColumns, rows: Uint32Array): Promise<DurationCount[]> {
  const took = responses.took.data;
  const counts = new Map<number, number>();
  await overRows(rows.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const value = took[rows[i] ?? 0] ?? 0;
      if (value > 0) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  });
  return [...counts].map(([value, n]) => [value - 1, n]);
}

const SHOWN = 1;
const DISMISSED = 2;
const QUIT = 4;
const ANSWERING = 8;

type EventDay = Record<"day" | "iteration" | "shown" | "dismissed" | "quit" | "abandoned", number>;

/** Above the highest iteration number. */
const ITERATIONS = 2_097_152;

/** Sums up events by day and iteration, and by person. */
class EventDays {
  readonly did: Uint8Array;
  readonly #byDay = new Map<number, EventDay>();

  constructor(people: number) {
    this.did = new Uint8Array(people);
  }

  get list(): EventDay[] {
    return [...this.#byDay.values()];
  }

  on(day: number, iteration: number): EventDay {
    const key = day * ITERATIONS + iteration;
    let eventDay = this.#byDay.get(key);
    if (!eventDay) {
      eventDay = { day, iteration, shown: 0, dismissed: 0, quit: 0, abandoned: 0 };
      this.#byDay.set(key, eventDay);
    }
    return eventDay;
  }
}

/** Tests which rows of person days match a filter. */
function isCountedDay({ days }: SurveyColumns, filter: ColumnFilter, admitted: Uint8Array | null): RowTest {
  const [persons, dates, iterations] = [days.person.data, days.day.data, days.iteration.data];
  const { first, last } = windowOf(filter);
  const { iteration } = filter;
  return (row) => {
    const day = dates[row] ?? 0;
    if (day < first || day > last || (iteration !== null && iterations[row] !== iteration)) return false;
    return admitted === null || admitted[persons[row] ?? 0] !== 0;
  };
}

/** Events other than answers. */
async function countEvents(columns: SurveyColumns, filter: ColumnFilter, admitted: Uint8Array | null) {
  const { days, people } = columns;
  const isCounted = isCountedDay(columns, filter, admitted);
  const [persons, dates, iterations] = [days.person.data, days.day.data, days.iteration.data];
  const shown = days.figures.shown.data;
  const dismissed = days.figures.dismissed.data;
  const quit = days.figures.quit.data;
  const abandoned = days.figures.abandoned.data;
  const answering = days.figures.answering.data;
  const eventDays = new EventDays(people.length);
  await overRows(days.length, (from, to) => {
    for (let row = from; row < to; row++) {
      if (!isCounted(row)) continue;
      const [s, d, q] = [shown[row] ?? 0, dismissed[row] ?? 0, quit[row] ?? 0];
      const [a, w] = [abandoned[row] ?? 0, answering[row] ?? 0];
      if (s + d + q + a + w === 0) continue;
      const person = persons[row] ?? 0;
      const sets = Math.min(s, 1) + Math.min(d, 1) * DISMISSED + Math.min(q, 1) * QUIT;
      eventDays.did[person] = (eventDays.did[person] ?? 0) | sets | (Math.min(w, 1) * ANSWERING);
      const eventDay = eventDays.on(dates[row] ?? 0, iterations[row] ?? 0);
      eventDay.shown += s;
      eventDay.dismissed += d;
      eventDay.quit += q;
      eventDay.abandoned += a;
    }
  });
  return { did: eventDays.did, eventDays: eventDays.list };
}

function* countsOfEvents({ iteration, shown, dismissed, quit, abandoned }: EventDay): Generator<CountRow> {
  if (iteration > 0) {
    yield { kind: "iteration", item: `${iteration}:shown`, n: shown };
    yield { kind: "iteration", item: `${iteration}:dismissed`, n: dismissed };
  }
  yield { kind: "shown", item: "", n: shown };
  yield { kind: "dismissed", item: "", n: dismissed };
  yield { kind: "quit", item: "", n: quit };
  yield { kind: "abandoned", item: "", n: abandoned };
}

/** All counts for figures, from the responses in some rows and the people who match the filter. */
export async function countColumns(
  columns: SurveyColumns,
  filter: ColumnFilter,
  rows: Uint32Array,
): Promise<Tables> {
  const respondents = respondentsOf(columns, rows);
  const { counts, days } = await answeringCounts(columns, rows);
  const admitted = filter.answers.length > 0 ? respondents : filter.admitted;
  const { did, eventDays } = await countEvents(columns, filter, admitted);
  const people = (item: string, all: Uint8Array, holds: (value: number) => boolean): CountRow => ({
    kind: "people",
    item,
    n: countThat(all, holds),
  });
  const tables = buildTables(
    [
      ...counts,
      ...eventDays.flatMap((eventDay) => [...countsOfEvents(eventDay)]),
      people("shown", did, (value) => (value & SHOWN) !== 0),
      people("dismissed", did, (value) => (value & (DISMISSED | ANSWERING)) === DISMISSED),
      people("quit", did, (value) => (value & QUIT) !== 0),
      people("answered", respondents, (value) => value !== 0),
      people("completed", respondents, (value) => (value & 2) !== 0),
    ],
    [
      ...days,
      ...eventDays.flatMap(({ day, shown, dismissed }) => [
        { day: dayText(day), kind: "shown", n: shown },
        { day: dayText(day), kind: "dismissed", n: dismissed },
      ]),
    ],
  );
  return { ...tables, durations: durationsOf(await durationCounts(columns, rows)) };
}
