import { and, count, eq, gte, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { survey_responses } from "#lib/platform/db/tables/survey_results.ts";

type Of = { project_id: number; id: string };

/**
 * Counts responses started since a moment, up to a maximum: their last states are no earlier, and are found
 * by time.
 */
async function selectBegun(db: Db, survey: Of, since: Date, most: number): Promise<number> {
  const found = db
    .select({ uuid: survey_responses.uuid })
    .from(survey_responses)
    .where(
      and(
        eq(survey_responses.project_id, survey.project_id),
        eq(survey_responses.survey_id, survey.id),
        eq(survey_responses.latest, true),
        gte(survey_responses.timestamp, since),
        gte(survey_responses.started_at, since),
      ),
    )
    .limit(most)
    .as("found");
  const [row] = await db.select({ count: count() }).from(found);
  return row?.count ?? 0;
}

/**
 * The number of responses of a survey, including unfinished and archived ones: each submission counts once.
 *
 * @param since only those begun from then on; all where null, which reads what is kept and costs the same
 * whatever
 * their number
 * @param most counting stops there, so that it costs no more than the limit it checks
 */
export async function selectResponseCount(
  db: Db,
  survey: Of,
  { since, most }: { since: Date | null; most: number },
): Promise<number> {
  if (since) return selectBegun(db, survey, since, most);
  const of = sql`project_id = ${survey.project_id} and survey_id = ${survey.id}`;
  const { rows } = await db.execute<{ kept: number; archived: number }>(sql`
    select (select coalesce(sum(n), 0) from survey_counts
        where ${of} and kind = 'answered' and item = '' and until = 'infinity')::float8 as kept,
      (select count(*) from survey_archived_responses a
        join survey_responses r using (project_id, uuid) where a.project_id = ${survey.project_id}
          and a.survey_id = ${survey.id} and r.latest)::float8 as archived`);
  return Math.min(most, (rows[0]?.kept ?? 0) + (rows[0]?.archived ?? 0));
}
