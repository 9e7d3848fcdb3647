import { eq } from "drizzle-orm";
import type { ProjectRow } from "#lib/accounts/directory.ts";
import type { Db } from "#lib/db/connect.ts";
import { projects } from "#lib/db/tables/accounts.ts";

export async function insertProject(db: Db, values: typeof projects.$inferInsert): Promise<ProjectRow> {
  const [row] = await db.insert(projects).values(values).returning();
  if (!row) throw new Error("The project was not written.");
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
