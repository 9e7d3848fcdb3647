import { createHash } from "node:crypto";
import { compileFilters, Unsupported } from "#lib/engines/evaluation/event-filters.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import { readSettings } from "#lib/engines/statistics/settings.ts";
import type { Settings } from "#lib/engines/statistics/types.ts";
import {
  type Phase,
  readSubject,
  type Subject,
  selectRun,
} from "#lib/experiments/experiments/lifecycle/phases.ts";
import { type loadExperiment, loadMetrics } from "#lib/experiments/experiments/lookup.ts";
import { canonicalJson } from "#lib/experiments/experiments/metrics/fingerprint.ts";
import type { ListedMetric } from "#lib/experiments/experiments/metrics/metrics.ts";
import type { PlannedMetric } from "#lib/experiments/metric_kinds/kind.ts";
import type { SourceFilter } from "#lib/experiments/metric_kinds/metric-schema.ts";
import { selectSeries, selectState } from "#lib/experiments/results/days/store.ts";
import { selectGroupTypes, selectTestAccountFilters } from "#lib/experiments/results/events/events-store.ts";
import { createReader } from "#lib/experiments/results/events/reader.ts";
import { addMetric, type Exposure, earliestOf, type Plan } from "#lib/experiments/results/plan/plan.ts";
import type { GroupTypes } from "#lib/experiments/results/plan/sources.ts";
import type { Runtime } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { latestHorizon } from "#lib/people/retention/horizons.ts";
import { selectHorizons } from "#lib/people/retention/horizons-store.ts";
import type { Db } from "#lib/platform/db/connect.ts";

export type ExperimentRow = Awaited<ReturnType<typeof loadExperiment>>;

/** A metric of an experiment and, where figures can be had, what the plan counts for it. */
export type PreparedMetric = ListedMetric & { planned: PlannedMetric | null };

/** An experiment, ready to have its figures computed. */
export type Prepared = {
  experiment: ExperimentRow;
  /** The flag as it is now. */
  flag: Flag | undefined;
  /** Variants with their shares, as they were last while the experiment ran. */
  split: Subject["variants"];
  /** The splits that were in force one after the other. */
  phases: Phase[];
  plan: Plan;
  /** Hash of everything that decides who is exposed, and when. */
  definition: string;
  metrics: PreparedMetric[];
  /** Up to when events behind its figures were deleted, which therefore stay as they are; null: they do not. */
  sealed_before: Date | null;
  settings: Settings;
  baseline: string;
  group_types: GroupTypes;
};

const CALLED = "$feature_flag_called";

/** Who counts as exposed, of stored criteria of any shape. @throws Unsupported for actions */
function exposureOf(criteria: Json | null, flagKey: string, real: readonly Json[]): Exposure {
  const config = isObject(criteria?.exposure_config) ? criteria.exposure_config : {};
  if (config.kind === "ActionsNode")
    throw new Unsupported(
      "Actions are not supported. Choose an event as exposure in the experiment's setup.",
    );
  const event = typeof config.event === "string" && config.event !== "" ? config.event : CALLED;
  const filters = Array.isArray(config.properties)
    ? (config.properties.filter(isObject) as SourceFilter[])
    : [];
  const isDefault = event === CALLED;
  return {
    event,
    flag: isDefault ? flagKey : null,
    property: isDefault ? "$feature_flag_response" : `$feature/${flagKey}`,
    ...compileFilters([...filters, ...(real as SourceFilter[])]),
  };
}

function baselineOf(experiment: ExperimentRow, variants: string[]): string {
  const named = experiment.stats_config?.baseline_variant_key;
  if (typeof named === "string" && variants.includes(named)) return named;
  return variants.includes("control") ? "control" : (variants[0] ?? "control");
}

export const handlingOf = (criteria: Json | null): Plan["handling"] =>
  criteria?.multiple_variant_handling === "first_seen" ? "first_seen" : "exclude";

function groupTypeOf(index: number | null, types: GroupTypes): string | null {
  if (index === null) return null;
  const name = types.get(index);
  if (name === undefined)
    throw new Unsupported(
      `The flag splits groups of type ${index}, but the project has no such group type yet.`,
    );
  return name;
}

type PlanContext = {
  timezone: string;
  types: GroupTypes;
  /** Conditions that exposures of real users fulfil; none where test accounts count as well. */
  real: readonly Json[];
};

