import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { deleteFailed } from "#lib/platform/jobs/store.ts";
import { countsAcrossSurveys } from "#lib/surveys/results/ingest/across-surveys-store.ts";
import { DURATION_WIDTHS } from "#lib/surveys/results/ingest/durations.ts";
import { type ArrivingEvent, SURVEY_ID_LIMIT } from "#lib/surveys/results/ingest/facts.ts";
import type { SurveyScope } from "#lib/surveys/results/ingest/ingest-store.ts";

/** An event with its cursor. */
export type StoredArrival = { project_id: number; event: ArrivingEvent };
export type Cursor = { at: string; uuid: string };

const LIMIT = sql.raw(String(SURVEY_ID_LIMIT));
const NAMES = sql.raw(`('survey shown', 'survey dismissed', 'survey sent', 'survey abandoned')`);
const SUBMISSION = sql.raw(`case jsonb_typeof(e.properties -> '$survey_submission_id')
  when 'string' then e.properties ->> '$survey_submission_id'
  when 'number' then e.properties ->> '$survey_submission_id' else '' end`);
const ITERATION = sql.raw(`case when jsonb_typeof(e.properties -> '$survey_iteration') in ('string', 'number')
  and e.properties ->> '$survey_iteration' ~ '^[0-9]{1,7}$'
  and (e.properties ->> '$survey_iteration')::int <= 1000000
  then (e.properties ->> '$survey_iteration')::int else 0 end`);
const UTC_DAY = (column: string) => sql.raw(`(${column} at time zone 'UTC')::date`);

/** Facts from events in SQL: an independent second implementation of facts.ts. */
const FACTS = sql`
  select e.project_id, e.properties ->> '$survey_id' as survey_id, e.uuid, e.timestamp, e.distinct_id, d.person_id,
    case when ${SUBMISSION} = '' then e.uuid else md5('submission ' || ${SUBMISSION})::uuid end as key,
    ${ITERATION} as iteration,
    coalesce(e.properties ->> '$survey_completed', '') <> 'false' as completed,
    case e.event when 'survey sent' then null when 'survey shown' then 'shown'
      when 'survey abandoned' then 'abandoned'
      else case when e.properties ->> '$survey_partially_completed' = 'true' then 'quit' else 'dismissed' end
    end as kind
  from events e join person_distinct_ids d using (project_id, distinct_id)
  where e.event in ${NAMES} and jsonb_typeof(e.properties -> '$survey_id') = 'string'
    and e.properties ->> '$survey_id' <> '' and char_length(e.properties ->> '$survey_id') <= ${LIMIT}
    and exists (select from projects p where p.id = e.project_id)`;

const HISTORIES = sql`
  select f.*, a.uuid is not null as archived,
    lead(f.timestamp) over history as next_at, min(f.timestamp) over (partition by f.project_id, f.survey_id, f.key)
      as started_at
  from (${FACTS}) f left join survey_archived_responses a on a.project_id = f.project_id and a.uuid = f.uuid
  where f.kind is null
  window history as (partition by f.project_id, f.survey_id, f.key order by f.timestamp, f.uuid)`;

async function differences(db: Db, query: SQL): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`select count(*)::int as count from (${query}) d`);
  return rows[0]?.count ?? 0;
}

/** How many response states differ from the events, apart from codes and paths. */
export const countStateDifferences = (db: Db): Promise<number> =>
  differences(
    db,
    sql`select 1 from (${HISTORIES}) c full join survey_responses r on r.project_id = c.project_id and r.uuid = c.uuid
      where (c.survey_id, c.key, c.timestamp, c.next_at, c.started_at, c.person_id, c.distinct_id, c.iteration,
          c.completed, c.archived, c.next_at is null)
        is distinct from (r.survey_id, r.key, r.timestamp, r.next_at, r.started_at, r.person_id, r.distinct_id,
          r.iteration, r.completed, r.archived, r.latest)`,
  );

const STATES = sql`
  select r.*, ${UTC_DAY("r.timestamp")} as day, coalesce(${UTC_DAY("r.next_at")}, 'infinity'::date) as until
  from survey_responses r`;

const DAYS = sql`
  select project_id, survey_id, person_id, day, iteration, sum(shown)::int as shown,
    sum(dismissed)::int as dismissed, sum(quit)::int as quit, sum(abandoned)::int as abandoned,
    sum(answering)::int as answering, sum(answered)::int as answered, sum(completed)::int as completed
  from (
    select project_id, survey_id, person_id, ${UTC_DAY("timestamp")} as day, iteration,
      (kind = 'shown')::int as shown, (kind = 'dismissed')::int as dismissed,
      (kind = 'quit')::int as quit, (kind = 'abandoned')::int as abandoned, 0 as answering,
      0 as answered, 0 as completed
    from (${FACTS}) f where kind is not null
    union all
    select project_id, survey_id, person_id, day, iteration, 0, 0, 0, 0, 1, (day <> until)::int,
      (day <> until and completed)::int
    from (${STATES}) l where not archived
  ) did group by 1, 2, 3, 4, 5`;

