import { eq } from "drizzle-orm";
import type { ProjectRow } from "#lib/accounts/directory.ts";
import type { Db } from "#lib/db/connect.ts";
import { projects } from "#lib/db/tables/accounts.ts";
import { group_types } from "#lib/db/tables/events.ts";

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
