import { and, eq, inArray, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { event_uuids } from "#lib/platform/db/tables/events.ts";

/** Whether any of these events of a project is stored. */
export async function hasEvent(db: Db, projectId: number, uuids: string[]): Promise<boolean> {
  const found = await db
    .select({ uuid: event_uuids.uuid })
    .from(event_uuids)
    .where(and(eq(event_uuids.project_id, projectId), inArray(event_uuids.uuid, uuids)))
    .limit(1);
  return found.length > 0;
}

/** Makes the next answer to the same survey, in any process, wait for the end of this transaction. */
export async function lockAnswers(tx: Db, surveyId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(7294304, hashtext(${surveyId}))`);
}
