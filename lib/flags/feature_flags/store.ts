import { and, eq, inArray, or, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { experiments } from "#lib/platform/db/tables/experiments.ts";
import { feature_flags } from "#lib/platform/db/tables/feature_flags.ts";
import { surveys } from "#lib/platform/db/tables/surveys.ts";

export type FlagRow = typeof feature_flags.$inferSelect;
export type FlagInsert = typeof feature_flags.$inferInsert;
export type SurveyRow = typeof surveys.$inferSelect;

/** A flag with what else refers to it. */
export type FlagWithLinks = FlagRow & {
  /** Surveys linked to it. */
  surveys: SurveyRow[];
  /** Whether a survey created it, to target its respondents. */
  targets_survey: boolean;
  /** Ids of the live experiments on it. */
  experiment_set: number[];
};

/** Flags of a project, deleted ones included; `ids` null: all of them. */
export async function selectFlags(db: Db, projectId: number, ids: number[] | null): Promise<FlagWithLinks[]> {
  const mine = eq(feature_flags.project_id, projectId);
  const referring = ids
    ? or(
        inArray(surveys.linked_flag_id, ids),
        inArray(surveys.targeting_flag_id, ids),
        inArray(surveys.internal_targeting_flag_id, ids),
        inArray(surveys.internal_response_sampling_flag_id, ids),
      )
    : undefined;
  // One after another: in a transaction they share a connection.
  const rows = await db
    .select()
    .from(feature_flags)
    .where(ids ? and(mine, inArray(feature_flags.id, ids)) : mine);
  const surveyRows = await db
    .select()
    .from(surveys)
    .where(and(eq(surveys.project_id, projectId), referring));
  const experimentRows = await selectExperimentLinks(db, projectId, ids);
  const targeting = new Set(
    surveyRows.flatMap((s) => [
      s.targeting_flag_id,
      s.internal_targeting_flag_id,
      s.internal_response_sampling_flag_id,
    ]),
  );
  const linked = Map.groupBy(surveyRows, (survey) => survey.linked_flag_id);
  const tried = Map.groupBy(
    experimentRows.filter((experiment) => !experiment.deleted),
    (experiment) => experiment.feature_flag_id,
  );
  return rows.map((row) => ({
    ...row,
    surveys: linked.get(row.id) ?? [],
    targets_survey: targeting.has(row.id),
    experiment_set: (tried.get(row.id) ?? []).map((experiment) => experiment.id),
  }));
}

/** Which experiments use flags, deleted ones included; `ids` null: on any of the project's. */
export async function selectExperimentLinks(db: Db, projectId: number, ids: number[] | null) {
  return db
    .select({
      id: experiments.id,
      feature_flag_id: experiments.feature_flag_id,
      deleted: experiments.deleted,
    })
    .from(experiments)
    .where(
      and(eq(experiments.project_id, projectId), ids ? inArray(experiments.feature_flag_id, ids) : undefined),
    )
    .orderBy(experiments.id);
}

/** Locks the row for writing until this transaction ends. */
export async function lockFlag(tx: Db, projectId: number, id: number): Promise<FlagRow | null> {
  const [row] = await tx
    .select()
    .from(feature_flags)
    .where(and(eq(feature_flags.project_id, projectId), eq(feature_flags.id, id)))
    .for("update");
  return row ?? null;
}

export async function selectFlagByKey(tx: Db, projectId: number, key: string): Promise<FlagRow | null> {
  const [row] = await tx
    .select()
    .from(feature_flags)
    .where(and(eq(feature_flags.project_id, projectId), eq(feature_flags.key, key)));
  return row ?? null;
}

export async function updateFlag(tx: Db, id: number, values: Partial<FlagInsert>): Promise<FlagRow> {
  const [row] = await tx.update(feature_flags).set(values).where(eq(feature_flags.id, id)).returning();
  if (!row) throw new Error(`Flag ${id} vanished while it was locked.`);
  return row;
}

/** Serialises writers that change which flags depend on which: a cycle must not slip in between two of them. */
export async function lockDependencies(tx: Db, projectId: number): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(7294302, ${projectId})`);
}
