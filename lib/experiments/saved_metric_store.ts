import { and, count, desc, eq, inArray, sql } from "drizzle-orm";
import type { Db } from "#lib/db/connect.ts";
import { experiment_metric_links, experiment_saved_metrics } from "#lib/db/tables/experiments.ts";

export type SavedMetricRow = typeof experiment_saved_metrics.$inferSelect;
type Values = typeof experiment_saved_metrics.$inferInsert;

const mine = (projectId: number, id: number) =>
  and(eq(experiment_saved_metrics.project_id, projectId), eq(experiment_saved_metrics.id, id));

export async function selectSavedMetric(
  db: Db,
  projectId: number,
  id: number,
): Promise<SavedMetricRow | null> {
  const [row] = await db.select().from(experiment_saved_metrics).where(mine(projectId, id));
  return row ?? null;
}

export async function lockSavedMetric(tx: Db, projectId: number, id: number): Promise<SavedMetricRow | null> {
  const [row] = await tx.select().from(experiment_saved_metrics).where(mine(projectId, id)).for("update");
  return row ?? null;
}

/** Which of the ids are shared metrics of the project; those rows stay until the transaction ends. */
export async function lockKnownIds(tx: Db, projectId: number, ids: number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await tx
    .select({ id: experiment_saved_metrics.id })
    .from(experiment_saved_metrics)
    .where(and(eq(experiment_saved_metrics.project_id, projectId), inArray(experiment_saved_metrics.id, ids)))
    .for("share");
  return new Set(rows.map(({ id }) => id));
}

/** A page of a project's shared metrics, newest first, whose names contain a text. */
export async function selectSavedMetricPage(
  db: Db,
  projectId: number,
  query: { search?: string | undefined; limit: number; offset: number },
) {
  const named = query.search
    ? sql`position(lower(${query.search}) in lower(${experiment_saved_metrics.name})) > 0`
    : undefined;
  const where = and(eq(experiment_saved_metrics.project_id, projectId), named);
  const [rows, [total]] = await Promise.all([
    db
      .select()
      .from(experiment_saved_metrics)
      .where(where)
      .orderBy(desc(experiment_saved_metrics.created_at), desc(experiment_saved_metrics.id))
      .limit(query.limit)
      .offset(query.offset),
    db.select({ count: count() }).from(experiment_saved_metrics).where(where),
  ]);
  return { rows, count: total?.count ?? 0 };
}

export async function insertSavedMetric(tx: Db, values: Values): Promise<SavedMetricRow> {
  const [row] = await tx.insert(experiment_saved_metrics).values(values).returning();
  if (!row) throw new Error("A shared metric was not stored.");
  return row;
}

export async function updateSavedMetric(
  tx: Db,
  id: number,
  values: Partial<Values>,
): Promise<SavedMetricRow> {
  const [row] = await tx
    .update(experiment_saved_metrics)
    .set(values)
    .where(eq(experiment_saved_metrics.id, id))
    .returning();
  if (!row) throw new Error(`Shared metric ${id} vanished while it was locked.`);
  return row;
}

/** Deletes a shared metric, from the experiments that use it too. */
export async function deleteSavedMetric(tx: Db, id: number): Promise<void> {
  await tx.delete(experiment_metric_links).where(eq(experiment_metric_links.saved_metric_id, id));
  await tx.delete(experiment_saved_metrics).where(eq(experiment_saved_metrics.id, id));
}
