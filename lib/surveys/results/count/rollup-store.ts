import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import type { SurveyScope } from "#lib/surveys/results/ingest/ingest-store.ts";
import type { Days } from "./results-store.ts";

/** First and last moment of something, in milliseconds; null if there is none. */
export type Span = { first: number | null; last: number | null };

const MOMENTS = sql`(extract(epoch from min(first_at)) * 1000)::float8 as first,
  (extract(epoch from max(last_at)) * 1000)::float8 as last`;

/** First and last event of a kind within some days. */
export async function selectMoments(
  db: Db,
  { project_id, survey_id }: SurveyScope,
  kind: "shown" | "dismissed",
  { date_from, date_to }: Days,
): Promise<Span> {
  const { rows } = await db.execute<Span>(sql`
    select ${MOMENTS} from survey_moments where project_id = ${project_id} and survey_id = ${survey_id}
      and kind = ${kind} and day >= ${date_from ?? "1970-01-01"}::date
      ${date_to === null ? sql`` : sql`and day <= ${date_to}::date`}`);
  return rows[0] ?? { first: null, last: null };
}

/**
 * First and last response within some days: each is looked up at the end of an index, on the one day that has
 * it.
 */
export async function selectResponseMoments(
  db: Db,
  { project_id, survey_id }: SurveyScope,
  { date_from, date_to }: Days,
): Promise<Span> {
  const of = sql`project_id = ${project_id} and survey_id = ${survey_id}`;
  const end =
    date_to === null ? sql`'infinity'::timestamptz` : sql`((${date_to}::date + 1) at time zone 'UTC')`;
  const on = (day: string) => sql`
    from survey_responses r, days where r.project_id = ${project_id} and r.survey_id = ${survey_id} and not r.archived
      and r.timestamp >= (days.${sql.raw(day)} at time zone 'UTC')
      and r.timestamp < ((days.${sql.raw(day)} + 1) at time zone 'UTC')
      and (r.latest or r.next_at >= ${end})`;
  const { rows } = await db.execute<Span>(sql`
    with days as materialized (
      select min(day) as first, max(day) as last from survey_counts where ${of} and kind = 'answered' and item = ''
        and day >= ${date_from ?? "1970-01-01"}::date
        and ${date_to === null ? sql`until = 'infinity'` : sql`day <= ${date_to}::date and until > ${date_to}::date`}
    )
    select (select (extract(epoch from r.timestamp) * 1000)::float8 ${on("first")} order by r.timestamp limit 1) as first,
      (select (extract(epoch from r.timestamp) * 1000)::float8 ${on("last")} order by r.timestamp desc limit 1) as last`);
  return rows[0] ?? { first: null, last: null };
}

/**
 * Responses since a moment by survey, excluding archived ones: whole days from counts, the first one's rest
 * from rows.
 */
export async function selectAnsweredSince(
  db: Db,
  projectId: number,
  since: Date,
): Promise<{ survey: string; count: number }[]> {
  const at = sql`${since.toISOString()}::timestamptz`;
  const day = sql`(${at} at time zone 'UTC')::date`;
  const { rows } = await db.execute<{ survey: string; count: number }>(sql`
    select survey, sum(n)::float8 as count from (
      select survey_id as survey, n from survey_counts where project_id = ${projectId} and kind = 'answered'
        and item = '' and until = 'infinity' and day > ${day}
      union all
      select r.survey_id, count(*) from survey_counts c join survey_responses r
        on r.project_id = c.project_id and r.survey_id = c.survey_id and r.latest and not r.archived
          and r.timestamp >= ${at} and r.timestamp < ((${day} + 1) at time zone 'UTC')
      where c.project_id = ${projectId} and c.kind = 'answered' and c.item = '' and c.until = 'infinity'
        and c.day = ${day} group by 1
    ) parts group by survey order by survey`);
  return rows;
}

type People = { shown: number; dismissed: number; answered: number; both: number };

/** Distinct persons across several surveys. */
export async function selectPeopleOf(
  db: Db,
  projectId: number,
  surveyIds: readonly string[],
  { date_from, date_to }: Days,
): Promise<People> {
  const { rows } = await db.execute<People>(sql`
    select count(*) filter (where shown)::int as shown, count(*) filter (where dismissed)::int as dismissed,
      count(*) filter (where answered)::int as answered,
      count(*) filter (where dismissed and answering)::int as both
    from (
      select person_id, bool_or(shown > 0) as shown, bool_or(dismissed > 0) as dismissed,
        bool_or(answered > 0) as answered, bool_or(answering > 0) as answering
      from survey_person_days where project_id = ${projectId} and survey_id = any(${sql.param([...surveyIds])}::text[])
        and day >= ${date_from ?? "1970-01-01"}::date
        ${date_to === null ? sql`` : sql`and day <= ${date_to}::date`}
      group by person_id) people`);
  return rows[0] ?? { shown: 0, dismissed: 0, answered: 0, both: 0 };
}
