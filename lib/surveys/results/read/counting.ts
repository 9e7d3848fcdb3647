import { inTransaction } from "#lib/platform/db/connect.ts";
import type { MemberContext } from "#lib/surveys/context.ts";
import { narrowsResponses } from "#lib/surveys/results/count/conditions-store.ts";
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
import { OTHER, placeKey } from "#lib/surveys/results/ingest/answer-codes.ts";
import {
  type Counted,
  countsOfAnswer,
  countsOfEvent,
  countsOfPath,
  eventsOfResponse,
} from "#lib/surveys/results/ingest/counts.ts";
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

const times =
  (n: number) =>
  (counted: Counted): CountRow => ({ ...counted, n });

/** The counts of a group of responses. */
function countsOfGroup({
  day,
  iteration,
  completed,
  waiting,
  path,
  n,
}: Chosen["groups"][number]): CountRow[] {
  const events = eventsOfResponse(completed === true);
  if (day !== null) return events.map((kind) => ({ kind, n }));
  if (iteration !== null)
    return events.flatMap((event) => (iteration > 0 ? [{ kind: "iteration", iteration, event, n }] : []));
  if (waiting !== null) return [{ kind: "waiting", question: waiting, n }];
  return path === null ? [] : countsOfPath(path, completed === true).map(times(n));
}

const daysOfGroup = ({ day, completed, n }: Chosen["groups"][number]): DayRow[] =>
  day === null ? [] : eventsOfResponse(completed === true).map((event) => ({ day, event, n }));

const ARRIVING = ["shown", "dismissed", "quit", "abandoned"] as const;

/** The counts of the events of a day and iteration. */
const countsOfDay = (did: EventDay): CountRow[] =>
  ARRIVING.flatMap((event) => countsOfEvent(event, did.iteration).map(times(did[event])));

/** Tables counted from rows, for filters that the rollups cannot answer. */
export async function countTables(context: Context, { scope, filter }: Subject): Promise<Tables> {
  const chosen = await withTimeLimit(context, (db) => selectChosen(db, scope, filter));
  // Conditions on responses count the events of the people who gave them.
  const persons = narrowsResponses(filter) ? chosen.persons : filter.persons;
  const [eventPeople, eventDays] = await Promise.all([
    withTimeLimit(context, (db) => selectEventPeople(db, scope, { ...filter, persons })),
    withTimeLimit(context, (db) => selectEventDays(db, scope, { ...filter, persons })),
  ]);
  const rows: CountRow[] = [
    ...chosen.groups.flatMap(countsOfGroup),
    ...chosen.codes.flatMap(({ place, code, n }) => countsOfAnswer(place, code).map(times(n))),
    ...eventDays.flatMap(countsOfDay),
  ];
  const days = [
    ...chosen.groups.flatMap(daysOfGroup),
    ...eventDays.flatMap((did) => ARRIVING.map((event): DayRow => ({ day: did.day, event, n: did[event] }))),
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
export type PageCounts = { tables: Tables; texts: OwnTexts };

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
export async function countFigures(context: Context, request: ResultsRequest): Promise<PageCounts> {
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
