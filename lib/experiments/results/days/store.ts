import { and, asc, count, desc, eq, gt, inArray, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { storedExperiment } from "#lib/experiments/experiments/schema.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { users } from "#lib/platform/db/tables/accounts.ts";
import {
  experiment_days,
  experiment_looks,
  experiment_series,
  experiment_states,
} from "#lib/platform/db/tables/experiment_results.ts";
import { experiments } from "#lib/platform/db/tables/experiments.ts";
import { readStored } from "#lib/platform/http/stored-schema.ts";

export type StateRow = typeof experiment_states.$inferSelect;
export type SeriesRow = typeof experiment_series.$inferSelect;
export type DayRow = typeof experiment_days.$inferSelect;

/** Makes the row that says how far an experiment is, so that it can be locked. */
export async function ensureState(db: Db, experimentId: number, projectId: number): Promise<void> {
  const epoch = new Date(0);
  await db
    .insert(experiment_states)
    .values({
      experiment_id: experimentId,
      project_id: projectId,
      definition: "",
      cut_at: epoch,
      updated_at: epoch,
    })
    .onConflictDoNothing();
}

export async function selectState(db: Db, experimentId: number): Promise<StateRow | null> {
  const [row] = await db
    .select()
    .from(experiment_states)
    .where(eq(experiment_states.experiment_id, experimentId));
  return row ?? null;
}

/**
 * Locks several, so that no other process updates the experiments until the transaction ends.
 *
 * @param waits whether to wait for locked ones, or to skip them
 */
export async function lockStates(
  tx: Db,
  experimentIds: number[],
  { waits = true } = {},
): Promise<StateRow[]> {
  return tx
    .select()
    .from(experiment_states)
    .where(inArray(experiment_states.experiment_id, experimentIds))
    .orderBy(asc(experiment_states.experiment_id))
    .for("update", waits ? {} : { skipLocked: true });
}

export async function updateState(
  tx: Db,
  experimentId: number,
  values: Pick<StateRow, "definition" | "seen" | "cut_at" | "width" | "updated_at" | "sealed">,
): Promise<void> {
  await tx.update(experiment_states).set(values).where(eq(experiment_states.experiment_id, experimentId));
}

/** Keeps the figures of an experiment from being computed again. */
export async function sealState(db: Db, experimentId: number): Promise<void> {
  await db
    .update(experiment_states)
    .set({ sealed: true })
    .where(eq(experiment_states.experiment_id, experimentId));
}

/** Experiments of a project that have started and are not sealed, deleted ones among them. */
export async function selectUnsealed(db: Db, projectId: number, now: Date) {
  const rows = await db
    .select({ experiment: experiments })
    .from(experiments)
    .leftJoin(experiment_states, eq(experiment_states.experiment_id, experiments.id))
    .where(
      and(
        eq(experiments.project_id, projectId),
        lte(experiments.start_date, now),
        or(isNull(experiment_states.sealed), eq(experiment_states.sealed, false)),
      ),
    )
    .orderBy(asc(experiments.id));
  return rows.map(({ experiment }) => readStored(storedExperiment, experiment));
}

export async function selectSeries(db: Db, experimentId: number): Promise<SeriesRow[]> {
  return db
    .select()
    .from(experiment_series)
    .where(eq(experiment_series.experiment_id, experimentId))
    .orderBy(asc(experiment_series.id));
}

export async function selectOneSeries(
  db: Db,
  key: Pick<SeriesRow, "experiment_id" | "metric_uuid" | "fingerprint">,
): Promise<SeriesRow | null> {
  const [row] = await db
    .select()
    .from(experiment_series)
    .where(
      and(
        eq(experiment_series.experiment_id, key.experiment_id),
        eq(experiment_series.metric_uuid, key.metric_uuid),
        eq(experiment_series.fingerprint, key.fingerprint),
      ),
    );
  return row ?? null;
}

export async function insertSeries(
  tx: Db,
  rows: Pick<SeriesRow, "experiment_id" | "metric_uuid" | "fingerprint" | "metric">[],
): Promise<void> {
  if (rows.length > 0) await tx.insert(experiment_series).values(rows).onConflictDoNothing();
}

export async function updateSeries(tx: Db, ids: number[], values: Partial<SeriesRow>): Promise<void> {
  if (ids.length > 0)
    await tx.update(experiment_series).set(values).where(inArray(experiment_series.id, ids));
}

/** Recorded days, oldest first. */
export async function selectDays(db: Db, seriesId: number): Promise<DayRow[]> {
  return db
    .select()
    .from(experiment_days)
    .where(eq(experiment_days.series_id, seriesId))
    .orderBy(asc(experiment_days.day));
}

/** Days of series that are recorded as completed. */
export async function selectDayNames(
  db: Db,
  series: number[],
): Promise<{ series_id: number; day: string }[]> {
  if (series.length === 0) return [];
  return db
    .select({ series_id: experiment_days.series_id, day: experiment_days.day })
    .from(experiment_days)
    .where(and(inArray(experiment_days.series_id, series), eq(experiment_days.state, "completed")));
}

/** Days of an experiment that are recorded with figures of a moment after `since`. */
export async function selectDaysAfter(db: Db, experimentId: number, since: Date) {
  return db
    .select({
      series_id: experiment_days.series_id,
      day: experiment_days.day,
      query_to: experiment_days.query_to,
    })
    .from(experiment_days)
    .innerJoin(experiment_series, eq(experiment_series.id, experiment_days.series_id))
    .where(
      and(
        eq(experiment_series.experiment_id, experimentId),
        eq(experiment_days.state, "completed"),
        gt(experiment_days.query_to, since),
      ),
    );
}

/** Records days; what was recorded of them before is replaced. */
export async function writeDays(tx: Db, rows: (typeof experiment_days.$inferInsert)[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insert(experiment_days)
    .values(rows)
    .onConflictDoUpdate({
      target: [experiment_days.series_id, experiment_days.day],
      set: {
        state: sql`excluded.state`,
        query_to: sql`excluded.query_to`,
        result: sql`excluded.result`,
        error: sql`excluded.error`,
        completed_at: sql`excluded.completed_at`,
      },
    });
}

/** Records a failure, unless the day has a result. */
export async function writeFailure(
  tx: Db,
  row: Pick<DayRow, "series_id" | "day" | "query_to" | "error" | "completed_at">,
): Promise<void> {
  await tx
    .insert(experiment_days)
    .values({ ...row, state: "failed", result: null })
    .onConflictDoUpdate({
      target: [experiment_days.series_id, experiment_days.day],
      set: { error: row.error, completed_at: row.completed_at },
      setWhere: eq(experiment_days.state, "failed"),
    });
}

export async function clearDays(tx: Db, seriesId: number): Promise<void> {
  await tx.delete(experiment_days).where(eq(experiment_days.series_id, seriesId));
}

export async function selectExperimentRow(db: Db, id: number) {
  const [row] = await db.select().from(experiments).where(eq(experiments.id, id));
  return row ? readStored(storedExperiment, row) : null;
}

/** How long after an experiment's end conversions may still come in, at the most. */
const TAIL_DAYS = 120;

/** Experiments that run, or ended so lately that conversion windows may be open. */
export async function selectRunning(db: Db, now: Date) {
  const tail = new Date(now.getTime() - TAIL_DAYS * 86_400_000);
  const rows = await db
    .select()
    .from(experiments)
    .where(
      and(
        eq(experiments.deleted, false),
        lte(experiments.start_date, now),
        or(isNull(experiments.end_date), gt(experiments.end_date, tail)),
      ),
    )
    .orderBy(asc(experiments.id));
  return rows.map((row) => readStored(storedExperiment, row));
}

export type LookRow = typeof experiment_looks.$inferSelect & {
  user: { id: number; first_name: string; email: string } | null;
};

const LOOKS_READ = 1_000;

/** The last looks at an experiment, oldest first, and how many there were. */
export async function selectLooks(db: Db, experimentId: number): Promise<{ rows: LookRow[]; count: number }> {
  const of = eq(experiment_looks.experiment_id, experimentId);
  const [rows, [total]] = await Promise.all([
    db
      .select({
        look: experiment_looks,
        user: { id: users.id, first_name: users.first_name, email: users.email },
      })
      .from(experiment_looks)
      .leftJoin(users, eq(users.id, experiment_looks.user_id))
      .where(of)
      .orderBy(desc(experiment_looks.id))
      .limit(LOOKS_READ),
    db.select({ count: count() }).from(experiment_looks).where(of),
  ]);
  return { rows: rows.map(({ look, user }) => ({ ...look, user })).reverse(), count: total?.count ?? 0 };
}

type Look = typeof experiment_looks.$inferSelect;

/** The looks of one person: the one at these exposures, the last one, and how many there are. */
export async function selectLooksOf(
  tx: Db,
  experimentId: number,
  userId: number,
  exposures: Record<string, number>,
): Promise<{ same: Look | null; last: Look | null; count: number }> {
  const mine = and(eq(experiment_looks.experiment_id, experimentId), eq(experiment_looks.user_id, userId));
  const alike = sql`${experiment_looks.exposures}::text = ${JSON.stringify(exposures)}`;
  const select = (where: SQL | undefined) =>
    tx.select().from(experiment_looks).where(where).orderBy(desc(experiment_looks.id)).limit(1);
  const [same] = await select(and(mine, alike));
  const [last] = await select(mine);
  const [total] = await tx.select({ count: count() }).from(experiment_looks).where(mine);
  return { same: same ?? null, last: last ?? null, count: total?.count ?? 0 };
}

/** Stores a look; in place of another one where that is given. */
export async function writeLook(
  tx: Db,
  values: typeof experiment_looks.$inferInsert,
  replaced: Look | null,
): Promise<Look> {
  const [row] = replaced
    ? await tx.update(experiment_looks).set(values).where(eq(experiment_looks.id, replaced.id)).returning()
    : await tx.insert(experiment_looks).values(values).returning();
  if (!row) throw new Error("A look was not stored.");
  return row;
}

/** Experiments of a project by their ids, deleted ones left out. */
export async function selectExperiments(db: Db, projectId: number, ids: number[]) {
  const rows = await db
    .select()
    .from(experiments)
    .where(
      and(
        eq(experiments.project_id, projectId),
        eq(experiments.deleted, false),
        inArray(experiments.id, ids),
      ),
    )
    .orderBy(asc(experiments.id));
  return rows.map((row) => readStored(storedExperiment, row));
}
