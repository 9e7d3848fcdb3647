import { and, eq, inArray, sql } from "drizzle-orm";
import type { Db } from "#lib/db/connect.ts";
import { event_uuids } from "#lib/db/tables/events.ts";

/** Whether any of these events of a project is stored. */
export async function hasEvent(db: Db, projectId: number, uuids: string[]): Promise<boolean> {
  const found = await db
    .select({ uuid: event_uuids.uuid })
    .from(event_uuids)
    .where(and(eq(event_uuids.project_id, projectId), inArray(event_uuids.uuid, uuids)))
    .limit(1);
  return found.length > 0;
}

/** Whoever answers the same survey next, in any process, waits for the end of this transaction. */
export async function lockAnswers(tx: Db, surveyId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(7294304, hashtext(${surveyId}))`);
}
