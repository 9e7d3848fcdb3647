import { changesBetween } from "#lib/activity/changes.ts";
import type { Json } from "#lib/engines/json.ts";
import { computeFingerprint } from "#lib/experiments/experiments/metrics/fingerprint.ts";
import { lockKnown } from "#lib/experiments/experiments/metrics/saved-metric-store.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { FLAGS_TOPIC } from "#lib/flags/feature_flags/cache.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import { loggedNames, showValues } from "#lib/platform/fields-schema.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { DATABASE_INTEGER_MAX } from "#lib/platform/http/params.ts";
import { type HoldoutRow, selectHoldout } from "./holdouts/store.ts";
import type { LinkInput } from "./rules.ts";
import { EXPERIMENT_FIELDS } from "./schema.ts";
import { type ExperimentRow, lockExperiments } from "./store.ts";

export const SCOPE = "Experiment";

/** The activity log entry of an action on an experiment. */
export const activityEntry = (
  context: Pick<MemberContext, "project" | "user">,
  row: { id: number; name: string },
  activity: string,
) => ({
  project_id: context.project.id,
  user_id: context.user.id,
  scope: SCOPE,
  item_id: String(row.id),
  activity,
  name: row.name,
});

/**
 * Runs a change of experiments in a transaction, one at a time per project, and announces changed flags to all
 * caches.
 */
export async function changeExperiments<T>(
  context: MemberContext,
  change: (tx: Db) => Promise<{ result: T; flags: number[] }>,
): Promise<T> {
  const projectId = context.project.id;
  const { result, flags } = await inTransaction(context.db, async (tx) => {
    await lockExperiments(tx, projectId);
    const done = await change(tx);
    if (done.flags.length > 0) await publish(tx, FLAGS_TOPIC, { project_id: projectId, ids: done.flags });
    return done;
  });
  if (flags.length > 0) context.runtime.flags.changed(projectId, flags);
  return result;
}

const unknownId = (id: unknown, attr: string) =>
  invalid(`Invalid pk "${String(id)}" - object does not exist.`, attr, "does_not_exist");

/** The holdout that a request names; null for none. */
export async function findHoldout(
  tx: Db,
  context: MemberContext,
  id: number | null,
): Promise<HoldoutRow | null> {
  if (id === null) return null;
  const holdout =
    Math.abs(id) <= DATABASE_INTEGER_MAX ? await selectHoldout(tx, context.project.id, id) : null;
  if (!holdout) throw unknownId(id, "holdout_id");
  return holdout;
}

/** The saved metrics that a request names. @throws ApiError 400 for an unknown one */
export async function findLinkedMetrics(
  tx: Db,
  context: MemberContext,
  inputs: LinkInput[],
): Promise<Json[]> {
  const ids = inputs.map(({ saved_metric_id }) => saved_metric_id);
  const possible = ids.filter((id) => Math.abs(id) <= DATABASE_INTEGER_MAX);
  const known = await lockKnown(tx, context.project.id, possible);
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined)
    throw invalid(`There is no saved metric with the id ${missing}.`, "saved_metrics_ids");
  return [...known.values()];
}

/** Who concluded an experiment, and when, if a change concludes it or undoes that. */
export function conclusionFields(
  context: Pick<MemberContext, "now" | "user">,
  before: Pick<ExperimentRow, "conclusion">,
  after: Pick<ExperimentRow, "conclusion">,
): Partial<Pick<ExperimentRow, "concluded_at" | "concluded_by_id">> {
  if (before.conclusion === after.conclusion) return {};
  if (after.conclusion === null) return { concluded_at: null, concluded_by_id: null };
  return { concluded_at: context.now, concluded_by_id: context.user.id };
}

/** The row with the current fingerprints of its metrics. */
export function withFingerprints<R extends Omit<ExperimentRow, "id">>(row: R): R {
  const of = (metrics: Json[]) =>
    metrics.map((metric) => ({ ...metric, fingerprint: computeFingerprint(metric, row) }));
  return { ...row, metrics: of(row.metrics), metrics_secondary: of(row.metrics_secondary) };
}

/** Metrics without their fingerprints. */
export const withoutFingerprints = (metrics: Json[]) =>
  metrics.map(({ fingerprint: _, ...metric }) => metric);

const loggedFields = (row: ExperimentRow, links: LinkInput[]) => ({
  ...showValues(EXPERIMENT_FIELDS, row),
  metrics: withoutFingerprints(row.metrics),
  metrics_secondary: withoutFingerprints(row.metrics_secondary),
  saved_metrics: links.map(({ saved_metric_id, metadata }) => ({ id: saved_metric_id, metadata })),
  exposure_cohort: row.exposure_cohort_id,
});

/** The changes of a row, for the activity log. */
export const listChanges = (
  before: { row: ExperimentRow; links: LinkInput[] },
  after: { row: ExperimentRow; links: LinkInput[] },
) =>
  changesBetween(
    SCOPE,
    loggedNames(EXPERIMENT_FIELDS),
    loggedFields(before.row, before.links),
    loggedFields(after.row, after.links),
  );
