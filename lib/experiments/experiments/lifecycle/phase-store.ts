import { and, asc, eq, gt, inArray } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { activity_log } from "#lib/platform/db/tables/accounts.ts";
import { experiment_phases } from "#lib/platform/db/tables/experiments.ts";

export type PhaseRow = typeof experiment_phases.$inferSelect;

/** Recorded phases of experiments, oldest first. */
export async function selectPhases(db: Db, experimentIds: number[]): Promise<PhaseRow[]> {
  if (experimentIds.length === 0) return [];
  return db
    .select()
    .from(experiment_phases)
    .where(inArray(experiment_phases.experiment_id, experimentIds))
    .orderBy(asc(experiment_phases.experiment_id), asc(experiment_phases.started_at));
}

/** Adds phases; those already recorded are unchanged. */
export async function insertPhases(tx: Db, rows: PhaseRow[]): Promise<void> {
  if (rows.length > 0) await tx.insert(experiment_phases).values(rows).onConflictDoNothing();
}

type Change = { field: string; before: unknown; after: unknown };

/** Logged changes of a flag after a moment, oldest first. */
export async function selectFlagChanges(
  tx: Db,
  projectId: number,
  flagId: number,
  after: Date,
): Promise<{ at: Date; changes: Change[] }[]> {
  const rows = await tx
    .select({ at: activity_log.created_at, detail: activity_log.detail })
    .from(activity_log)
    .where(
      and(
        eq(activity_log.project_id, projectId),
        eq(activity_log.scope, "FeatureFlag"),
        eq(activity_log.item_id, String(flagId)),
        gt(activity_log.created_at, after),
      ),
    )
    .orderBy(asc(activity_log.created_at), asc(activity_log.id));
  return rows.map(({ at, detail }) => ({ at, changes: (detail as { changes?: Change[] }).changes ?? [] }));
}
