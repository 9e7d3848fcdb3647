import { and, count, desc, eq, gte, inArray, isNull, or, sql } from "drizzle-orm";
import type { Before, Observations } from "#lib/engines/statistics/ramps/types.ts";
import type { ExperimentMetric } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { feature_flags } from "#lib/platform/db/tables/feature_flags.ts";
import { ramps, ramp_runs as runs } from "#lib/platform/db/tables/ramps.ts";
import type { Ramp, RampCost, RampReason } from "./schema.ts";

/** A plan as it is stored. */
export type StoredPlan = Pick<Ramp, "steps" | "alpha"> & {
  guardrails: (Omit<Ramp["guardrails"][number], "metric"> & { metric: ExperimentMetric })[];
};

export type RampRow = Omit<typeof ramps.$inferSelect, "plan" | "before" | "reason" | "cost"> & {
  plan: StoredPlan;
  before: Before;
  reason: RampReason | null;
  cost: RampCost | null;
};
export type RunRow = Omit<typeof runs.$inferSelect, "observed"> & { observed: Observations | null };

type RampValues = Partial<typeof ramps.$inferInsert>;
type RunValues = Partial<typeof runs.$inferInsert>;

const ramp = (row: typeof ramps.$inferSelect) => row as unknown as RampRow;
const run = (row: typeof runs.$inferSelect) => row as unknown as RunRow;

/** The ramps of a project, or of one of its flags, newest first. */
export async function selectRamps(
  db: Db,
  { project_id, flag_id }: { project_id: number; flag_id: number | null },
  page: { limit: number; offset: number },
): Promise<{ rows: RampRow[]; total: number }> {
  const where = and(
    eq(ramps.project_id, project_id),
    flag_id === null ? undefined : eq(ramps.flag_id, flag_id),
  );
  const rows = await db
    .select()
    .from(ramps)
    .where(where)
    .orderBy(desc(ramps.id))
    .limit(page.limit)
    .offset(page.offset);
  const [found] = await db.select({ total: count() }).from(ramps).where(where);
  return { rows: rows.map(ramp), total: found?.total ?? 0 };
}

export async function selectRamp(db: Db, id: number): Promise<RampRow | null> {
  const [row] = await db.select().from(ramps).where(eq(ramps.id, id));
  return row ? ramp(row) : null;
}

/** The same, locked until the transaction ends. */
export async function lockRamp(tx: Db, id: number): Promise<RampRow | null> {
  const [row] = await tx.select().from(ramps).where(eq(ramps.id, id)).for("update");
  return row ? ramp(row) : null;
}

/** The ramps that have not ended, of one project or of all. */
export async function selectUnfinished(db: Db, projectId: number | null): Promise<RampRow[]> {
  const where = and(isNull(ramps.ended_at), projectId === null ? undefined : eq(ramps.project_id, projectId));
  return (await db.select().from(ramps).where(where).orderBy(ramps.id)).map(ramp);
}

/** The ramps of a project that have not ended, and those that were rolled back since a moment; newest first. */
export async function selectUnfinishedOrRolledBack(
  db: Db,
  { project_id, since, limit }: { project_id: number; since: Date; limit: number },
): Promise<RampRow[]> {
  const rows = await db
    .select()
    .from(ramps)
    .where(
      and(
        eq(ramps.project_id, project_id),
        or(isNull(ramps.ended_at), and(eq(ramps.status, "rolled_back"), gte(ramps.ended_at, since))),
      ),
    )
    .orderBy(desc(ramps.id))
    .limit(limit);
  return rows.map(ramp);
}

/** @returns null where the flag has one that has not ended */
export async function insertRamp(tx: Db, values: typeof ramps.$inferInsert): Promise<RampRow | null> {
  const [row] = await tx.insert(ramps).values(values).onConflictDoNothing().returning();
  return row ? ramp(row) : null;
}

export async function updateRamp(tx: Db, id: number, values: RampValues): Promise<RampRow> {
  const [row] = await tx.update(ramps).set(values).where(eq(ramps.id, id)).returning();
  if (!row) throw new Error(`Ramp ${id} vanished while it was locked.`);
  return ramp(row);
}

/** The runs of some ramps, oldest first. */
export async function selectRuns(db: Db, rampIds: readonly number[]): Promise<RunRow[]> {
  if (rampIds.length === 0) return [];
  const rows = await db
    .select()
    .from(runs)
    .where(inArray(runs.ramp_id, [...rampIds]))
    .orderBy(runs.ramp_id, runs.run);
  return rows.map(run);
}

const isRun = ({ id, run: number }: Pick<RampRow, "id" | "run">) =>
  and(eq(runs.ramp_id, id), eq(runs.run, number));

/** The latest run of a ramp. */
export async function selectRun(db: Db, of: Pick<RampRow, "id" | "run">): Promise<RunRow> {
  const [row] = await db.select().from(runs).where(isRun(of));
  if (!row) throw new Error(`Run ${of.run} of ramp ${of.id} is not stored.`);
  return run(row);
}

/** The same, locked until the transaction ends. */
export async function lockRun(tx: Db, of: Pick<RampRow, "id" | "run">): Promise<RunRow> {
  const [row] = await tx.select().from(runs).where(isRun(of)).for("update");
  if (!row) throw new Error(`Run ${of.run} of ramp ${of.id} is not stored.`);
  return run(row);
}

export async function insertRun(tx: Db, values: typeof runs.$inferInsert): Promise<void> {
  await tx.insert(runs).values(values);
}

export async function updateRun(tx: Db, of: Pick<RampRow, "id" | "run">, values: RunValues): Promise<void> {
  await tx.update(runs).set(values).where(isRun(of));
}

/** The keys of some flags. */
export async function selectFlagKeys(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: feature_flags.id, key: feature_flags.key })
    .from(feature_flags)
    .where(inArray(feature_flags.id, [...ids]));
  return new Map(rows.map(({ id, key }) => [id, key]));
}

/** Flags that are on and have conditions for being rolled back. */
export async function selectGuardedFlags(db: Db): Promise<{ id: number; project_id: number }[]> {
  return db
    .select({ id: feature_flags.id, project_id: feature_flags.project_id })
    .from(feature_flags)
    .where(
      and(
        eq(feature_flags.active, true),
        eq(feature_flags.deleted, false),
        sql`json_typeof(${feature_flags.rollback_conditions}) = 'array'`,
        sql`json_array_length(${feature_flags.rollback_conditions}) > 0`,
      ),
    )
    .orderBy(feature_flags.id);
}
