import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import type { Answers } from "#lib/surveys/results/ingest/answer-codes.ts";
import type { SurveyScope } from "#lib/surveys/results/ingest/ingest-store.ts";
import {
  admitsRespondent,
  answersSql,
  type Filter,
  isChosen,
  isCountedDay,
  narrowsResponses,
  type PlacedCondition,
  searchSql,
  TOOK,
  withinDays,
} from "./conditions-store.ts";

/** The rows that a figure opens, and their conditions besides the filters. */
export type Opened = {
  event: "answered" | "completed" | "unfinished" | "shown" | "dismissed" | "left" | "abandoned";
  unit: "rows" | "people";
  /** Of these days, both included: the latest event of a response, or the event itself. */
  days: { date_from: string; date_to: string } | null;
  iteration: number | null;
  from: string | null;
  to: string | null;
  /** Of completed responses: the shortest and the longest duration, in tenths of a second. */
  took_from: number | null;
  took_to: number | null;
  figure: readonly PlacedCondition[];
  search: string | null;
  archived: boolean;
  /** Only these responses: those that support a statement. */
  uuids: readonly string[] | null;
};

type Page = { limit: number; offset: number };

/** A response or another event of a survey; moments in milliseconds. */
export type Row = {
  uuid: string;
  event: string;
  at: number;
  distinct_id: string;
  person_id: number;
  iteration: number;
  completed: boolean | null;
  archived: boolean;
  started: number | null;
  path: number[];
  codes: string[];
  answers: Answers;
};

/** The columns of a Row, of responses `r`. */
export const RESPONSE_COLUMNS = sql`r.uuid, 'survey sent' as event, (extract(epoch from r.timestamp) * 1000)::float8 as at,
  r.distinct_id, r.person_id::float8 as person_id, r.iteration, r.completed, r.archived,
  (extract(epoch from r.started_at) * 1000)::float8 as started, r.path, r.codes, r.answers`;

const all = (conditions: readonly SQL[]): SQL => sql.join([...conditions], sql` and `);

/** The step of a path, see `edgesOf`. */
function stepSql(from: string, to: string): SQL {
  const ends = to === "end" || to === "left";
  const last = sql`r.path[cardinality(r.path)]`;
  const completed = to === "end" ? sql`r.completed` : sql`not r.completed`;
  if (from === "start") return ends ? sql`false` : sql`r.path[1] = ${Number(to)}`;
  if (ends) return sql`(${completed} and ${last} = ${Number(from)})`;
  return sql`r.path[array_position(r.path, ${Number(from)}::smallint) + 1] = ${Number(to)}`;
}

/** Which rows of survey_responses match. */
function opensResponse(scope: SurveyScope, filter: Filter, opened: Opened): SQL {
  const { event, days, iteration, from, to, took_from, took_to, figure, search, archived, uuids } = opened;
  if (archived)
    return sql`r.project_id = ${scope.project_id} and r.survey_id = ${scope.survey_id} and r.archived`;
  return all([
    isChosen(scope, filter),
    ...(event === "completed" ? [sql`r.completed`] : []),
    ...(event === "unfinished" ? [sql`not r.completed`] : []),
    ...(days ? [withinDays(sql`r.timestamp`, days)] : []),
    ...(iteration === null ? [] : [sql`r.iteration = ${iteration}`]),
    ...(from !== null && to !== null ? [stepSql(from, to)] : []),
    ...(took_from === null ? [] : [sql`${TOOK} >= ${took_from}`]),
    ...(took_to === null ? [] : [sql`${TOOK} <= ${took_to}`]),
    ...(figure.length > 0 ? [answersSql(figure)] : []),
    ...(search ? [searchSql(search)] : []),
    ...(uuids ? [sql`r.uuid = any(${sql.param([...uuids])}::uuid[])`] : []),
  ]);
}

