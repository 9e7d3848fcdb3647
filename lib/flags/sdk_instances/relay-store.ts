import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import type { sdk_relays } from "#lib/platform/db/tables/sdk_instances.ts";
import { RELAY_SILENT_MS } from "./store.ts";

export type RelayRow = typeof sdk_relays.$inferSelect;

/**
 * Stores that a relay has reported, unless a later report of it is stored: later in the same run, or of a run that began
 * later and goes on.
 *
 * @param more whether a part of the report is still to come: until then it is as of the one before
 * @returns the projects of those that are stored
 */
export async function insertRelays(db: Db, rows: readonly RelayRow[], more: boolean): Promise<number[]> {
  if (rows.length === 0) return [];
  const { rows: stored } = await db.execute<{ project_id: number }>(sql`
    insert into sdk_relays as r (project_id, id, name, version, run_id, run_started_at, sequence, content, problem,
      first_seen_at, reported_at, stopped_at)
    select n.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(project_id int, id text, name text,
      version text, run_id text, run_started_at timestamptz, sequence int, content text, problem text,
      first_seen_at timestamptz, reported_at timestamptz, stopped_at timestamptz)
    where exists (select from projects p where p.id = n.project_id)
    order by n.project_id
    on conflict (project_id, id) do update set
      name = excluded.name, version = excluded.version, run_id = excluded.run_id,
      run_started_at = excluded.run_started_at, sequence = excluded.sequence, content = excluded.content,
      problem = excluded.problem, stopped_at = excluded.stopped_at,
      reported_at = case when ${more} then r.reported_at else excluded.reported_at end
    where case when r.run_id = excluded.run_id then r.sequence < excluded.sequence
      else r.run_started_at < excluded.run_started_at or r.stopped_at is not null
        or r.reported_at + ${RELAY_SILENT_MS}::int * interval '1 millisecond' < excluded.reported_at end
    returning project_id`);
  return stored.map(({ project_id }) => project_id);
}

/** Whether another run of a relay has taken its place in one of some projects. */
export async function isSuperseded(
  db: Db,
  projectIds: readonly number[],
  { id, run_id }: Pick<RelayRow, "id" | "run_id">,
): Promise<boolean> {
  const { rows } = await db.execute(sql`
    select from sdk_relays where project_id = any(${sql.param([...projectIds])}::int[]) and id = ${id}
      and run_id <> ${run_id} limit 1`);
  return rows.length > 0;
}
