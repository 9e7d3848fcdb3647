import type { MemberContext } from "#lib/http/context.ts";
import { choicesOf, edgesOf, OTHER, placeKey } from "./coding.ts";
import { inTime, type Subject } from "./filter.ts";
import type { OwnTexts } from "./page.ts";
import {
  type CountRow,
  type DayRow,
  selectCodes,
  selectCounts,
  selectDays,
  selectGrouped,
  selectHappeningDays,
  selectHappenings,
  selectOwnTexts,
  selectRespondents,
} from "./results_store.ts";
import { countOf, type Tables, tablesOf } from "./tables.ts";

const TEXTS_MAX = 50;

type Context = Pick<MemberContext, "db">;

/** Tables for whole days from what is kept as events arrive. */
async function keptTables({ db }: Context, { scope, filter }: Subject): Promise<Tables> {
  const [rows, days] = await Promise.all([selectCounts(db, scope, filter), selectDays(db, scope, filter)]);
  const kept = tablesOf(rows, days);
  const people = (set: string) => countOf(kept, "people", set);
  // Who closed it or answered, less who answered: those who closed it and answered nothing.
  const dismissed = people("closed") - people("answering");
  const irregular = countOf(kept, "irregular") > 0;
  const exact = irregular ? await selectRespondents(db, scope, filter) : null;
  const counts = new Map(kept.counts).set("people dismissed", dismissed);
  if (exact) counts.set("people answered", exact.answered).set("people completed", exact.completed);
  return { ...kept, counts };
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
  } else if (group.duration !== null) yield { kind: "duration", item: String(group.duration), n };
  else if (group.waiting !== null) yield { kind: "waiting", item: String(group.waiting), n };
  else
    for (const edge of edgesOf(group.path ?? [], group.completed === true))
      yield { kind: "edge", item: edge, n };
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
  return tablesOf(rows, days);
}

/** Everything that figures are made from, as the subject's filters leave it. */
export const tablesFor = (context: Context, subject: Subject): Promise<Tables> =>
  subject.filtered ? countedTables(context, subject) : keptTables(context, subject);

/** The most frequent texts of people's own, for each choice that has some. */
export async function ownTextsFor(context: Context, subject: Subject, tables: Tables): Promise<OwnTexts> {
  const { scope, filter, questions } = subject;
  const found = await Promise.all(
    questions.flatMap((question, index) => {
      if (countOf(tables, "code", `${index}:${OTHER}`) === 0) return [];
      const named = {
        index,
        id: question.id || null,
        place: placeKey(index),
        choices: choicesOf(question).map((choice) => choice.trim()),
      };
      return [
        inTime(context, (db) => selectOwnTexts(db, scope, filter, named, TEXTS_MAX)).then(
          (texts) => [index, texts] as const,
        ),
      ];
    }),
  );
  return new Map(found);
}