/** A page of responses, newest first, and how many there are. */
export async function selectResponses(
  db: Db,
  scope: SurveyScope,
  filter: Filter,
  opened: Opened,
  page: Page,
): Promise<{ rows: Row[]; count: number }> {
  const where = opensResponse(scope, filter, opened);
  const source =
    opened.unit === "people"
      ? sql`(select distinct on (r.person_id) r.* from survey_responses r where ${where}
          order by r.person_id, r.timestamp desc, r.uuid desc)`
      : sql`(select r.* from survey_responses r where ${where})`;
  const [{ rows }, counted] = await Promise.all([
    db.execute<Row>(sql`select ${RESPONSE_COLUMNS} from ${source} r
      order by r.timestamp desc, r.uuid desc limit ${page.limit} offset ${page.offset}`),
    db.execute<{ count: number }>(sql`
      select ${opened.unit === "people" ? sql`count(distinct r.person_id)` : sql`count(*)`}::int as count
      from survey_responses r where ${where}`),
  ]);
  return { rows, count: counted.rows[0]?.count ?? 0 };
}

/** Responses after a cursor, newest first: for reading all of them page by page. */
export async function selectResponsesAfter(
  db: Db,
  scope: SurveyScope,
  filter: Filter,
  opened: Opened,
  after: { at: number; uuid: string } | null,
  limit: number,
): Promise<Row[]> {
  const from = after
    ? sql`and (r.timestamp, r.uuid) < (to_timestamp(${after.at}::float8 / 1000), ${after.uuid}::uuid)`
    : sql``;
  const { rows } = await db.execute<Row>(sql`
    select ${RESPONSE_COLUMNS} from survey_responses r where ${opensResponse(scope, filter, opened)} ${from}
    order by r.timestamp desc, r.uuid desc limit ${limit}`);
  return rows;
}

/** One state of a response, archived or not. */
export async function selectResponse(db: Db, scope: SurveyScope, uuid: string): Promise<Row | null> {
  const { rows } = await db.execute<Row>(sql`
    select ${RESPONSE_COLUMNS} from survey_responses r
    where r.project_id = ${scope.project_id} and r.survey_id = ${scope.survey_id} and r.uuid = ${uuid}::uuid`);
  return rows[0] ?? null;
}

/** The key of a response, to read all its states. */
export async function selectKey(db: Db, scope: SurveyScope, uuid: string): Promise<string | null> {
  const { rows } = await db.execute<{ key: string }>(sql`
    select r.key from survey_responses r
    where r.project_id = ${scope.project_id} and r.survey_id = ${scope.survey_id} and r.uuid = ${uuid}::uuid`);
  return rows[0]?.key ?? null;
}

export async function markArchived(
  db: Db,
  scope: SurveyScope,
  uuid: string,
  archived: boolean,
): Promise<void> {
  await db.execute(
    archived
      ? sql`insert into survey_archived_responses (project_id, survey_id, uuid)
          values (${scope.project_id}, ${scope.survey_id}, ${uuid}::uuid) on conflict do nothing`
      : sql`delete from survey_archived_responses where project_id = ${scope.project_id} and uuid = ${uuid}::uuid`,
  );
}

type EventName = Exclude<Opened["event"], "answered" | "completed" | "unfinished">;

const COLUMN_OF: Record<EventName, SQL> = {
  shown: sql`d.shown`,
  dismissed: sql`d.dismissed`,
  left: sql`d.quit`,
  abandoned: sql`d.abandoned`,
};

const PARTIAL = sql`coalesce(e.properties ->> '$survey_partially_completed', '')`;
const ITERATION = sql.raw(`case when jsonb_typeof(e.properties -> '$survey_iteration') in ('string', 'number')
  and e.properties ->> '$survey_iteration' ~ '^[0-9]{1,7}$' then (e.properties ->> '$survey_iteration')::int
  else 0 end`);

/** Survey events of a kind; the literal names allow the partial index. */
function isEvent({ project_id, survey_id }: SurveyScope, name: EventName): SQL {
  const which = {
    shown: sql`e.event = 'survey shown'`,
    dismissed: sql`e.event = 'survey dismissed' and ${PARTIAL} <> 'true'`,
    left: sql`e.event = 'survey dismissed' and ${PARTIAL} = 'true'`,
    abandoned: sql`e.event = 'survey abandoned'`,
  }[name];
  return sql`e.project_id = ${project_id} and ${which}
    and e.event in ('survey shown', 'survey dismissed', 'survey sent', 'survey abandoned')
    and left(e.properties ->> '$survey_id', 36) = left(${survey_id}, 36)
    and e.properties ->> '$survey_id' = ${survey_id}`;
}