/** How many person days differ from the events and response states. */
export const countDayDifferences = (db: Db): Promise<number> =>
  differences(
    db,
    sql`select 1 from (${DAYS}) c
      full join survey_person_days s using (project_id, survey_id, person_id, day, iteration)
      where (c.shown, c.dismissed, c.quit, c.abandoned, c.answering, c.answered, c.completed)
        is distinct from (s.shown, s.dismissed, s.quit, s.abandoned, s.answering, s.answered, s.completed)`,
  );

const DAY_END_STATES = sql`select * from (${STATES}) l where not archived and day <> until`;

const SETS = sql`
  ('shown', shown > 0), ('dismissed', dismissed > 0), ('quit', quit > 0), ('answering', answering > 0),
  ('answered', answered > 0), ('completed', completed > 0), ('closed', dismissed > 0 or answering > 0)`;

/** Sets of people by day, each with the next day in the same set. */
const PEOPLE = sql`
  select project_id, survey_id, 'people' as kind, name as item, day,
    coalesce(lead(day) over (partition by project_id, survey_id, name, person_id order by day), 'infinity') as until
  from (
    select distinct d.project_id, d.survey_id, d.person_id, s.name, d.day
    from survey_person_days d cross join lateral (values ${SETS}) as s(name, is_in) where s.is_in
  ) present`;

/** The same across surveys. */
const PEOPLE_ACROSS_SURVEYS = sql`
  select project_id, '' as survey_id, 'people' as kind, name as item, day,
    coalesce(lead(day) over (partition by project_id, name, person_id order by day), 'infinity') as until
  from (
    select distinct d.project_id, d.person_id, s.name, d.day
    from survey_person_days d join survey_people_members m using (project_id, survey_id)
    cross join lateral (values ${SETS}) as s(name, is_in) where s.is_in and ${countsAcrossSurveys}
  ) present`;

const IRREGULAR = sql`
  select project_id, survey_id, key from (
    select l.*, lead(completed) over (partition by project_id, survey_id, key order by timestamp, uuid) as later
    from (${STATES}) l where day <> until
  ) ends group by 1, 2, 3
  having count(*) > 1 and (bool_or(archived) or min(person_id) <> max(person_id)
    or bool_or(completed and not later))`;

/** The rows that add up to counts. */
const COUNTED = sql`
  select project_id, survey_id, 'answered' as kind, '' as item, day, until from (${DAY_END_STATES}) s
  union all select project_id, survey_id, 'completed', '', day, until from (${DAY_END_STATES}) s where completed
  union all select project_id, survey_id, 'iteration', iteration || ':answered', day, until
    from (${DAY_END_STATES}) s where iteration > 0
  union all select project_id, survey_id, 'iteration', iteration || ':completed', day, until
    from (${DAY_END_STATES}) s where iteration > 0 and completed
  union all select project_id, survey_id, 'given', (c.place - 1)::text, day, until
    from (${DAY_END_STATES}) s cross join unnest(s.codes) with ordinality as c(code, place) where c.code <> ''
  union all select project_id, survey_id, 'code', (c.place - 1) || ':' || p.part, day, until
    from (${DAY_END_STATES}) s cross join unnest(s.codes) with ordinality as c(code, place)
    cross join unnest(string_to_array(c.code, ',')) as p(part)
  union all select project_id, survey_id, 'waiting', s.path[cardinality(s.path)]::text, day, until
    from (${DAY_END_STATES}) s where not completed and s.codes[s.path[cardinality(s.path)] + 1] = ''
  union all select project_id, survey_id, 'edge', st.stop || '>' || (array_append(
      s.path::text[], case when s.completed then 'end' else 'left' end))[st.place], day, until
    from (${DAY_END_STATES}) s cross join unnest(array_prepend('start', s.path::text[])) with ordinality as st(stop, place)
    where cardinality(s.path) > 0
  union all select project_id, survey_id, 'archived', '', date '1970-01-01', 'infinity'
    from survey_responses where archived
  union all select project_id, survey_id, kind, '', ${UTC_DAY("timestamp")}, 'infinity'
    from (${FACTS}) f where kind is not null
  union all select project_id, survey_id, 'iteration', iteration || ':' || kind, ${UTC_DAY("timestamp")},
      'infinity'
    from (${FACTS}) f where kind is not null and iteration > 0
  union all select project_id, survey_id, kind, item, day, until from (${PEOPLE}) p
  union all select project_id, survey_id, kind, item, day, until from (${PEOPLE_ACROSS_SURVEYS}) t
  union all select project_id, survey_id, 'irregular', '', date '1970-01-01', 'infinity' from (${IRREGULAR}) i`;

