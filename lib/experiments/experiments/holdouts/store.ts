import { and, count, desc, eq, inArray } from "drizzle-orm";
import { storedHoldout } from "#lib/experiments/experiments/schema.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { descending } from "#lib/platform/db/descending.ts";
import { experiment_holdouts, experiments } from "#lib/platform/db/tables/experiments.ts";
import { type Readable, readStored, writableValues } from "#lib/platform/http/stored-schema.ts";

export type HoldoutRow = typeof experiment_holdouts.$inferSelect & Readable;

const read = (row: HoldoutRow): HoldoutRow => readStored(storedHoldout, row);

type Values = typeof experiment_holdouts.$inferInsert;

const mine = (projectId: number, id: number) =>
  and(eq(experiment_holdouts.project_id, projectId), eq(experiment_holdouts.id, id));

export async function selectHoldout(db: Db, projectId: number, id: number): Promise<HoldoutRow | null> {
  const [row] = await db.select().from(experiment_holdouts).where(mine(projectId, id));
  return row ? read(row) : null;
}

export async function lockHoldout(tx: Db, projectId: number, id: number): Promise<HoldoutRow | null> {
  const [row] = await tx.select().from(experiment_holdouts).where(mine(projectId, id)).for("update");
  return row ? read(row) : null;
}

/** Holdouts by id; unknown ids are absent. */
export async function selectHoldouts(db: Db, ids: number[]): Promise<Map<number, HoldoutRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db.select().from(experiment_holdouts).where(inArray(experiment_holdouts.id, ids));
  return new Map(rows.map((row) => [row.id, read(row)]));
}

/** A page of a project's holdouts, newest first. */
export async function selectHoldoutPage(db: Db, projectId: number, page: { limit: number; offset: number }) {
  const where = eq(experiment_holdouts.project_id, projectId);
  const [rows, [total]] = await Promise.all([
    db
      .select()
      .from(experiment_holdouts)
      .where(where)
      .orderBy(descending(experiment_holdouts.created_at), desc(experiment_holdouts.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ count: count() }).from(experiment_holdouts).where(where),
  ]);
  return { rows: rows.map(read), count: total?.count ?? 0 };
}

export async function insertHoldout(tx: Db, values: Values): Promise<HoldoutRow> {
  const [row] = await tx.insert(experiment_holdouts).values(values).returning();
  if (!row) throw new Error("A holdout was not stored.");
  return row;
}

export async function updateHoldout(
  tx: Db,
  id: number,
  values: Partial<Values> & Readable,
): Promise<HoldoutRow> {
  const [row] = await tx
    .update(experiment_holdouts)
    .set(writableValues(values))
    .where(eq(experiment_holdouts.id, id))
    .returning();
  if (!row) throw new Error(`Holdout ${id} vanished while it was locked.`);
  return read(row);
}

export async function deleteHoldout(tx: Db, id: number): Promise<void> {
  await tx.delete(experiment_holdouts).where(eq(experiment_holdouts.id, id));
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

/** The live experiments that use holdouts, the newest first. */
export async function selectHoldoutUses(db: Db, holdoutIds: number[]) {
  if (holdoutIds.length === 0) return [];
  const { id, name, holdout_id, feature_flag_id, start_date, end_date } = experiments;
  return db
    .select({ id, name, holdout_id, feature_flag_id, start_date, end_date })
    .from(experiments)
    .where(and(inArray(holdout_id, holdoutIds), eq(experiments.deleted, false)))
    .orderBy(desc(id));
}
