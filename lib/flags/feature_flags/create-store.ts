import { sql } from "drizzle-orm";
import { type ActivityInsert, activityOf } from "#lib/activity/store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { notification } from "#lib/platform/db/notify.ts";
import { type dashboards, feature_flags } from "#lib/platform/db/tables/feature_flags.ts";
import type { FlagInsert } from "./store.ts";

/** A flag with all that is written along with it. */
export type NewFlag = {
  flag: FlagInsert;
  /** Its usage dashboard; null for none. */
  dashboard: typeof dashboards.$inferInsert | null;
  /** Its activity entry, but for the id that it gets. */
  entry: ActivityInsert & { created_at: Date };
  topic: string;
};

/**
 * Writes a flag, its dashboard and its activity entry, and notifies other processes: one statement, so that it
 * is one round trip to the database and atomic without a surrounding transaction.
 *
 * @returns null where the key is taken, by a deleted flag too; nothing is written then
 */
export async function insertFlagWhole(
  db: Db,
  { flag, dashboard, entry, topic }: NewFlag,
): Promise<{ id: number; usage_dashboard_id: number | null } | null> {
  const board = dashboard && sql`nextval('dashboards_id_seq')`;
  const insert = db
    .insert(feature_flags)
    .values({ ...flag, usage_dashboard_id: board as never })
    .onConflictDoNothing()
    .returning({ id: feature_flags.id, usage_dashboard_id: feature_flags.usage_dashboard_id });
  const message = sql`json_build_object('project_id', ${flag.project_id}::int, 'ids', json_build_array(flag.id))`;
  const boards = dashboard
    ? sql`, board as (
        insert into dashboards (id, project_id, created_by_id, name, description, creation_mode, tiles)
        select usage_dashboard_id, ${dashboard.project_id}::int, ${dashboard.created_by_id}::int, ${dashboard.name},
          ${dashboard.description}, ${dashboard.creation_mode}, ${JSON.stringify(dashboard.tiles)}::jsonb
        from flag)`
    : sql``;
  const { rows } = await db.execute<{ id: number; usage_dashboard_id: number | null }>(sql`
    with flag as (${insert.getSQL()})${boards}, entry as (${activityOf(entry, "flag")})
    select id, usage_dashboard_id, ${notification(topic, message)} from flag`);
  return rows[0] ? { id: rows[0].id, usage_dashboard_id: rows[0].usage_dashboard_id } : null;
}
