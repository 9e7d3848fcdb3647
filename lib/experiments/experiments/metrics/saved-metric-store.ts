import { and, count, desc, eq, inArray, sql } from "drizzle-orm";
import { storedSavedMetric } from "#lib/experiments/experiments/schema.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { descending } from "#lib/platform/db/descending.ts";
import {
  experiment_metric_links,
  experiment_saved_metrics,
  experiments,
} from "#lib/platform/db/tables/experiments.ts";
import { type Readable, readStored } from "#lib/platform/http/stored-schema.ts";

export type SavedMetricRow = typeof experiment_saved_metrics.$inferSelect & Readable;

const read = (row: SavedMetricRow): SavedMetricRow => readStored(storedSavedMetric, row);

type Values = typeof experiment_saved_metrics.$inferInsert;

/** An experiment that uses a saved metric; `uses`: how many do. */
export type UseRow = {
  saved_metric_id: number;
  metadata: Record<string, unknown>;
  id: number;
  name: string;
  feature_flag_id: number;
  started: boolean;
  ended: boolean;
  uses: number;
};

const live = (projectId: number) =>
  and(eq(experiment_saved_metrics.project_id, projectId), eq(experiment_saved_metrics.deleted, false));

const mine = (projectId: number, id: number) =>
  and(eq(experiment_saved_metrics.project_id, projectId), eq(experiment_saved_metrics.id, id));

/** Includes deleted ones. */
export async function selectSavedMetric(
  db: Db,
  projectId: number,
  id: number,
): Promise<SavedMetricRow | null> {
  const [row] = await db.select().from(experiment_saved_metrics).where(mine(projectId, id));
  return row ? read(row) : null;
}

export async function lockSavedMetric(tx: Db, projectId: number, id: number): Promise<SavedMetricRow | null> {
  const [row] = await tx.select().from(experiment_saved_metrics).where(mine(projectId, id)).for("update");
  return row ? read(row) : null;
}

/** The metrics with these ids, by id; unknown ids are absent. The rows are locked until the transaction ends. */
export async function lockKnown(
  tx: Db,
  projectId: number,
  ids: number[],
): Promise<Map<number, SavedMetricRow["query"]>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .select({ id: experiment_saved_metrics.id, query: experiment_saved_metrics.query })
    .from(experiment_saved_metrics)
    .where(and(live(projectId), inArray(experiment_saved_metrics.id, ids)))
    .for("share");
  return new Map(rows.map((row) => [row.id, readStored(storedSavedMetric, row).query]));
}

/** Which live experiments use saved metrics, the newest of each, with how many there are in all. */
export async function selectUses(db: Db, ids: number[], most: number): Promise<UseRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.execute<UseRow>(sql`
    select * from (
      select l.saved_metric_id, l.metadata, e.id, e.name, e.feature_flag_id,
        e.start_date is not null as started, e.end_date is not null as ended,
        count(*) over (partition by l.saved_metric_id)::int as uses,
        row_number() over (partition by l.saved_metric_id order by e.id desc)::int as place
      from ${experiment_metric_links} l
      join ${experiments} e on e.id = l.experiment_id and not e.deleted
      where l.saved_metric_id in ${ids}) as used
    where place <= ${most} order by saved_metric_id, place`);
  return rows;
}

/** A page of a project's saved metrics, newest first, whose names contain a text. */
export async function selectSavedMetricPage(
  db: Db,
  projectId: number,
  query: { search?: string | undefined; limit: number; offset: number },
) {
  const named = query.search
    ? sql`position(lower(${query.search}) in lower(${experiment_saved_metrics.name})) > 0`
    : undefined;
  const where = and(live(projectId), named);
  const [rows, [total]] = await Promise.all([
    db
      .select()
      .from(experiment_saved_metrics)
      .where(where)
      .orderBy(descending(experiment_saved_metrics.created_at), desc(experiment_saved_metrics.id))
      .limit(query.limit)
      .offset(query.offset),
    db.select({ count: count() }).from(experiment_saved_metrics).where(where),
  ]);
  return { rows: rows.map(read), count: total?.count ?? 0 };
}

export async function insertSavedMetric(tx: Db, values: Values): Promise<SavedMetricRow> {
  const [row] = await tx.insert(experiment_saved_metrics).values(values).returning();
  if (!row) throw new Error("A saved metric was not stored.");
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
  if (!row) throw new Error(`Saved metric ${id} vanished while it was locked.`);
  return read(row);
}