/** How many counts differ from what they count. */
export const countCountDifferences = (db: Db): Promise<number> =>
  differences(
    db,
    sql`select 1 from (
        select project_id, survey_id, kind, item, day, until, count(*) as n from (${COUNTED}) c group by 1, 2, 3, 4, 5, 6
      ) c full join survey_counts s using (project_id, survey_id, kind, item, day, until)
      where c.n is distinct from s.n`,
  );

const WIDTHS = sql.raw(DURATION_WIDTHS.map((width) => `(${width})`).join(", "));

/** Durations by intervals of each width. */
const DURATIONS = sql`
  select project_id, survey_id, w.width::smallint as width, floor(took / w.width)::bigint * w.width as tenths, day,
    until, count(*) as n
  from (
    select s.*, round(extract(epoch from timestamp - started_at) * 10) as took
    from (${DAY_END_STATES}) s where completed and timestamp > started_at
  ) timed cross join (values ${WIDTHS}) as w(width) group by 1, 2, 3, 4, 5, 6`;

/** How many counts of durations differ from the response states. */
export const countDurationDifferences = (db: Db): Promise<number> =>
  differences(
    db,
    sql`select 1 from (${DURATIONS}) c
      full join survey_durations s using (project_id, survey_id, width, tenths, day, until)
      where c.n is distinct from s.n`,
  );

const MOMENTS = sql`
  select project_id, survey_id, kind, ${UTC_DAY("timestamp")} as day, min(timestamp) as first_at,
    max(timestamp) as last_at
  from (${FACTS}) f where kind in ('shown', 'dismissed') group by 1, 2, 3, 4`;

/** How many stored time spans of days differ from the events. */
export const countMomentDifferences = (db: Db): Promise<number> =>
  differences(
    db,
    sql`select 1 from (${MOMENTS}) c full join survey_moments s using (project_id, survey_id, kind, day)
      where (c.first_at, c.last_at) is distinct from (s.first_at, s.last_at)`,
  );

/** All surveys with responses, whether they exist or not. */
export async function selectScopes(db: Db): Promise<SurveyScope[]> {
  const { rows } = await db.execute<SurveyScope>(
    sql`select distinct project_id, survey_id from survey_responses order by 1, 2`,
  );
  return rows;
}

export async function deleteSummaries(tx: Db): Promise<void> {
  for (const table of [
    "survey_responses",
    "survey_person_days",
    "survey_counts",
    "survey_durations",
    "survey_moments",
  ])
    await tx.execute(sql`delete from ${sql.raw(table)}`);
  // Failed recoding is done now.
  await deleteFailed(tx, "surveys.recode");
}

export async function selectProjectIds(db: Db): Promise<number[]> {
  const { rows } = await db.execute<{ id: number }>(sql`select id from projects order by id`);
  return rows.map((row) => row.id);
}

/** Events of one name in order, after a cursor. */
export async function selectArrivals(
  tx: Db,
  projectId: number,
  name: string,
  after: Cursor | null,
  limit: number,
): Promise<{ arrivals: StoredArrival[]; next: Cursor | null }> {
  const from = after
    ? sql`and (e.timestamp, e.uuid) > (${after.at}::timestamptz, ${after.uuid}::uuid)`
    : sql``;
  const { rows } = await tx.execute<ArrivingEvent & { cursor: string }>(sql`
    select e.uuid, e.event, e.distinct_id, (extract(epoch from e.timestamp) * 1000)::float8 as at, e.properties,
      e.timestamp::text as cursor
    from events e where e.project_id = ${projectId} and e.event = ${name} ${from}
    order by e.timestamp, e.uuid limit ${limit}`);
  const last = rows.at(-1);
  return {
    arrivals: rows.map(({ cursor, ...event }) => ({ project_id: projectId, event })),
    next: last && rows.length === limit ? { at: last.cursor, uuid: last.uuid } : null,
  };
}

/** Fills the rollups from stored responses and events. */
export async function fillSummaries(tx: Db): Promise<void> {
  await tx.execute(sql`
    insert into survey_person_days (project_id, survey_id, person_id, day, iteration, shown, dismissed, quit,
      abandoned, answering, answered, completed) select * from (${DAYS}) d`);
  await tx.execute(sql`
    insert into survey_counts (project_id, survey_id, kind, item, day, until, n)
    select project_id, survey_id, kind, item, day, until, count(*) from (${COUNTED}) c group by 1, 2, 3, 4, 5, 6`);
  await tx.execute(sql`
    insert into survey_durations (project_id, survey_id, width, tenths, day, until, n) ${DURATIONS}`);
  await tx.execute(sql`
    insert into survey_moments (project_id, survey_id, kind, day, first_at, last_at) ${MOMENTS}`);
}
