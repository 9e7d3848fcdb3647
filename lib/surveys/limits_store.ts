import { and, count, eq, gte } from "drizzle-orm";
import type { Db } from "#lib/db/connect.ts";
import { survey_responses } from "#lib/db/tables/survey_results.ts";

/**
 * How many responses a survey has, unfinished ones too: each submission counts once.
 *
 * @param since only those begun from then on; all where null
 * @param most counting stops there, so that it never costs more than the limit that it is for
 */
export async function selectResponseCount(
  db: Db,
  survey: { project_id: number; id: string },
  { since, most }: { since: Date | null; most: number },
): Promise<number> {
  const found = db
    .select({ uuid: survey_responses.uuid })
    .from(survey_responses)
    .where(
      and(
        eq(survey_responses.project_id, survey.project_id),
        eq(survey_responses.survey_id, survey.id),
        eq(survey_responses.latest, true),
        since ? gte(survey_responses.started_at, since) : undefined,
      ),
    )
    .limit(most)
    .as("found");
  const [row] = await db.select({ count: count() }).from(found);
  return row?.count ?? 0;
}
