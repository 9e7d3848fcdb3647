import { sql } from "drizzle-orm";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { readStored } from "#lib/surveys/results/ingest/counts.ts";
import type { DurationCount } from "#lib/surveys/results/ingest/durations.ts";
import type { SurveyScope } from "#lib/surveys/results/ingest/ingest-store.ts";
import { type Filter, isChosen, isCountedDay, TOOK, withoutResponses } from "./conditions-store.ts";
import type { CountRow, DayRow } from "./tables.ts";

export type Days = Pick<Filter, "date_from" | "date_to">;

const isFrom = ({ date_from }: Days) => sql`c.day >= ${date_from ?? "1970-01-01"}::date`;
const isCurrentUntil = ({ date_to }: Days) =>
  date_to === null
    ? sql`c.until = 'infinity'`
    : sql`c.day <= ${date_to}::date and c.until > ${date_to}::date`;

const DAY_KINDS = sql.raw(`('shown', 'dismissed', 'answered', 'completed')`);

const windowed = ({ project_id, survey_id }: SurveyScope, days: Days) => sql`
  c.project_id = ${project_id} and c.survey_id = ${survey_id}
  and (${isFrom(days)} or c.kind in ('irregular', 'archived')) and ${isCurrentUntil(days)}`;

/** The stored counts of whole days. */
export async function selectCounts(db: Db, scope: SurveyScope, days: Days): Promise<CountRow[]> {
  const { rows } = await db.execute<{ kind: string; item: string; n: number }>(sql`
    select c.kind, c.item, sum(c.n)::float8 as n
    from survey_counts c where ${windowed(scope, days)} group by c.kind, c.item`);
  return rows.flatMap(({ kind, item, n }) => {
    const counted = readStored(kind, item);
    return counted ? [{ ...counted, n }] : [];
  });
}

/** The same, day by day. */
export async function selectDays(db: Db, scope: SurveyScope, days: Days): Promise<DayRow[]> {
  const { rows } = await db.execute<DayRow>(sql`
    select c.day::text as day, c.kind as event, sum(c.n)::float8 as n from survey_counts c
    where ${windowed(scope, days)} and c.kind in ${DAY_KINDS} group by 1, 2`);
  return rows;
}

/** The stored durations of whole days in intervals of a width: those with these lower ends, or all (null). */
export async function selectDurations(
  db: Db,
  { project_id, survey_id }: SurveyScope,
  days: Days,
  width: number,
  starts: readonly number[] | null,
): Promise<DurationCount[]> {
  // Listed values are looked up in the index one by one; ranges would scan all of the width.
  const named = starts ? sql`and c.tenths = any(${sql.param([...starts])}::bigint[])` : sql``;
  const { rows } = await db.execute<{ tenths: number; n: number }>(sql`
    select c.tenths::float8 as tenths, sum(c.n)::float8 as n from survey_durations c
    where c.project_id = ${project_id} and c.survey_id = ${survey_id} and c.width = ${width} ${named}
      and ${isFrom(days)} and ${isCurrentUntil(days)} group by 1`);
  return rows.map(({ tenths, n }) => [tenths, n]);
}

/**
 * People who answered and completed, for when the rollups cannot tell: from the responses within some days.
 */
export async function selectRespondents(
  db: Db,
  scope: SurveyScope,
  filter: Filter,
): Promise<{ answered: number; completed: number }> {
  const { rows } = await db.execute<{ answered: number; completed: number }>(sql`
    select count(*)::int as answered, count(*) filter (where completed)::int as completed from (
      select r.person_id, bool_or(r.completed) as completed from survey_responses r
      where ${isChosen(scope, filter)} group by r.person_id) people`);
  return rows[0] ?? { answered: 0, completed: 0 };
}

/**
 * Responses by day, iteration, duration, question left unanswered, and path. In each group, one of these is
 * not null.
 */
type Group = {
  day: string | null;
  iteration: number | null;
  completed: boolean | null;
  /** In tenths of a second; -1 if unknown. */
  took: number | null;
  waiting: number | null;
  path: number[] | null;
  n: number;
};

/** The responses within a filter, and who gave them. */
export type Chosen = {
  groups: Group[];
  /** By place of the question. */
  codes: { place: number; code: string; n: number }[];
  answered: number;
  completed: number;
  /** The ids of the persons, as PostgreSQL writes a list. */
  persons: string;
};

const WAITING = sql.raw(`case when not r.completed and r.codes[r.path[cardinality(r.path)] + 1] = ''
  then r.path[cardinality(r.path)] else -1 end`);

