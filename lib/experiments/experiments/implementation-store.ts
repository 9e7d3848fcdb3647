import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";

/** Number of events sampled per name. */
const SAMPLE = 20;

/**
 * Whether any of the newest events of one name carries the value of a flag.
 *
 * @param event null: events of every name
 */
export async function hasFlagValues(
  db: Db,
  projectId: number,
  event: string | null,
  since: Date,
): Promise<boolean> {
  const named = event === null ? sql`` : sql`and event = ${event}`;
  const { rows } = await db.execute<{ found: boolean }>(sql`
    select coalesce(bool_or(properties::text like '%$feature/%'), false) as found from (
      select properties from events
      where project_id = ${projectId} ${named} and timestamp >= ${since.toISOString()}::timestamptz
      order by timestamp desc limit ${SAMPLE}) as sample`);
  return rows[0]?.found === true;
}
