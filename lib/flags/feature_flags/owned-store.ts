import { and, eq, inArray, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { feature_flags } from "#lib/platform/db/tables/feature_flags.ts";

export type FlagRow = typeof feature_flags.$inferSelect;
export type FlagInsert = typeof feature_flags.$inferInsert;

/** Locks and returns the live flag with a key. */
export async function lockFlagByKey(tx: Db, projectId: number, key: string): Promise<FlagRow | null> {
  const [row] = await tx
    .select()
    .from(feature_flags)
    .where(
      and(
        eq(feature_flags.project_id, projectId),
        eq(feature_flags.key, key),
        eq(feature_flags.deleted, false),
      ),
    )
    .for("update");
  return row ?? null;
}

export async function lockFlagById(tx: Db, projectId: number, id: number): Promise<FlagRow | null> {
  const [row] = await tx
    .select()
    .from(feature_flags)
    .where(and(eq(feature_flags.project_id, projectId), eq(feature_flags.id, id)))
    .for("update");
  return row ?? null;
}

/** @returns null where the key is taken */
export async function insertFlag(tx: Db, values: FlagInsert): Promise<FlagRow | null> {
  const [row] = await tx.insert(feature_flags).values(values).onConflictDoNothing().returning();
  return row ?? null;
}

export async function writeFlag(
  tx: Db,
  id: number,
  changes: Partial<FlagInsert>,
  by: { user_id: number | null; now: Date },
): Promise<FlagRow> {
  const [row] = await tx
    .update(feature_flags)
    .set({
      ...changes,
      version: sql`${feature_flags.version} + 1`,
      updated_at: by.now,
      last_modified_by_id: by.user_id,
    })
    .where(eq(feature_flags.id, id))
    .returning();
  if (!row) throw new Error(`Flag ${id} vanished while it was locked.`);
  return row;
}

/** Flags by id, locked; of this project alone, deleted ones too. */
export async function lockFlags(
  tx: Db,
  projectId: number,
  ids: (number | null)[],
): Promise<Map<number, FlagRow>> {
  const wanted = ids.filter((id) => id !== null);
  if (wanted.length === 0) return new Map();
  const rows = await tx
    .select()
    .from(feature_flags)
    .where(and(eq(feature_flags.project_id, projectId), inArray(feature_flags.id, wanted)))
    .orderBy(feature_flags.id)
    .for("update");
  return new Map(rows.map((row) => [row.id, row]));
}

/** Deletes flags created by a kind of record; other flags stay. @returns those deleted */
export async function deleteOwnedFlags(tx: Db, ids: number[], creation_context: string): Promise<FlagRow[]> {
  if (ids.length === 0) return [];
  return tx
    .delete(feature_flags)
    .where(and(inArray(feature_flags.id, ids), eq(feature_flags.creation_context, creation_context)))
    .returning();
}