/** Counts the responses within a filter; they are looked for once. */
export async function selectChosen(db: Db, scope: SurveyScope, filter: Filter): Promise<Chosen> {
  const { rows } = await db.execute<Chosen>(sql`
    with chosen as materialized (
      select r.person_id, (r.timestamp at time zone 'UTC')::date as day, r.iteration, r.completed,
        coalesce(${TOOK}, -1) as took, ${WAITING} as waiting, r.path, r.codes
      from survey_responses r where ${isChosen(scope, filter)}
    ), groups as (
      select day, iteration, completed, took, waiting, path, count(*) as n from chosen
      group by grouping sets ((day, completed), (iteration, completed), (took), (waiting), (path, completed))
    ), codes as (
      select c.place - 1 as place, c.code, sum(g.n) as n
      from (select codes, count(*) as n from chosen group by codes) g
      cross join unnest(g.codes) with ordinality as c(code, place) where c.code <> '' group by 1, 2
    ), people as (
      select person_id, bool_or(completed) as completed from chosen group by person_id
    )
    select (select coalesce(json_agg(g), '[]') from groups g) as groups,
      (select coalesce(json_agg(c), '[]') from codes c) as codes, p.*
    from (
      select count(*)::int as answered, count(*) filter (where completed)::int as completed,
        coalesce(array_agg(person_id)::text, '{}') as persons
      from people
    ) p`);
  return rows[0] ?? { groups: [], codes: [], answered: 0, completed: 0, persons: "{}" };
}

/** Totals of people by the events that they had within a filter, without its conditions on responses. */
export async function selectEventPeople(
  db: Db,
  scope: SurveyScope,
  filter: Filter,
): Promise<{ shown: number; dismissed: number; quit: number }> {
  const { rows } = await db.execute<{ shown: number; dismissed: number; quit: number }>(sql`
    select (count(*) filter (where shown))::int as shown,
      (count(*) filter (where dismissed and not answering))::int as dismissed, (count(*) filter (where quit))::int as quit
    from (
      select d.person_id, bool_or(d.shown > 0) as shown, bool_or(d.dismissed > 0) as dismissed,
        bool_or(d.quit > 0) as quit, bool_or(d.answering > 0) as answering
      from survey_person_days d where ${isCountedDay(scope, withoutResponses(filter))} group by d.person_id) people`);
  return rows[0] ?? { shown: 0, dismissed: 0, quit: 0 };
}

/** Events of a day and an iteration. */
export type EventDay = Record<"iteration" | "shown" | "dismissed" | "quit" | "abandoned", number> & {
  day: string;
};

/** The same events by day and iteration. */
export async function selectEventDays(db: Db, scope: SurveyScope, filter: Filter): Promise<EventDay[]> {
  const { rows } = await db.execute<EventDay>(sql`
    select day::text as day, iteration, shown, dismissed, quit, abandoned from (
      select d.day, d.iteration, sum(d.shown)::float8 as shown, sum(d.dismissed)::float8 as dismissed,
        sum(d.quit)::float8 as quit, sum(d.abandoned)::float8 as abandoned
      from survey_person_days d where ${isCountedDay(scope, withoutResponses(filter))} group by d.day, d.iteration) days`);
  return rows;
}

/** First and last day with any event of a survey. */
export async function selectSpan(
  db: Db,
  { project_id, survey_id }: SurveyScope,
): Promise<{ first: string | null; last: string | null; archived: number; answered: number }> {
  const { rows } = await db.execute<{
    first: string | null;
    last: string | null;
    archived: number;
    answered: number;
  }>(sql`
    select min(day) filter (where kind not in ('archived', 'irregular'))::text as first,
      max(day) filter (where kind not in ('archived', 'irregular'))::text as last,
      coalesce(sum(n) filter (where kind = 'archived'), 0)::float8 as archived,
      coalesce(sum(n) filter (where kind = 'answered' and until = 'infinity'), 0)::float8 as answered
    from survey_counts where project_id = ${project_id} and survey_id = ${survey_id}
      and kind in ('archived', 'answered', 'shown', 'dismissed', 'quit', 'abandoned')`);
  return rows[0] ?? { first: null, last: null, archived: 0, answered: 0 };
}

/** Persons with the same values of some properties, and of the same static cohorts. */
type PersonKind = { values: unknown[]; cohorts: number[]; ids: string };

/** Up to this number, only persons of the survey are looked at; with more, looking them up costs more. */
const LOOKED_UP = 50_000;

/** The persons of a survey, and perhaps others of the project, by values of properties and static cohorts. */
export async function selectPersonKinds(
  db: Db,
  { project_id, survey_id }: SurveyScope,
  properties: readonly string[],
  cohorts: readonly number[],
): Promise<PersonKind[]> {
  const counted = await db.execute<{ people: number }>(sql`
    select coalesce(sum(c.n), 0)::float8 as people from survey_counts c where c.project_id = ${project_id}
      and c.survey_id = ${survey_id} and c.kind = 'people' and c.until = 'infinity'`);
  const isFew = (counted.rows[0]?.people ?? 0) <= LOOKED_UP;
  const values = sql.join([...properties.map((name) => sql`p.properties -> ${name}::text`)], sql`, `);
  const memberships = sql`array(select c.cohort_id from cohort_people c
    where c.person_id = p.id and c.cohort_id = any(${sql.param([...cohorts])}::int[]) order by 1)`;
  const { rows } = await db.execute<PersonKind>(sql`
    select values, cohorts, array_agg(id)::text as ids from (
      select p.id, jsonb_build_array(${values}) as values, ${cohorts.length > 0 ? memberships : sql`array[]::int[]`} as cohorts
      from persons p where p.project_id = ${project_id}
        ${isFew ? sql`and p.id in (select d.person_id from survey_person_days d where d.project_id = ${project_id} and d.survey_id = ${survey_id})` : sql``}
    ) people group by 1, 2`);
  return rows;
}