/** A plan without metrics. @throws Unsupported when nothing of the experiment can be computed */
function emptyPlan(
  experiment: ExperimentRow,
  { flag_key, variants: split, aggregation_group_type_index }: Subject,
  { timezone, types, real }: PlanContext,
): Plan {
  const variants = split.map(({ key }) => key);
  if (experiment.holdout_id !== null) variants.push(`holdout-${experiment.holdout_id}`);
  return {
    exposure: exposureOf(experiment.exposure_criteria, flag_key, real),
    variants,
    handling: handlingOf(experiment.exposure_criteria),
    group_type: groupTypeOf(aggregation_group_type_index, types),
    start: experiment.start_date?.getTime() ?? 0,
    end: experiment.end_date?.getTime() ?? null,
    timezone,
    sources: [],
    metrics: [],
  };
}

function definitionOf(experiment: ExperimentRow, plan: Plan, real: readonly Json[]): string {
  const { exposure, variants, handling, group_type, start, end, timezone } = plan;
  const hashed = {
    event: exposure.event,
    flag: exposure.flag,
    property: exposure.property,
    config: isObject(experiment.exposure_criteria) ? experiment.exposure_criteria.exposure_config : null,
    variants,
    handling,
    group_type,
    start,
    end,
    timezone,
    ...(real.length > 0 && { real }),
  };
  return createHash("sha256").update(canonicalJson(hashed)).digest("hex");
}

/** Adds a metric to a plan, or returns why it cannot be computed. */
export function planMetric(
  prepared: Pick<Prepared, "plan" | "group_types" | "experiment">,
  { metric, problem }: Pick<ListedMetric, "metric" | "problem">,
): { planned: PlannedMetric | null; problem: string | null } {
  if (!metric) return { planned: null, problem };
  const options = { stats_config: prepared.experiment.stats_config, group_types: prepared.group_types };
  try {
    return { planned: addMetric(prepared.plan, metric, options), problem: null };
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    return { planned: null, problem: error.message };
  }
}

/** The flag that an experiment splits by, also one that was deleted since. */
const flagOf = async (
  runtime: Pick<Runtime, "flags">,
  experiment: ExperimentRow,
): Promise<Flag | undefined> =>
  (await runtime.flags.project(experiment.project_id)).byId.get(experiment.feature_flag_id);

/** Up to when events that an experiment's figures are computed from were deleted; null: all of them are stored. */
export async function sealedBefore(
  db: Db,
  { plan, experiment }: Pick<Prepared, "plan" | "experiment">,
): Promise<Date | null> {
  const before = latestHorizon(await selectHorizons(db, experiment.project_id), createReader(plan).names);
  return before && before.getTime() > earliestOf(plan) ? before : null;
}

/** Metrics that were added after events had been deleted cannot be computed. */
async function withoutNew(
  db: Db,
  { id }: ExperimentRow,
  metrics: PreparedMetric[],
  before: Date,
): Promise<PreparedMetric[]> {
  const stored = new Set(
    (await selectSeries(db, id))
      .filter(({ place }) => place !== null)
      .map((series) => `${series.metric_uuid}:${series.fingerprint}`),
  );
  const problem = deletedProblem(before);
  return metrics.map((metric) =>
    metric.planned === null || stored.has(`${metric.uuid}:${metric.fingerprint}`)
      ? metric
      : { ...metric, planned: null, problem },
  );
}

/** Why nothing can be computed any more. */
export const deletedProblem = (before: Date): string =>
  `Events before ${before.toISOString().slice(0, 10)} were deleted: only figures that were computed earlier are left.`;

/**
 * Reads what an experiment is about.
 *
 * @throws Unsupported when nothing of it can be computed
 */
export async function prepare(
  runtime: Pick<Runtime, "flags">,
  db: Db,
  experiment: ExperimentRow,
  timezone: string,
): Promise<Prepared> {
  const [flag, run, group_types, real, list, state] = await Promise.all([
    flagOf(runtime, experiment),
    selectRun(db, experiment),
    selectGroupTypes(db, experiment.project_id),
    experiment.exposure_criteria?.filterTestAccounts === true
      ? selectTestAccountFilters(db, experiment.project_id)
      : [],
    loadMetrics(db, experiment),
    selectState(db, experiment.id),
  ]);
  const subject = run?.last ?? readSubject(flag?.key ?? "", flag?.filters ?? {});
  const plan = emptyPlan(experiment, subject, { timezone, types: group_types, real });
  const phases = run?.phases ?? [
    { from: new Date(plan.start), to: experiment.end_date, variants: subject.variants },
  ];
  const base = { experiment, flag, split: subject.variants, phases, plan, group_types };
  const metrics = list.map((metric) => ({ ...metric, ...planMetric(base, metric) }));
  const sealed_before = state?.sealed ? await sealedBefore(db, base) : null;
  return {
    ...base,
    definition: definitionOf(experiment, plan, real),
    metrics: sealed_before ? await withoutNew(db, experiment, metrics, sealed_before) : metrics,
    sealed_before,
    settings: readSettings(experiment.stats_config),
    baseline: baselineOf(experiment, plan.variants),
  };
}
