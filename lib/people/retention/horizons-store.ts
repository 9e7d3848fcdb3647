import { eq, type SQL, sql } from "drizzle-orm";
import { KEPT_EVENTS } from "#lib/identity/projects/event-retention.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { event_horizons } from "#lib/platform/db/tables/events.ts";
import { type Horizons, OTHER_EVENTS } from "./horizons.ts";

/** Up to when events of a project were deleted. */
export async function selectHorizons(db: Db, projectId: number): Promise<Horizons> {
  const rows = await db
    .select({ event: event_horizons.event, before: event_horizons.before })
    .from(event_horizons)
    .where(eq(event_horizons.project_id, projectId));
  return new Map(rows.map(({ event, before }) => [event, before]));
}

/** The same of several projects. */
export async function selectHorizonsOf(db: Db, projectIds: number[]): Promise<Map<number, Horizons>> {
  const { rows } = await db.execute<{ project_id: number; event: string; before: number }>(sql`
    select project_id, event, (extract(epoch from before) * 1000)::float8 as before
    from event_horizons where project_id = any(${sql.param(projectIds)}::int[])`);
  const found = new Map<number, Map<string, Date>>();
  for (const { project_id, event, before } of rows)
    found.set(project_id, (found.get(project_id) ?? new Map()).set(event, new Date(before)));
  return found;
}

const KEPT = sql.raw(KEPT_EVENTS.map((name) => `'${name}'`).join(", "));

/** SQL for the horizon of a project's events of one name; null where there is none. */
export const horizonSql = (
  projectId: SQL,
  event: SQL,
): SQL => sql`(case when ${event} in (${KEPT}) then null else coalesce(
    (select h.before from event_horizons h where h.project_id = ${projectId} and h.event = ${event}),
    (select h.before from event_horizons h where h.project_id = ${projectId} and h.event = ${OTHER_EVENTS})) end)`;

/** Counts events that arrived after others of their time had been deleted; sorted by the caller. */
export async function addRefused(
  tx: Db,
  refused: { project_id: number; event: string; count: number }[],
): Promise<void> {
  await tx.execute(sql`
    update event_horizons h set refused = h.refused + v.count
    from unnest(
      ${sql.param(refused.map((row) => row.project_id))}::int[], ${sql.param(refused.map((row) => row.event))}::text[],
      ${sql.param(refused.map((row) => row.count))}::bigint[]) as v(project_id, event, count)
    where h.project_id = v.project_id and h.event = v.event`);
}
