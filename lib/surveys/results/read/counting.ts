import { inTransaction } from "#lib/platform/db/connect.ts";
import type { MemberContext } from "#lib/surveys/context.ts";
import {
  type ResultsRequest,
  resolvePersons,
  type Subject,
  withTimeLimit,
} from "#lib/surveys/results/count/filter.ts";
import {
  type Chosen,
  type Days,
  type EventDay,
  type NamedQuestion,
  selectChosen,
  selectCounts,
  selectDays,
  selectDurations,
  selectEventDays,
  selectEventPeople,
  selectOwnTexts,
  selectPairs,
  selectRespondents,
} from "#lib/surveys/results/count/results-store.ts";
import { buildCounts, type CountRow, type DayRow, type Tables } from "#lib/surveys/results/count/tables.ts";
import { edgesOf, OTHER, placeKey, slotsOf } from "#lib/surveys/results/ingest/answer-codes.ts";
import { type Durations, durationsOf, readDurations } from "#lib/surveys/results/ingest/durations.ts";
import type { SurveyScope } from "#lib/surveys/results/ingest/ingest-store.ts";
import { knownTexts } from "#lib/surveys/surveys/questions/choices.ts";
import type { OwnTexts } from "./page.ts";

const TEXTS_MAX = 50;

type Context = Pick<MemberContext, "db">;

/** Reads the stored durations of whole days in one snapshot. */
const storedDurations = (db: Context["db"], scope: SurveyScope, days: Days): Promise<Durations> =>
  inTransaction(
    db,
    (tx) => readDurations((width, starts) => selectDurations(tx, scope, days, width, starts)),
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );

/** Tables for whole days, from the rollups. */
async function readRollupTables({ db }: Context, { scope, filter }: Subject): Promise<Tables> {
  const [rows, days, durations] = await Promise.all([
    selectCounts(db, scope, filter),
    selectDays(db, scope, filter),
    storedDurations(db, scope, filter),
  ]);
  const counts = buildCounts(rows, days);
  const { people } = counts;
  const exact = counts.isIrregular ? await selectRespondents(db, scope, filter) : null;
  // People who closed it or answered, minus those who answered: those who only closed it.
  return {
    ...counts,
    people: { ...people, dismissed: people.closed - people.answering, ...exact },
    durations,
  };
}

/** The counts of a group of responses. */
function* countsOfGroup(group: Chosen["groups"][number]): Generator<CountRow> {
  const { n, iteration } = group;
  const isCompleted = group.completed === true;
  if (group.day !== null) {
    yield { kind: "answered", n };
    if (isCompleted) yield { kind: "completed", n };
  } else if (iteration !== null) {
    yield { kind: "iteration", iteration, event: "answered", n };
    if (isCompleted) yield { kind: "iteration", iteration, event: "completed", n };
  } else if (group.waiting !== null) yield { kind: "waiting", question: group.waiting, n };
  else if (group.path !== null)
    for (const edge of edgesOf(group.path, isCompleted)) yield { kind: "edge", ...edge, n };
}

function* daysOfGroup({ day, completed, n }: Chosen["groups"][number]): Generator<DayRow> {
  if (day === null) return;
  yield { day, event: "answered", n };
  if (completed) yield { day, event: "completed", n };
}

/** The counts of answers of a question with the same code. */
function* countsOfCode({ place, code, n }: Chosen["codes"][number]): Generator<CountRow> {
  yield { kind: "given", question: place, n };
  for (const slot of slotsOf(code)) yield { kind: "code", question: place, slot, n };
}

/** The counts of the events of a day and iteration. */
function* countsOfEvents(did: EventDay): Generator<CountRow> {
  const { iteration, shown, dismissed } = did;
  if (iteration > 0) {
    yield { kind: "iteration", iteration, event: "shown", n: shown };
    yield { kind: "iteration", iteration, event: "dismissed", n: dismissed };
  }
  for (const kind of ["shown", "dismissed", "quit", "abandoned"] as const) yield { kind, n: did[kind] };
}

/** Tables counted from rows, for filters that the rollups cannot answer. */
export async function countTables(context: Context, { scope, filter }: Subject): Promise<Tables> {
  const chosen = await withTimeLimit(context, (db) => selectChosen(db, scope, filter));
  // Conditions on answers count the events of the people who gave them.
  const persons = filter.answers.length > 0 ? chosen.persons : filter.persons;
  const [eventPeople, eventDays] = await Promise.all([
    withTimeLimit(context, (db) => selectEventPeople(db, scope, { ...filter, persons })),
    withTimeLimit(context, (db) => selectEventDays(db, scope, { ...filter, persons })),
  ]);
  const rows: CountRow[] = [
    ...chosen.groups.flatMap((group) => [...countsOfGroup(group)]),
    ...chosen.codes.flatMap((one) => [...countsOfCode(one)]),
    ...eventDays.flatMap((did) => [...countsOfEvents(did)]),
  ];
  const days = [
    ...chosen.groups.flatMap((group) => [...daysOfGroup(group)]),
    ...eventDays.flatMap(({ day, shown, dismissed }): DayRow[] => [
      { day, event: "shown", n: shown },
      { day, event: "dismissed", n: dismissed },
    ]),
  ];
  const took = chosen.groups.flatMap(({ took, n }) =>
    took === null || took < 0 ? [] : [[took, n] as const],
  );
  const { answered, completed } = chosen;
  const counts = buildCounts(rows, days);
  const people = { ...counts.people, ...eventPeople, answered, completed };
  return { ...counts, people, durations: durationsOf(took) };
}

/** The tables of a page, and the most frequent free texts of each choice question. */
export type Counted = { tables: Tables; texts: OwnTexts };

async function textsOf(
  questions: ResultsRequest["questions"],
  tables: Tables,
  read: (question: NamedQuestion) => Promise<Awaited<ReturnType<typeof selectOwnTexts>>>,
): Promise<OwnTexts> {
  const found = await Promise.all(
    questions.flatMap((question, index) => {
      if (!tables.question(index).slots.has(OTHER)) return [];
      const named = {
        index,
        id: question.id || null,
        place: placeKey(index),
        choices: knownTexts(question),
      };
      return [read(named).then((texts) => [index, texts] as const)];
    }),
  );
  return new Map(found);
}

/** All counts of a results page, within the filters. */
export async function countFigures(context: Context, request: ResultsRequest): Promise<Counted> {
  const subject = await resolvePersons(context, request);
  const tables = await (subject.filtered ? countTables : readRollupTables)(context, subject);
  const { scope, filter, questions } = subject;
  const texts = await textsOf(questions, tables, (question) =>
    withTimeLimit(context, (db) => selectOwnTexts(db, scope, filter, question, TEXTS_MAX)),
  );
  return { tables, texts };
}

/** Counts pairs of answer codes of two questions. */
export async function countPairs(context: Context, request: ResultsRequest, first: number, second: number) {
  const { scope, filter } = await resolvePersons(context, request);
  return withTimeLimit(context, (db) => selectPairs(db, scope, filter, first, second));
}
