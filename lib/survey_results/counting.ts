import { inTransaction } from "#lib/db/connect.ts";
import type { MemberContext } from "#lib/http/context.ts";
import { knownTexts } from "#lib/surveys/choices.ts";
import { edgesOf, OTHER, placeKey } from "./coding.ts";
import { countColumns } from "./columns_count.ts";
import { newestOf, pairsOf } from "./columns_rows.ts";
import { withRows } from "./columns_use.ts";
import { type Durations, durationsOf, readDurations } from "./durations.ts";
import { type Asked, inTime, resolved, type Subject } from "./filter.ts";
import type { SurveyScope } from "./ingest_store.ts";
import type { OwnTexts } from "./page.ts";
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
  selectGrouped,
  selectHappeningDays,
  selectHappenings,
  selectOwnTexts,
  selectOwnTextsOf,
  selectPairs,
  selectRespondents,
} from "./results_store.ts";
import { countOf, type Tables, tablesOf } from "./tables.ts";

const TEXTS_MAX = 50;

type Context = Pick<MemberContext, "db">;

/** All stored durations of whole days are read as of one moment. */
const storedDurations = (db: Context["db"], scope: SurveyScope, days: Days): Promise<Durations> =>
  inTransaction(
    db,
    (tx) => readDurations((width, starts) => selectDurations(tx, scope, days, width, starts)),
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );

/** Tables for whole days from what is kept as events arrive. */
async function keptTables({ db }: Context, { scope, filter }: Subject): Promise<Tables> {
  const [rows, days, durations] = await Promise.all([
    selectCounts(db, scope, filter),
    selectDays(db, scope, filter),
    storedDurations(db, scope, filter),
  ]);
  const kept = tablesOf(rows, days);
  const people = (set: string) => countOf(kept, "people", set);
  // Who closed it or answered, less who answered: those who closed it and answered nothing.
  const dismissed = people("closed") - people("answering");
  const irregular = countOf(kept, "irregular") > 0;
  const exact = irregular ? await selectRespondents(db, scope, filter) : null;
  const counts = new Map(kept.counts).set("people dismissed", dismissed);
  if (exact) counts.set("people answered", exact.answered).set("people completed", exact.completed);
  return { ...kept, counts, durations };
}

type Grouped = Awaited<ReturnType<typeof selectGrouped>>[number];

/** What a group of responses counts for. */
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

/** What the events of a day and an iteration count for. */
function* countsOfDoing(did: Awaited<ReturnType<typeof selectHappeningDays>>[number]): Generator<CountRow> {
  const { iteration, shown, dismissed } = did;
  if (iteration > 0) {
    yield { kind: "iteration", item: `${iteration}:shown`, n: shown };
    yield { kind: "iteration", item: `${iteration}:dismissed`, n: dismissed };
  }
  for (const kind of ["shown", "dismissed", "quit", "abandoned"] as const)
    yield { kind, item: "", n: did[kind] };
}

/** Tables counted from rows, for filters that cannot be answered from what is kept. */
async function countedTables(context: Context, { scope, filter }: Subject): Promise<Tables> {
  const read = <T>(query: (db: Context["db"]) => Promise<T>) => inTime(context, query);
  const [grouped, codes, people, happenings, happeningDays] = await Promise.all([
    read((db) => selectGrouped(db, scope, filter)),
    read((db) => selectCodes(db, scope, filter)),
    read((db) => selectRespondents(db, scope, filter)),
    read((db) => selectHappenings(db, scope, filter)),
    read((db) => selectHappeningDays(db, scope, filter)),
  ]);
  const rows: CountRow[] = [
    ...grouped.flatMap((group) => [...countsOfGroup(group)]),
    ...codes.flatMap(({ place, code, n }) => [
      { kind: "given", item: String(place), n },
      ...code.split(",").map((part) => ({ kind: "code", item: `${place}:${part}`, n })),
    ]),
    ...happenings,
    ...happeningDays.flatMap((did) => [...countsOfDoing(did)]),
    { kind: "people", item: "answered", n: people.answered },
    { kind: "people", item: "completed", n: people.completed },
  ];
  const days = [
    ...grouped.flatMap((group) => [...daysOfGroup(group)]),
    ...happeningDays.flatMap(({ day, shown, dismissed }) => [
      { day, kind: "shown", n: shown },
      { day, kind: "dismissed", n: dismissed },
    ]),
  ];
  const took = grouped.flatMap(({ took, n }) => (took === null || took < 0 ? [] : [[took, n] as const]));
  return { ...tablesOf(rows, days), durations: durationsOf(took) };
}

/** Everything that figures are made from, counted by queries of rows. */
export const rowTables = async (context: Context, asked: Asked): Promise<Tables> =>
  countedTables(context, await resolved(context, asked));

/** A page's figures, and the most frequent texts of people's own for each choice that has some. */
export type Counted = { tables: Tables; texts: OwnTexts };

async function textsOf(
  questions: Asked["questions"],
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

async function countedRows(context: Context, asked: Asked): Promise<Counted> {
  const subject = await resolved(context, asked);
  const tables = await (subject.filtered ? countedTables : keptTables)(context, subject);
  const { scope, filter, questions } = subject;
  const texts = await textsOf(questions, tables, (question) =>
    inTime(context, (db) => selectOwnTexts(db, scope, filter, question, TEXTS_MAX)),
  );
  return { tables, texts };
}

const hasOther = (code: string) => code.split(",").includes(OTHER);

/** Counted in memory; null where that takes too much of it. */
export async function countedColumns(context: Context, asked: Asked): Promise<Counted | null> {
  const found = await withRows(context, asked, async (held, filter, rows) => ({
    tables: await countColumns(held.columns, filter, rows),
    newest: asked.questions.map((_, index) => newestOf(held.columns, rows, LOOKED_THROUGH, index, hasOther)),
  }));
  if (!found) return null;
  const { tables, newest } = found;
  const texts = await textsOf(asked.questions, tables, (question) =>
    inTime(context, (db) =>
      selectOwnTextsOf(db, asked.scope, newest[question.index] ?? [], question, TEXTS_MAX),
    ),
  );
  return { tables, texts };
}

/** Everything that a page of figures is made from, as the filters leave it. */
export const countedFor = async (context: Context, asked: Asked): Promise<Counted> =>
  (asked.filtered ? await countedColumns(context, asked) : null) ?? countedRows(context, asked);

/** How often two questions' codes come together. */
export async function pairsFor(context: Context, asked: Asked, first: number, second: number) {
  const found = await withRows(context, asked, async (held, _, rows) =>
    pairsOf(held.columns, rows, first, second),
  );
  if (found) return found;
  const { scope, filter } = await resolved(context, asked);
  return inTime(context, (db) => selectPairs(db, scope, filter, first, second));
}
