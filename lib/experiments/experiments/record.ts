import { changedFields, planOf, storedPlan } from "#lib/experiments/experiments/lifecycle/launch-plan.ts";
import { type Phase, selectRuns } from "#lib/experiments/experiments/lifecycle/phases.ts";
import { computeFingerprint } from "#lib/experiments/experiments/metrics/fingerprint.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import type { ProjectFlags } from "#lib/flags/feature_flags/cache.ts";
import { linkedFlagOf } from "#lib/flags/feature_flags/evaluation/definition.ts";
import { readFlag } from "#lib/flags/feature_flags/filters/stored.ts";
import { readViewer, type Viewer } from "#lib/flags/feature_flags/record.ts";
import { selectFlags } from "#lib/flags/feature_flags/store.ts";
import { userOf } from "#lib/identity/accounts/schema.ts";

import { DatabaseUnavailable } from "#lib/platform/db/connect.ts";
import { recordFrom } from "#lib/platform/fields-schema.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { momentText, momentTextOrNull } from "#lib/platform/http/moment-schema.ts";
import { unreadable } from "#lib/platform/http/stored-schema.ts";
import { type HoldoutRow, selectHoldouts } from "./holdouts/store.ts";
import { EXPERIMENT_FIELDS, type ExperimentRecord, type HoldoutRecord } from "./schema.ts";
import { statusOf } from "./status.ts";
import { type ExperimentRow, type LinkRow, selectLinks } from "./store.ts";

type Accounts = Viewer["accounts"];

/** Rows that records of experiments are built from. */
type Surroundings = {
  viewer: Viewer;
  flags: ProjectFlags["byId"];
  holdouts: ReadonlyMap<number, HoldoutRow>;
  links: ReadonlyMap<number, LinkRow[]>;
  runs: Awaited<ReturnType<typeof selectRuns>>;
};

export const holdoutRecordOf = (row: HoldoutRow, accounts: Accounts): HoldoutRecord => ({
  id: row.id,
  name: row.name,
  description: row.description,
  filters: row.filters,
  created_by: userOf(accounts, row.created_by_id),
  created_at: instant(row.created_at),
  updated_at: instant(row.updated_at),
  ...unreadable(row.unreadable_fields),
});

const linkRecordOf = (
  link: LinkRow,
  experiment: ExperimentRow,
): ExperimentRecord["saved_metrics"][number] => ({
  id: link.id,
  experiment: link.experiment_id,
  saved_metric: link.saved_metric_id,
  metadata: link.metadata,
  created_at: instant(link.created_at),
  query: { ...link.query, fingerprint: computeFingerprint(link.query, experiment) },
  name: link.name,
});

const phaseRecordOf = ({ from, to, variants }: Phase): ExperimentRecord["phases"][number] => ({
  from: momentText(from),
  to: momentTextOrNull(to),
  variants: variants.map(({ key, name, rollout_percentage }) => ({
    key,
    name: name ?? null,
    rollout_percentage,
  })),
});

function launchPlanRecordOf(
  row: ExperimentRow,
  links: LinkRow[],
  accounts: Accounts,
): ExperimentRecord["launch_plan"] {
  const plan = storedPlan(row);
  if (!plan || !row.start_date) return null;
  return {
    launched_at: plan.launched_at,
    launched_by: userOf(accounts, plan.launched_by_id),
    description: plan.description,
    metrics: plan.metrics,
    stats_config: plan.stats_config,
    changes: changedFields(plan, planOf({ row, links })).map((field) => ({
      field,
      at: plan.changes[field]?.at ?? null,
      by: userOf(accounts, plan.changes[field]?.by_id ?? null),
    })),
  };
}

function recordOf(
  row: ExperimentRow,
  { viewer, flags, holdouts, links, runs }: Surroundings,
): ExperimentRecord {
  const flag = flags.get(row.feature_flag_id);
  // An experiment always has its flag; what is served while the database cannot be asked may be older than both.
  if (!flag) throw new DatabaseUnavailable("The database is unavailable: the flag cannot be read.");
  const holdout = row.holdout_id === null ? undefined : holdouts.get(row.holdout_id);
  const manages = viewer.is_admin || row.created_by_id === viewer.user_id;
  const record = recordFrom(EXPERIMENT_FIELDS, row, {
    feature_flag_key: flag.key,
    feature_flag: linkedFlagOf(flag),
    holdout: holdout ? holdoutRecordOf(holdout, viewer.accounts) : null,
    exposure_cohort: row.exposure_cohort_id,
    saved_metrics: (links.get(row.id) ?? []).map((link) => linkRecordOf(link, row)),
    saved_metrics_ids: null,
    created_by: userOf(viewer.accounts, row.created_by_id),
    concluded_by: userOf(viewer.accounts, row.concluded_by_id),
    phases: (runs.get(row.id)?.phases ?? []).map(phaseRecordOf),
    launch_plan: launchPlanRecordOf(row, links.get(row.id) ?? [], viewer.accounts),
    user_access_level: manages ? "manager" : "editor",
    last_modified_by: userOf(viewer.accounts, row.last_modified_by_id),
    status: statusOf(row, flag),
  });
  return { ...record, ...unreadable(row.unreadable_fields) };
}

/** The flags in memory, with those that only the transaction of the request knows yet. */
async function flagsOf(
  context: MemberContext,
  rows: readonly ExperimentRow[],
): Promise<ProjectFlags["byId"]> {
  const { db, runtime, project } = context;
  const { byId } = await runtime.flags.project(project.id);
  const unknown = rows.map((row) => row.feature_flag_id).filter((id) => !byId.has(id));
  if (unknown.length === 0 || db === runtime.db) return byId;
  const made = await selectFlags(db, project.id, unknown);
  return byId.merge(made.map((row) => [row.id, readFlag(row, runtime.settings.encryption_key)] as const));
}

/** The public records of experiments, for the requesting user. */
export async function buildRecords(
  context: MemberContext,
  rows: ExperimentRow[],
): Promise<ExperimentRecord[]> {
  const [viewer, flags, links, holdouts, runs] = await Promise.all([
    readViewer(context),
    flagsOf(context, rows),
    selectLinks(
      context.db,
      rows.map(({ id }) => id),
    ),
    selectHoldouts(
      context.db,
      rows.flatMap(({ holdout_id }) => (holdout_id === null ? [] : [holdout_id])),
    ),
    selectRuns(context.db, rows),
  ]);
  const surroundings = {
    viewer,
    flags,
    holdouts,
    runs,
    links: Map.groupBy(links, (link) => link.experiment_id),
  };
  return rows.map((row) => recordOf(row, surroundings));
}

export async function buildRecord(context: MemberContext, row: ExperimentRow): Promise<ExperimentRecord> {
  const [record] = await buildRecords(context, [row]);
  if (!record) throw new Error("A record was not made.");
  return record;
}
