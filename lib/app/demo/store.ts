import { and, eq, sql } from "drizzle-orm";
import { markAsDemo } from "#lib/identity/projects/store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { demo_loads, projects } from "#lib/platform/db/tables/accounts.ts";

export type DemoLoadRow = typeof demo_loads.$inferSelect;

/** The demo project of an organization, with its progress. */
export async function selectDemoLoad(db: Db, organizationId: string): Promise<DemoLoadRow | null> {
  const [row] = await db
    .select({ load: demo_loads })
    .from(demo_loads)
    .innerJoin(projects, eq(projects.id, demo_loads.project_id))
    .where(and(eq(projects.organization_id, organizationId), eq(projects.is_demo, true)));
  return row?.load ?? null;
}

export async function insertDemoLoad(tx: Db, projectId: number, at: Date): Promise<void> {
  await markAsDemo(tx, projectId);
  await tx
    .insert(demo_loads)
    .values({ project_id: projectId, state: "running", started_at: at, updated_at: at });
}

export async function updateDemoLoad(
  db: Db,
  projectId: number,
  values: { state: string; percent: number; updated_at: Date },
): Promise<void> {
  await db.update(demo_loads).set(values).where(eq(demo_loads.project_id, projectId));
}

/** One at a time: two clicks must not make two demo projects. */
export async function lockDemo(tx: Db): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(7294303)`);
}
