import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { RESPONSE_COLUMNS, type Row } from "#lib/surveys/results/count/responses-store.ts";

type Person = { project_id: number; person_id: number };

/** A page of a person's responses to any survey, newest first, and how many there are. */
export async function selectPersonResponses(
  db: Db,
  { project_id, person_id }: Person,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: (Row & { survey_id: string })[]; count: number }> {
  const where = sql`r.person_id = ${person_id} and r.project_id = ${project_id} and r.latest`;
  const [{ rows }, counted] = await Promise.all([
    db.execute<Row & { survey_id: string }>(sql`
      select ${RESPONSE_COLUMNS}, r.survey_id from survey_responses r where ${where}
      order by r.timestamp desc, r.uuid desc limit ${limit} offset ${offset}`),
    db.execute<{ count: number }>(sql`select count(*)::int as count from survey_responses r where ${where}`),
  ]);
  return { rows, count: counted.rows[0]?.count ?? 0 };
}

/** A survey that a person has seen, and how often what happened. */
export type MetSurvey = {
  id: string;
  shown: number;
  dismissed: number;
  left: number;
  abandoned: number;
  last_day: string;
};

/** The surveys that a person has seen or answered, summed up from their days. */
export async function selectMetSurveys(db: Db, { project_id, person_id }: Person): Promise<MetSurvey[]> {
  const { rows } = await db.execute<MetSurvey>(sql`
    select survey_id as id, sum(shown)::int as shown, sum(dismissed)::int as dismissed, sum(quit)::int as left,
      sum(abandoned)::int as abandoned, max(day)::text as last_day
    from survey_person_days where person_id = ${person_id} and project_id = ${project_id}
    group by survey_id order by max(day) desc, survey_id`);
  return rows;
}
