import { and, eq, inArray } from "drizzle-orm";
import type { Db } from "#lib/db/connect.ts";
import { feature_flags } from "#lib/db/tables/feature_flags.ts";

export type FlagRow = typeof feature_flags.$inferSelect;

/** Rows of a project, deleted ones included; `ids` null: all of them. */
export async function selectFlags(db: Db, projectId: number, ids: number[] | null): Promise<FlagRow[]> {
  const mine = eq(feature_flags.project_id, projectId);
  return db
    .select()
    .from(feature_flags)
    .where(ids ? and(mine, inArray(feature_flags.id, ids)) : mine);
}
