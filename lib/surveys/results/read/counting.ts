import { inTransaction } from "#lib/platform/db/connect.ts";
import type { MemberContext } from "#lib/surveys/context.ts";

import { countColumns } from "#lib/surveys/results/count/columns/columns-count.ts";
import { newestRows, tallyPairs } from "#lib/surveys/results/count/columns/columns-rows.ts";
import { withRows } from "#lib/surveys/results/count/columns/columns-use.ts";
import {
  type ResultsRequest,
  resolvePersons,
  type Subject,
  withTimeLimit,
} from "#lib/surveys/results/count/filter.ts";
import {
  type CountRow,
  type DayRow,
  type Days,
  LOOKED_THROUGH,
  type NamedQuestion,
  selectCodes,
  selectCounts,
  selectDays,
  selectDurations,
  selectEventDays,
  selectEventTotals,
  selectGrouped,
  selectOwnTexts,
  selectOwnTextsOf,
  selectPairs,
  selectRespondents,
} from "#lib/surveys/results/count/results-store.ts";
import { buildTables, countOf, type Tables } from "#lib/surveys/results/count/tables.ts";
import { edgesOf, OTHER, placeKey } from "#lib/surveys/results/ingest/answer-codes.ts";
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
  const rollup = buildTables(rows, days);
  const people = (set: string) => countOf(rollup, "people", set);
  // People who closed it or answered, minus those who answered: those who only closed it.
  const dismissed = people("closed") - people("answering");
  const irregular = countOf(rollup, "irregular") > 0;
  const exact = irregular ? await selectRespondents(db, scope, filter) : null;
  const counts = new Map(rollup.counts).set("people dismissed", dismissed);
  if (exact) counts.set("people answered", exact.answered).set("people completed", exact.completed);
  return { ...rollup, counts, durations };
}

type Grouped = Awaited<ReturnType<typeof selectGrouped>>[number];

/** The counts of a group of responses. */
function* countsOfGroup(group: Grouped): Generator<CountRow> {
  const { n } = group;
  if (group.day !== null) {
    yield { kind: "answered", item: "", n };
    if (group.completed) yield { kind: "completed", item: "", n };
  } else if (group.iteration !== null) {
    yield { kind: "iteration", item: `${group.iteration}:answered`, n };
    if (group.completed) yield { kind: "iteration", item: `${group.iteration}:completed`, n };
  } else if (group.waiting !== null) yield { kind: "waiting", item: String(group.waiting), n };
  else if (group.path !== null)
    for (const edge of edgesOf(group.path, group.completed === true)) yield { kind: "edge", item: edge, n };
}

function* daysOfGroup({ day, completed, n }: Grouped): Generator<DayRow> {
  if (day === null) return;
  yield { day, kind: "answered", n };
  if (completed) yield { day, kind: "completed", n };
}

/** The counts of the events of a day and iteration. */
function* countsOfEvents(did: Awaited<ReturnType<typeof selectEventDays>>[number]): Generator<CountRow> {
  const { iteration, shown, dismissed } = did;
  if (iteration > 0) {
    yield { kind: "iteration", item: `${iteration}:shown`, n: shown };
    yield { kind: "iteration", item: `${iteration}:dismissed`, n: dismissed };
  }
  for (const kind of ["shown", "dismissed", "quit", "abandoned"] as const)
    yield { kind, item: "", n: did[kind] };
}

/** Tables counted from rows, for filters that the rollups cannot answer. */
async function countTables(context: Context, { scope, filter }: Subject): Promise<Tables> {
  const read = <T>(query: (db: Context["db"]) => Promise<T>) => withTimeLimit(context, query);
  const [grouped, codes, people, eventTotals, eventDays] = await Promise.all([
    read((db) => selectGrouped(db, scope, filter)),
    read((db) => selectCodes(db, scope, filter)),
    read((db) => selectRespondents(db, scope, filter)),
    read((db) => selectEventTotals(db, scope, filter)),
    read((db) => selectEventDays(db, scope, filter)),
  ]);
  const rows: CountRow[] = [
    ...grouped.flatMap((group) => [...countsOfGroup(group)]),
    ...codes.flatMap(({ place, code, n }) => [
      { kind: "given", item: String(place), n },
      ...code.split(",").map((part) => ({ kind: "code", item: `${place}:${part}`, n })),
    ]),
    ...eventTotals,
    ...eventDays.flatMap((did) => [...countsOfEvents(did)]),
    { kind: "people", item: "answered", n: people.answered },
    { kind: "people", item: "completed", n: people.completed },
  ];
  const days = [
    ...grouped.flatMap((group) => [...daysOfGroup(group)]),
    ...eventDays.flatMap(({ day, shown, dismissed }) => [
      { day, kind: "shown", n: shown },
      { day, kind: "dismissed", n: dismissed },
    ]),
  ];
  const took = grouped.flatMap(({ took, n }) => (took === null || took < 0 ? [] : [[took, n] as const]));
  return { ...buildTables(rows, days), durations: durationsOf(took) };
}

/** All tables, counted from rows. */
export const countRowTables = async (context: Context, request: ResultsRequest): Promise<Tables> =>
  countTables(context, await resolvePersons(context, request));

/** The tables of a page, and the most frequent free texts of each choice question. */
export type Counted = { tables: Tables; texts: OwnTexts };

async function textsOf(
  questions: ResultsRequest["questions"],
  tables: Tables,
  read: (question: NamedQuestion) => Promise<Awaited<ReturnType<typeof selectOwnTexts>>>,
): Promise<OwnTexts> {
  const found = await Promise.all(
    questions.flatMap((question, index) => {
      if (countOf(tables, "code", `${index}:${OTHER}`) === 0) return [];
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

async function countFromRows(context: Context, request: ResultsRequest): Promise<Counted> {
  const subject = await resolvePersons(context, request);
  const tables = await (subject.filtered ? countTables : readRollupTables)(context, subject);
  const { scope, filter, questions } = subject;
  const texts = await textsOf(questions, tables, (question) =>
    withTimeLimit(context, (db) => selectOwnTexts(db, scope, filter, question, TEXTS_MAX)),
  );
  return { tables, texts };
}

const hasOther = (code: string) => code.split(",").includes(OTHER);

/** Counts in memory; null if that takes too much memory. */
export async function countInMemory(context: Context, request: ResultsRequest): Promise<Counted | null> {
  const found = await withRows(context, request, async (held, filter, rows) => ({
    tables: await countColumns(held.columns, filter, rows),
    newest: request.questions.map((_, index) =>
      newestRows(held.columns, rows, LOOKED_THROUGH, index, hasOther),
    ),
  }));
  if (!found) return null;
  const { tables, newest } = found;
  const texts = await textsOf(request.questions, tables, (question) =>
    withTimeLimit(context, (db) =>
      selectOwnTextsOf(db, request.scope, newest[question.index] ?? [], question, TEXTS_MAX),
    ),
  );
  return { tables, texts };
}

/** All counts of a results page, within the filters. */
export const countFigures = async (context: Context, request: ResultsRequest): Promise<Counted> =>
  (request.filtered ? await countInMemory(context, request) : null) ?? countFromRows(context, request);

/** Counts pairs of answer codes of two questions. */
export async function countPairs(context: Context, request: ResultsRequest, first: number, second: number) {
  const found = await withRows(context, request, async (held, _, rows) =>
    tallyPairs(held.columns, rows, first, second),
  );
  if (found) return found;
  const { scope, filter } = await resolvePersons(context, request);
  return withTimeLimit(context, (db) => selectPairs(db, scope, filter, first, second));
}
