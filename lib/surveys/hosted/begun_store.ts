import { and, eq, inArray } from "drizzle-orm";
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
