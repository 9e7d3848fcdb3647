import { changesBetween } from "#lib/activity/changes.ts";
import { type Db, inTransaction } from "#lib/db/connect.ts";
import { publish } from "#lib/db/notify.ts";
import { FLAGS_TOPIC } from "#lib/feature_flags/cache.ts";
import type { MemberContext } from "#lib/http/context.ts";
import { invalid } from "#lib/http/errors.ts";
import { momentTextOrNull } from "#lib/http/moment_schema.ts";
import { DATABASE_INTEGER_MAX } from "#lib/http/params.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { type HoldoutRow, selectHoldout } from "./holdout_store.ts";
import type { LinkWish } from "./rules.ts";
import { lockKnown } from "./saved_metric_store.ts";
import { type ExperimentRow, lockExperiments } from "./store.ts";

export const SCOPE = "Experiment";

type Json = Record<string, unknown>;

/** What the activity log is told of an act on an experiment. */
export const act = (context: MemberContext, row: { id: number; name: string }, activity: string) => ({
  project_id: context.project.id,
  user_id: context.user.id,
  scope: SCOPE,
  item_id: String(row.id),
  activity,
  name: row.name,
});

/**
 * Runs a change of experiments in a transaction, one at a time in a project; everybody who holds the flags that
 * it touched in memory learns of it.
 */
export async function changing<T>(
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
export async function holdoutNamed(
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

/** The saved metrics that a request names. @throws ApiError 400 for one that is not there */
export async function metricsLinked(tx: Db, context: MemberContext, wishes: LinkWish[]): Promise<Json[]> {
  const ids = wishes.map(({ saved_metric_id }) => saved_metric_id);
  const possible = ids.filter((id) => Math.abs(id) <= DATABASE_INTEGER_MAX);
  const known = await lockKnown(tx, context.project.id, possible);
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined)
    throw invalid(`There is no saved metric with the id ${missing}.`, "saved_metrics_ids");
  return [...known.values()];
}

/** Who concluded an experiment, and when, where a change concludes it or takes that back. */
export function concludedBy(
  context: Pick<MemberContext, "now" | "user">,
  before: Pick<ExperimentRow, "conclusion">,
  after: Pick<ExperimentRow, "conclusion">,
): Partial<Pick<ExperimentRow, "concluded_at" | "concluded_by_id">> {
  if (before.conclusion === after.conclusion) return {};
  if (after.conclusion === null) return { concluded_at: null, concluded_by_id: null };
  return { concluded_at: context.now, concluded_by_id: context.user.id };
}

/** The row with the fingerprints that its metrics have now. */
export function fingerprinted<R extends Omit<ExperimentRow, "id">>(row: R): R {
  const of = (metrics: Json[]) =>
    metrics.map((metric) => ({ ...metric, fingerprint: fingerprintOf(metric, row) }));
  return { ...row, metrics: of(row.metrics), metrics_secondary: of(row.metrics_secondary) };
}

/** Fields whose changes are told, in the order told. */
const WATCHED = [
  "name",
  "description",
  "start_date",
  "end_date",
  "holdout_id",
  "parameters",
  "exposure_criteria",
  "metrics",
  "metrics_secondary",
  "saved_metrics",
  "secondary_metrics",
  "filters",
  "stats_config",
  "primary_metrics_ordered_uuids",
  "secondary_metrics_ordered_uuids",
  "exposure_cohort",
  "conclusion",
  "conclusion_comment",
  "shipped_variant",
  "archived",
  "deleted",
] as const;

/** Metrics without their fingerprints, which change with everything else. */
export const plain = (metrics: Json[]) => metrics.map(({ fingerprint: _, ...metric }) => metric);

const told = (row: ExperimentRow, links: LinkWish[]) => ({
  ...row,
  start_date: momentTextOrNull(row.start_date),
  end_date: momentTextOrNull(row.end_date),
  metrics: plain(row.metrics),
  metrics_secondary: plain(row.metrics_secondary),
  saved_metrics: links.map(({ saved_metric_id, metadata }) => ({ id: saved_metric_id, metadata })),
  exposure_cohort: row.exposure_cohort_id,
});

/** What a change did, for the activity log. */
export const changesOf = (
  before: { row: ExperimentRow; links: LinkWish[] },
  after: { row: ExperimentRow; links: LinkWish[] },
) => changesBetween(SCOPE, WATCHED, told(before.row, before.links), told(after.row, after.links));
