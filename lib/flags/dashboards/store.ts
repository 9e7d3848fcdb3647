import { and, count, desc, eq, inArray, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { descending } from "#lib/platform/db/descending.ts";
import { type DashboardTile, dashboards } from "#lib/platform/db/tables/feature_flags.ts";

export type DashboardRow = typeof dashboards.$inferSelect;
export type { DashboardTile };

export async function insertDashboard(db: Db, values: typeof dashboards.$inferInsert): Promise<DashboardRow> {
  const [row] = await db.insert(dashboards).values(values).returning();
  if (!row) throw new Error("The dashboard was not written.");
  return row;
}

/** Locks the row, so that tiles are never changed concurrently. */
export async function lockDashboard(db: Db, id: number): Promise<DashboardRow | null> {
  const [row] = await db.select().from(dashboards).where(eq(dashboards.id, id)).for("update");
  return row ?? null;
}

/** Locks the dashboards of a project with a tile about a flag, in the order of their ids. */
export async function lockDashboardsOfFlag(db: Db, projectId: number, key: string): Promise<DashboardRow[]> {
  const about = JSON.stringify([{ query: { feature_flag_key: key } }]);
  return db
    .select()
    .from(dashboards)
    .where(and(eq(dashboards.project_id, projectId), sql`${dashboards.tiles} @> ${about}::jsonb`))
    .orderBy(dashboards.id)
    .for("update");
}

export async function updateDashboard(
  db: Db,
  id: number,
  changes: Partial<typeof dashboards.$inferInsert>,
): Promise<void> {
  await db.update(dashboards).set(changes).where(eq(dashboards.id, id));
}

export async function selectDashboards(db: Db, projectId: number, page: { limit: number; offset: number }) {
  const where = and(eq(dashboards.project_id, projectId), eq(dashboards.deleted, false));
  const [rows, [total]] = await Promise.all([
    db
      .select()
      .from(dashboards)
      .where(where)
      .orderBy(descending(dashboards.created_at), desc(dashboards.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ count: count() }).from(dashboards).where(where),
  ]);
  return { rows, count: total?.count ?? 0 };
}

export async function selectDashboard(db: Db, projectId: number, id: number): Promise<DashboardRow | null> {
  const [row] = await db
    .select()
    .from(dashboards)
    .where(and(eq(dashboards.project_id, projectId), eq(dashboards.id, id)));
  return row ?? null;
}

/** Those of the ids that are live dashboards of the project. */
export async function selectDashboardIds(db: Db, projectId: number, ids: number[]): Promise<Set<number>> {
  const rows = await db
    .select({ id: dashboards.id })
    .from(dashboards)
    .where(
      and(eq(dashboards.project_id, projectId), eq(dashboards.deleted, false), inArray(dashboards.id, ids)),
    );
  return new Set(rows.map((row) => row.id));
}
