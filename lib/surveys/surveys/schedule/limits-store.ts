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
 * Which surveys of a project have at least so many responses, archived ones left out: how many, and the day on which
 * they had.
 */
export async function selectReached(
  db: Db,
  projectId: number,
  surveys: readonly { id: string; responses: number }[],
): Promise<Map<string, { responses: number; since: Date }>> {
  if (surveys.length === 0) return new Map();
  const { rows } = await db.execute<{ id: string; responses: number; since: string }>(sql`
    with wanted as (select * from unnest(${sql.param(surveys.map(({ id }) => id))}::text[],
        ${sql.param(surveys.map(({ responses }) => responses))}::float8[]) as w(id, least)),
      days as (select w.id, w.least, c.day, sum(sum(c.n)) over (partition by w.id order by c.day)::float8 as n
        from wanted w join survey_counts c on c.project_id = ${projectId} and c.survey_id = w.id
          and c.kind = 'answered' and c.item = '' and c.until = 'infinity'
        group by w.id, w.least, c.day)
    select id, max(n) as responses, min(day) filter (where n >= least)::text as since
    from days group by id having max(n) >= max(least)`);
  return new Map(
    rows.map(({ id, responses, since }) => [id, { responses, since: new Date(`${since}T00:00:00Z`) }]),
  );
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
