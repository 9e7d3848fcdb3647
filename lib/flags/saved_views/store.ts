import { and, asc, count, eq, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { deepErrorCode } from "#lib/platform/db/errors.ts";
import { saved_views as views } from "#lib/platform/db/tables/feature_flags.ts";

export type SavedViewRow = typeof views.$inferSelect;

const oneOf = (projectId: number, id: number) => and(eq(views.project_id, projectId), eq(views.id, id));

/** The views of a project, by name. */
export const selectSavedViews = (db: Db, projectId: number): Promise<SavedViewRow[]> =>
  db
    .select()
    .from(views)
    .where(eq(views.project_id, projectId))
    .orderBy(asc(sql`lower(${views.name})`));

export async function countSavedViews(db: Db, projectId: number): Promise<number> {
  const [found] = await db.select({ total: count() }).from(views).where(eq(views.project_id, projectId));
  return found?.total ?? 0;
}

export async function selectSavedView(db: Db, projectId: number, id: number): Promise<SavedViewRow | null> {
  const [row] = await db.select().from(views).where(oneOf(projectId, id));
  return row ?? null;
}

/** @returns the view; null where the project has one of this name */
export async function insertSavedView(
  db: Db,
  values: typeof views.$inferInsert,
): Promise<SavedViewRow | null> {
  const [row] = await db.insert(views).values(values).onConflictDoNothing().returning();
  return row ?? null;
}

const UNIQUE_VIOLATION = "23505";

/** @returns the view as it is now; null where there is none, "taken" where another one has this name */
export async function updateSavedView(
  db: Db,
  { project_id, id }: { project_id: number; id: number },
  values: Partial<typeof views.$inferInsert>,
): Promise<SavedViewRow | "taken" | null> {
  try {
    const [row] = await db.update(views).set(values).where(oneOf(project_id, id)).returning();
    return row ?? null;
  } catch (error) {
    if (deepErrorCode(error) === UNIQUE_VIOLATION) return "taken";
    throw error;
  }
}

/** @returns whether there was one */
export async function deleteSavedView(db: Db, projectId: number, id: number): Promise<boolean> {
  const { rowCount } = await db.delete(views).where(oneOf(projectId, id));
  return (rowCount ?? 0) > 0;
}