/** The maximum number of responses searched for free texts: the latest ones. */
const LOOKED_THROUGH = 5_000;

/** A choice question, with the keys of its answers, and the texts that are not free texts. */
export type NamedQuestion = { index: number; id: string | null; place: string; choices: readonly string[] };

type OwnText = { text: string; count: number };

/** The answer to a question in a row `r`. */
const answerIn = ({ id, place }: Pick<NamedQuestion, "id" | "place">) =>
  sql`coalesce(r.answers -> ${id}::text, r.answers -> ${place}::text)`;

/** The most frequent free texts in answers to a choice, of the latest responses within a filter. */
export async function selectOwnTexts(
  db: Db,
  scope: SurveyScope,
  filter: Filter,
  question: NamedQuestion,
  limit: number,
): Promise<OwnText[]> {
  const { index, choices } = question;
  const answer = answerIn(question);
  const { rows } = await db.execute<OwnText>(sql`
    select left(btrim(t), 500) as text, count(*)::int as count
    from (
      select r.answers, r.codes from survey_responses r where ${isChosen(scope, filter)}
      order by r.timestamp desc limit ${sql.raw(String(LOOKED_THROUGH))}
    ) r cross join lateral jsonb_array_elements_text(
      case jsonb_typeof(${answer}) when 'array' then ${answer} else jsonb_build_array(${answer}) end) as t(t)
    where 'o' = any(string_to_array(r.codes[${sql.raw(String(index + 1))}], ','))
      and btrim(t) <> '' and btrim(t) <> all(${sql.param([...choices])}::text[])
    group by 1 order by 2 desc, 1 limit ${limit}`);
  return rows;
}

/** Responses by the answer that they give to a question. */
export async function selectAnswers(
  db: Db,
  scope: SurveyScope,
  filter: Filter,
  question: Pick<NamedQuestion, "index" | "id" | "place">,
): Promise<{ value: unknown; n: number }[]> {
  const { rows } = await db.execute<{ value: unknown; n: number }>(sql`
    select ${answerIn(question)} as value, count(*)::int as n from survey_responses r
    where ${isChosen(scope, filter)} and r.codes[${sql.raw(String(question.index + 1))}] <> '' group by 1`);
  return rows;
}

/** Counts responses by free text, for some texts. */
export async function countOwnTexts(
  db: Db,
  scope: SurveyScope,
  filter: Filter,
  question: Pick<NamedQuestion, "index" | "id" | "place">,
  texts: readonly string[],
): Promise<Map<string, number>> {
  const answer = answerIn(question);
  const { rows } = await db.execute<OwnText>(sql`
    select btrim(t) as text, count(distinct r.uuid)::int as count
    from survey_responses r cross join lateral jsonb_array_elements_text(
      case jsonb_typeof(${answer}) when 'array' then ${answer} else jsonb_build_array(${answer}) end) as t(t)
    where ${isChosen(scope, filter)} and 'o' = any(string_to_array(r.codes[${sql.raw(String(question.index + 1))}], ','))
      and btrim(t) = any(${sql.param([...texts])}::text[]) group by 1`);
  return new Map(rows.map(({ text, count }) => [text, count]));
}

/** Runs queries with a statement timeout. @throws the database's cancellation, 57014 */
export async function withStatementTimeout<T>(
  db: Db,
  milliseconds: number,
  read: (tx: Db) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (tx) => {
    // What is counted is mostly in memory, where an index costs hardly more than reading everything.
    await tx.execute(sql`
      select set_config('statement_timeout', ${String(milliseconds)}, true),
        set_config('random_page_cost', '1.1', true), set_config('parallel_setup_cost', '200', true),
        set_config('jit', 'off', true), set_config('work_mem', '64MB', true)`);
    return read(tx);
  });
}

/** Responses that answer both questions, by the codes of their answers. */
export async function selectPairs(
  db: Db,
  scope: SurveyScope,
  filter: Filter,
  first: number,
  second: number,
): Promise<{ a: string; b: string; n: number }[]> {
  const at = (index: number) => sql`r.codes[${sql.raw(String(index + 1))}]`;
  const { rows } = await db.execute<{ a: string; b: string; n: number }>(sql`
    select ${at(first)} as a, ${at(second)} as b, count(*)::int as n from survey_responses r
    where ${isChosen(scope, filter)} and ${at(first)} <> '' and ${at(second)} <> '' group by 1, 2`);
  return rows;
}
