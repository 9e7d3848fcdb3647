import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { surveys } from "#lib/platform/db/tables/surveys.ts";
import type { EventCounts, SurveyEventName } from "#lib/surveys/results/count/statistics.ts";

/** Bounds, both inclusive. */
export type Bounds = { date_from: Date | null; date_to: Date | null };

const within = ({ date_from, date_to }: Bounds): SQL => {
  const from = date_from ? sql` and e.timestamp >= ${date_from.toISOString()}::timestamptz` : sql``;
  const to = date_to ? sql` and e.timestamp <= ${date_to.toISOString()}::timestamptz` : sql``;
  return sql`${from}${to}`;
};

/** Of several "survey sent" with one submission id, only the latest counts. */
const RESPONSE = sql.raw(
  `distinct on (survey, coalesce('s' || submission, 'e' || uuid::text)) uuid, person, survey, "timestamp"`,
);
const LATEST_FIRST = sql.raw(
  `survey, coalesce('s' || submission, 'e' || uuid::text), "timestamp" desc, uuid desc`,
);
const SURVEY = sql.raw(`e.properties ->> '$survey_id'`);
const SUBMISSION = sql.raw(`nullif(e.properties ->> '$survey_submission_id', '')`);

/** Survey events with their persons; the literal names allow the partial index. */
const scoped = (projectId: number, which: SQL, bounds: Bounds) => sql`
  select e.event, e.uuid, e.timestamp, ${SURVEY} as survey, ${SUBMISSION} as submission,
    coalesce('p' || d.person_id::text, 'd' || e.distinct_id) as person,
    coalesce(e.properties ->> '$survey_partially_completed', '') = 'true' as partial
  from events e
  left join person_distinct_ids d on d.project_id = e.project_id and d.distinct_id = e.distinct_id
  where e.project_id = ${projectId}
    and e.event in ('survey shown', 'survey dismissed', 'survey sent')
    and ${which}${within(bounds)}`;

const ofSurveys = (ids: string[]): SQL =>
  sql`left(${SURVEY}, 36) = any(${sql.param(ids)}::text[]) and ${SURVEY} = any(${sql.param(ids)}::text[])`;

type Row = {
  event: SurveyEventName;
  total: number;
  persons: number;
  first: number | null;
  last: number | null;
  both: number;
};

const NOTHING: EventCounts = { total: 0, persons: 0, first: null, last: null };

/** Counts of the surveys' events, see lib/surveys/results/count/statistics.ts for what counts. */
export async function selectCounts(db: Db, projectId: number, surveyIds: string[], bounds: Bounds) {
  const { rows } = await db.execute<Row>(sql`
    with archived as materialized (
      select uuid from survey_archived_responses where project_id = ${projectId}
        and survey_id = any(${sql.param(surveyIds)}::text[])
    ), scoped as materialized (${scoped(projectId, ofSurveys(surveyIds), bounds)}),
    counted as (
      select event, person, "timestamp" from scoped
        where event = 'survey shown' or (event = 'survey dismissed' and not partial)
      union all
      select 'survey sent', person, "timestamp" from (
        select ${RESPONSE} from scoped where event = 'survey sent' order by ${LATEST_FIRST}
      ) responses where uuid not in (select uuid from archived)
    ),
    both_kinds as (
      select person from scoped where event = 'survey dismissed' and not partial
      intersect
      select person from scoped where event = 'survey sent' and uuid not in (select uuid from archived)
    )
    select event, count(*)::int as total, count(distinct person)::int as persons,
      (extract(epoch from min("timestamp")) * 1000)::float8 as first,
      (extract(epoch from max("timestamp")) * 1000)::float8 as last,
      (select count(*)::int from both_kinds) as both
    from counted group by event`);
  const of = (name: SurveyEventName) => rows.find((row) => row.event === name) ?? NOTHING;
  const counts: Record<SurveyEventName, EventCounts> = {
    "survey shown": of("survey shown"),
    "survey dismissed": of("survey dismissed"),
    "survey sent": of("survey sent"),
  };
  return { counts, both: rows[0]?.both ?? 0 };
}

/** Ids of a project's surveys that are not archived. */
export async function selectLiveIds(db: Db, projectId: number): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from ${surveys} where project_id = ${projectId} and not archived`,
  );
  return rows.map((row) => row.id);
}
