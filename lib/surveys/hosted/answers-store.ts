import { and, eq, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { survey_responses } from "#lib/platform/db/tables/survey_results.ts";

type Response = { project_id: number; survey_id: string; key: string };

/** Whether a response is stored, finished or not. */
export async function hasResponse(db: Db, { project_id, survey_id, key }: Response): Promise<boolean> {
  const { project_id: project, survey_id: survey, key: keys } = survey_responses;
  const found = await db
    .select({ key: keys })
    .from(survey_responses)
    .where(and(eq(project, project_id), eq(survey, survey_id), eq(keys, key)))
    .limit(1);
  return found.length > 0;
}

/** Makes the next answer to the same survey, in any process, wait for the end of this transaction. */
export async function lockAnswers(tx: Db, surveyId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(7294304, hashtext(${surveyId}))`);
}