const EVENT_COLUMNS = sql`e.uuid, e.event, (extract(epoch from e.timestamp) * 1000)::float8 as at, e.distinct_id,
  i.person_id::float8 as person_id, ${ITERATION} as iteration, null as completed, false as archived,
  null as started, '{}'::smallint[] as path, '{}'::text[] as codes, '{}'::jsonb as answers`;

/** Filters of days and iterations on an event, its figure's included. */
function eventConditions(filter: Filter, { days, iteration }: Pick<Opened, "days" | "iteration">): SQL {
  return all([
    withinDays(sql`e.timestamp`, filter),
    ...(days ? [withinDays(sql`e.timestamp`, days)] : []),
    ...[filter.iteration, iteration].flatMap((one) => (one === null ? [] : [sql`${ITERATION} = ${one}`])),
  ]);
}

/** The person days that a figure of events counts. */
function countedDays(scope: SurveyScope, filter: Filter, { days, iteration }: Opened): SQL {
  return all([
    isCountedDay(scope, filter),
    ...(days ? [sql`d.day between ${days.date_from}::date and ${days.date_to}::date`] : []),
    ...(iteration === null ? [] : [sql`d.iteration = ${iteration}`]),
  ]);
}

/** A page of events (views, dismissals …), newest first; the total is summed up from person days. */
export async function selectEvents(
  db: Db,
  scope: SurveyScope,
  filter: Filter,
  opened: Opened & { event: EventName },
  page: Page,
): Promise<{ rows: Row[]; count: number }> {
  const narrows = filter.persons !== null || narrowsResponses(filter);
  const [{ rows }, counted] = await Promise.all([
    db.execute<Row>(sql`
      select ${EVENT_COLUMNS} from events e
      join person_distinct_ids i on i.project_id = e.project_id and i.distinct_id = e.distinct_id
      where ${isEvent(scope, opened.event)} and ${eventConditions(filter, opened)}
        ${narrows ? sql`and ${admitsRespondent(sql`i.person_id`, scope, filter)}` : sql``}
      order by e.timestamp desc, e.uuid desc limit ${page.limit} offset ${page.offset}`),
    db.execute<{ count: number }>(sql`
      select coalesce(sum(${COLUMN_OF[opened.event]}), 0)::float8 as count from survey_person_days d
      where ${countedDays(scope, filter, opened)}`),
  ]);
  return { rows, count: counted.rows[0]?.count ?? 0 };
}

/**
 * The same by person: the latest event of each. People who dismissed and answered in the same days are
 * excluded.
 */
export async function selectEventPeople(
  db: Db,
  scope: SurveyScope,
  filter: Filter,
  opened: Opened & { event: EventName },
  page: Page,
): Promise<{ rows: Row[]; count: number }> {
  const answered = opened.event === "dismissed" ? sql`and sum(d.answering) = 0` : sql``;
  const people = sql`select d.person_id, max(d.day) filter (where ${COLUMN_OF[opened.event]} > 0) as day
    from survey_person_days d where ${countedDays(scope, filter, opened)}
    group by d.person_id having sum(${COLUMN_OF[opened.event]}) > 0 ${answered}`;
  const [{ rows }, counted] = await Promise.all([
    db.execute<Row>(sql`
      select l.* from (${people} order by day desc, d.person_id desc limit ${page.limit} offset ${page.offset}) p
      cross join lateral (
        select ${EVENT_COLUMNS} from person_distinct_ids i
        join events e on e.project_id = i.project_id and e.distinct_id = i.distinct_id
        where i.person_id = p.person_id and ${isEvent(scope, opened.event)} and ${eventConditions(filter, opened)}
        order by e.timestamp desc, e.uuid desc limit 1) l
      order by p.day desc, p.person_id desc`),
    db.execute<{ count: number }>(sql`select count(*)::int as count from (${people}) p`),
  ]);
  return { rows, count: counted.rows[0]?.count ?? 0 };
}

/** The number of matching responses. */
export async function countResponses(
  db: Db,
  scope: SurveyScope,
  filter: Filter,
  opened: Opened,
): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from survey_responses r where ${opensResponse(scope, filter, opened)}`,
  );
  return rows[0]?.count ?? 0;
}
