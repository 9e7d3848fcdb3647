import { and, eq, inArray, sql } from "drizzle-orm";
import type { Db } from "#lib/db/connect.ts";
import { feature_flags } from "#lib/db/tables/feature_flags.ts";

export type FlagRow = typeof feature_flags.$inferSelect;

/** What a survey decides of a flag that it owns. */
export type OwnedFlag = {
  project_id: number;
  key: string;
  name: string;
  filters: Record<string, unknown>;
  active: boolean;
  created_by_id: number | null;
};

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

/** @returns null where the key is taken */
export async function insertOwnedFlag(tx: Db, flag: OwnedFlag): Promise<FlagRow | null> {
  const [row] = await tx
    .insert(feature_flags)
    .values({ ...flag, last_modified_by_id: flag.created_by_id, creation_context: "surveys" })
    .onConflictDoNothing()
    .returning();
  return row ?? null;
}

export async function updateOwnedFlag(
  tx: Db,
  id: number,
  changes: { filters?: Record<string, unknown>; active?: boolean },
  by: { user_id: number | null; now: Date },
): Promise<FlagRow | null> {
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
  return row ?? null;
}

/** Deletes flags that surveys made; any other flag stays. @returns those deleted */
export async function deleteOwnedFlags(tx: Db, ids: number[]): Promise<FlagRow[]> {
  if (ids.length === 0) return [];
  return tx
    .delete(feature_flags)
    .where(and(inArray(feature_flags.id, ids), eq(feature_flags.creation_context, "surveys")))
    .returning();
}
