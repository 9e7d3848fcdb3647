import { eq, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { projects } from "#lib/platform/db/tables/accounts.ts";
import { group_types } from "#lib/platform/db/tables/events.ts";
import type { ProjectRow } from "#lib/platform/http/directory.ts";

/** What most products group people by: flags can be aimed at companies before the first event has named one. */
const FIRST_GROUP_TYPE = "company";

export async function insertProject(db: Db, values: typeof projects.$inferInsert): Promise<ProjectRow> {
  const [row] = await db.insert(projects).values(values).returning();
  if (!row) throw new Error("The project was not written.");
  await db
    .insert(group_types)
    .values({ project_id: row.id, group_type_index: 0, group_type: FIRST_GROUP_TYPE });
  return row;
}

export async function selectProject(db: Db, id: number): Promise<ProjectRow | null> {
  const [row] = await db.select().from(projects).where(eq(projects.id, id));
  return row ?? null;
}

export async function lockProject(db: Db, id: number): Promise<ProjectRow | null> {
  const [row] = await db.select().from(projects).where(eq(projects.id, id)).for("update");
  return row ?? null;
}

export async function updateProject(
  db: Db,
  id: number,
  changes: Partial<typeof projects.$inferInsert>,
): Promise<ProjectRow> {
  const [row] = await db.update(projects).set(changes).where(eq(projects.id, id)).returning();
  if (!row) throw new Error("The project is gone.");
  return row;
}

/** Notes that projects have events. @returns whether that is new */
export async function noteFirstEvents(db: Db, projectIds: number[]): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    update projects set ingested_event = true
    where id = any(${sql.param(projectIds)}::int[]) and not ingested_event`);
  return (rowCount ?? 0) > 0;
}

export type GroupType = { project_id: number; group_type_index: number; group_type: string };

/** Takes an index for a type of group, unless another transaction was first with either. */
export async function insertGroupType(db: Db, type: GroupType): Promise<void> {
  await db.execute(sql`
    insert into group_types (project_id, group_type_index, group_type)
    values (${type.project_id}, ${type.group_type_index}, ${type.group_type}) on conflict do nothing`);
}

/** Marks a project as the one with the demo's data. */
export async function markAsDemo(tx: Db, id: number): Promise<void> {
  await tx.update(projects).set({ is_demo: true }).where(eq(projects.id, id));
}
