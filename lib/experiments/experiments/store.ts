import { and, desc, eq, gte, inArray, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { descending } from "#lib/platform/db/descending.ts";
import {
  experiment_metric_links,
  experiment_saved_metrics,
  experiments,
} from "#lib/platform/db/tables/experiments.ts";
import { type Readable, readStored, writableValues } from "#lib/platform/http/stored-schema.ts";
import { storedExperiment, storedLink } from "./schema.ts";

export type ExperimentRow = typeof experiments.$inferSelect & Readable;
export type ExperimentInsert = typeof experiments.$inferInsert;

/** An experiment as the rest of the service relies on it. */
export const readExperiment = (row: ExperimentRow): ExperimentRow => readStored(storedExperiment, row);

/** A saved metric with how an experiment uses it. */
export type LinkRow = {
  id: number;
  experiment_id: number;
  saved_metric_id: number;
  metadata: Record<string, unknown>;
  created_at: Date;
  name: string;
  query: Record<string, unknown>;
};

const mine = (projectId: number, id: number) =>
  and(eq(experiments.project_id, projectId), eq(experiments.id, id));

/** Includes deleted ones. */
export async function selectExperiment(db: Db, projectId: number, id: number): Promise<ExperimentRow | null> {
  const [row] = await db.select().from(experiments).where(mine(projectId, id));
  return row ? readExperiment(row) : null;
}

/** Names of experiments that are not deleted, by id. */
export async function selectExperimentNames(
  db: Db,
  projectId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const rows = await db
    .select({ id: experiments.id, name: experiments.name })
    .from(experiments)
    .where(
      and(
        eq(experiments.project_id, projectId),
        eq(experiments.deleted, false),
        inArray(experiments.id, [...ids]),
      ),
    );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The row, locked until this transaction ends. */
export async function lockExperiment(tx: Db, projectId: number, id: number): Promise<ExperimentRow | null> {
  const [row] = await tx.select().from(experiments).where(mine(projectId, id)).for("update");
  return row ? readExperiment(row) : null;
}

const onFlag = (projectId: number, flagId: number) =>
  and(eq(experiments.project_id, projectId), eq(experiments.feature_flag_id, flagId));

/** Whether any experiment uses a flag, deleted ones included. */
export async function hasExperiments(db: Db, projectId: number, flagId: number): Promise<boolean> {
  const [row] = await db
    .select({ id: experiments.id })
    .from(experiments)
    .where(onFlag(projectId, flagId))
    .limit(1);
  return row !== undefined;
}

/** The experiments on a flag, locked for writing, in order of id. */
export async function lockExperimentsOn(tx: Db, projectId: number, flagId: number): Promise<ExperimentRow[]> {
  const rows = await tx
    .select()
    .from(experiments)
    .where(onFlag(projectId, flagId))
    .orderBy(experiments.id)
    .for("update");
  return rows.map(readExperiment);
}

/** The launched experiments that use a saved metric, locked for writing. */
export async function lockLaunchedUsing(tx: Db, savedMetricId: number): Promise<ExperimentRow[]> {
  const uses = tx
    .select({ id: experiment_metric_links.experiment_id })
    .from(experiment_metric_links)
    .where(eq(experiment_metric_links.saved_metric_id, savedMetricId));
  const rows = await tx
    .select()
    .from(experiments)
    .where(and(isNotNull(experiments.start_date), inArray(experiments.id, uses)))
    .orderBy(experiments.id)
    .for("update");
  return rows.map(readExperiment);
}

export async function insertExperiment(tx: Db, values: ExperimentInsert): Promise<ExperimentRow> {
  const [row] = await tx.insert(experiments).values(values).returning();
  if (!row) throw new Error("An experiment was not stored.");
  return row;
}

/** Writes an experiment as a new version. */
export async function updateExperiment(
  tx: Db,
  by: { user: { id: number }; now: Date },
  id: number,
  values: Partial<ExperimentInsert> & Readable,
): Promise<ExperimentRow> {
  const [row] = await tx
    .update(experiments)
    .set({
      ...writableValues(values),
      version: sql`${experiments.version} + 1`,
      updated_at: by.now,
      last_modified_by_id: by.user.id,
    })
    .where(eq(experiments.id, id))
    .returning();
  if (!row) throw new Error(`Experiment ${id} vanished while it was locked.`);
  return readExperiment(row);
}

/** Stores a plan that follows from another write, without a new version. */
export async function setLaunchPlan(tx: Db, id: number, launch_plan: object): Promise<ExperimentRow> {
  const [row] = await tx
    .update(experiments)
    .set({ launch_plan: { ...launch_plan } })
    .where(eq(experiments.id, id))
    .returning();
  if (!row) throw new Error("An experiment was not stored.");
  return row;
}

/** The saved metrics of experiments, in the order in which they were linked. */
export async function selectLinks(db: Db, experimentIds: number[]): Promise<LinkRow[]> {
  if (experimentIds.length === 0) return [];
  const rows = await db
    .select({
      id: experiment_metric_links.id,
      experiment_id: experiment_metric_links.experiment_id,
      saved_metric_id: experiment_metric_links.saved_metric_id,
      metadata: experiment_metric_links.metadata,
      created_at: experiment_metric_links.created_at,
      name: experiment_saved_metrics.name,
      query: experiment_saved_metrics.query,
    })
    .from(experiment_metric_links)
    .innerJoin(
      experiment_saved_metrics,
      eq(experiment_saved_metrics.id, experiment_metric_links.saved_metric_id),
    )
    .where(
      and(
        inArray(experiment_metric_links.experiment_id, experimentIds),
        eq(experiment_saved_metrics.deleted, false),
      ),
    )
    .orderBy(experiment_metric_links.id);
  return rows.map((row) => readStored(storedLink, row));
}

export async function replaceLinks(
  tx: Db,
  experimentId: number,
  links: { saved_metric_id: number; metadata: Record<string, unknown> }[],
): Promise<void> {
  await tx.delete(experiment_metric_links).where(eq(experiment_metric_links.experiment_id, experimentId));
  if (links.length > 0)
    await tx
      .insert(experiment_metric_links)
      .values(links.map((link) => ({ ...link, experiment_id: experimentId })));
}

/** Whether a live experiment of the project has this name. */
export async function isNameInUse(db: Db, projectId: number, name: string): Promise<boolean> {
  const [row] = await db
    .select({ id: experiments.id })
    .from(experiments)
    .where(
      and(eq(experiments.project_id, projectId), eq(experiments.deleted, false), eq(experiments.name, name)),
    )
    .limit(1);
  return row !== undefined;
}

/** One change of a project's experiments, holdouts and saved metrics at a time: they refer to each other. */
export async function lockExperiments(tx: Db, projectId: number): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(7294303, ${projectId})`);
}

/**
 * The experiments of a project that run, and those that ended since a moment and have no conclusion; newest first.
 */
export async function selectUnconcluded(
  db: Db,
  { project_id, since, limit }: { project_id: number; since: Date; limit: number },
): Promise<ExperimentRow[]> {
  const rows = await db
    .select()
    .from(experiments)
    .where(
      and(
        eq(experiments.project_id, project_id),
        eq(experiments.deleted, false),
        eq(experiments.archived, false),
        isNotNull(experiments.start_date),
        isNull(experiments.conclusion),
        or(isNull(experiments.end_date), gte(experiments.end_date, since)),
      ),
    )
    .orderBy(descending(experiments.created_at), desc(experiments.id))
    .limit(limit);
  return rows.map(readExperiment);
}

/** The experiments on flags that have started and not ended. */
export async function selectOpenExperiments(db: Db, projectId: number, flagIds: number[]) {
  if (flagIds.length === 0) return [];
  return db
    .select({ id: experiments.id, name: experiments.name, flag_id: experiments.feature_flag_id })
    .from(experiments)
    .where(
      and(
        eq(experiments.project_id, projectId),
        inArray(experiments.feature_flag_id, flagIds),
        eq(experiments.deleted, false),
        isNotNull(experiments.start_date),
        isNull(experiments.end_date),
      ),
    )
    .orderBy(experiments.id);
}
