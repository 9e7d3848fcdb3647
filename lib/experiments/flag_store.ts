import { and, eq, sql } from "drizzle-orm";
import type { Db } from "#lib/db/connect.ts";
import { experiments } from "#lib/db/tables/experiments.ts";
import { feature_flags } from "#lib/db/tables/feature_flags.ts";

export type FlagRow = typeof feature_flags.$inferSelect;
export type FlagInsert = typeof feature_flags.$inferInsert;

/** The flag that a key names and nobody has deleted, locked. */
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

/** Flags of the live experiments that a holdout keeps people out of, each once, in the order of their ids. */
export async function selectFlagIdsOfHoldout(tx: Db, holdoutId: number): Promise<number[]> {
  const rows = await tx
    .selectDistinct({ id: experiments.feature_flag_id })
    .from(experiments)
    .where(and(eq(experiments.holdout_id, holdoutId), eq(experiments.deleted, false)))
    .orderBy(experiments.feature_flag_id);
  return rows.map(({ id }) => id);
}
