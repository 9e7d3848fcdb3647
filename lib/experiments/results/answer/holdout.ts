import { Unsupported } from "#lib/engines/evaluation/event-filters.ts";
import { sampleRatioMismatch } from "#lib/engines/statistics/sample-ratio.ts";
import { levelOf, readSettings } from "#lib/engines/statistics/settings.ts";
import { loadHoldout } from "#lib/experiments/experiments/holdouts/holdouts.ts";
import { computeFingerprint } from "#lib/experiments/experiments/metrics/fingerprint.ts";
import type { experimentResultContract } from "#lib/experiments/results/contract.ts";
import { analyse } from "#lib/experiments/results/days/result.ts";
import { scan } from "#lib/experiments/results/days/scan.ts";
import { selectExperiments } from "#lib/experiments/results/days/store.ts";
import { selectEventCount, selectGroupTypes } from "#lib/experiments/results/events/events-store.ts";
import { createReader } from "#lib/experiments/results/events/reader.ts";
import { addMetric, type Plan } from "#lib/experiments/results/plan/plan.ts";
import { type Prepared, type PreparedMetric, prepare } from "#lib/experiments/results/prepare.ts";
import type { HoldoutResults } from "#lib/experiments/results/result-schema.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { judgeMetrics } from "./rows.ts";

type Of<Name extends keyof typeof experimentResultContract> = Input<(typeof experimentResultContract)[Name]>;

/** Above so many events, only a sample of the people is read. */
const EVENTS_READ = 1_000_000;
/** Metrics at most, those of most experiments first. */
const METRICS_MAX = 20;
const HELD_OUT = "held_out";
const REST = "rest";

/** Statistics that the API uses where an experiment says nothing. */
const SETTINGS = readSettings(null);

/** The experiments that compare people; one that cannot be computed, or compares groups, tells nothing of people. */
async function readRuns(context: MemberContext, ids: number[]): Promise<Prepared[]> {
  const rows = await selectExperiments(context.db, context.project.id, ids);
  const prepared = rows
    .filter(({ start_date }) => start_date !== null && start_date <= context.now)
    .map((row) =>
      prepare(context.runtime, context.db, row, context.project.timezone).catch((error: unknown) => {
        if (error instanceof Unsupported) return null;
        throw error;
      }),
    );
  return (await Promise.all(prepared)).flatMap((one) => (one?.plan.group_type === null ? [one] : []));
}

/** Everybody who called one of the flags while its experiment ran, from their first call on. */
function planOf(context: MemberContext, runs: readonly Prepared[], held: string): Plan {
  const byFlag = Map.groupBy(runs, ({ flag }) => flag?.key ?? "");
  return {
    exposure: {
      event: "$feature_flag_called",
      flag: null,
      property: "$feature_flag_response",
      filtered: ["$feature_flag", "$feature_flag_response"],
      matches: ([flag, variant], at) =>
        (byFlag.get(String(flag)) ?? []).some(
          ({ plan }) =>
            plan.variants.includes(String(variant)) &&
            at >= plan.start &&
            at <= (plan.end ?? Number.POSITIVE_INFINITY),
        ),
    },
    variants: [...new Set([held, ...runs.flatMap(({ plan }) => plan.variants)])],
    handling: "first_seen",
    group_type: null,
    start: Math.min(...runs.map(({ plan }) => plan.start)),
    end: null,
    timezone: context.project.timezone,
    sources: [],
    metrics: [],
  };
}

/** The metrics of the experiments, each once, those of most experiments first; primary where one has it so. */
function metricsOf(runs: readonly Prepared[]): PreparedMetric[] {
  const nowhere = { start_date: null, stats_config: null, exposure_criteria: null };
  const all = runs.flatMap(({ metrics }) => metrics).filter(({ metric }) => metric !== null);
  const same = Map.groupBy(all, ({ raw }) => computeFingerprint(raw, nowhere));
  return [...same]
    .sort(([, a], [, b]) => b.length - a.length)
    .flatMap(([fingerprint, metrics]) => {
      const metric = metrics.find(({ role }) => role === "primary") ?? metrics[0];
      return metric ? [{ ...metric, fingerprint }] : [];
    })
    .slice(0, METRICS_MAX);
}

/** Adds the metrics to the plan; one that cannot be computed has no figures. */
function addMetrics(plan: Plan, metrics: readonly PreparedMetric[], group_types: Map<number, string>) {
  return metrics.flatMap((metric): PreparedMetric[] => {
    try {
      return metric.metric
        ? [{ ...metric, planned: addMetric(plan, metric.metric, { stats_config: null, group_types }) }]
        : [];
    } catch (error) {
      if (error instanceof Unsupported) return [];
      throw error;
    }
  });
}

/** Chance of the split, where one share of everybody is held out. */
function splitOf(filters: readonly Record<string, unknown>[], units: ReadonlyMap<string, number>) {
  const [only, ...others] = filters;
  const share = only?.rollout_percentage;
  const isOfAll = Array.isArray(only?.properties) ? only.properties.length === 0 : true;
  if (typeof share !== "number" || others.length > 0 || !isOfAll) return null;
  const shares = [
    { key: HELD_OUT, rollout_percentage: share },
    { key: REST, rollout_percentage: 100 - share },
  ];
  const found = sampleRatioMismatch(shares, Object.fromEntries(units));
  return found && { share, p_value: found.p_value, mismatch: found.mismatch };
}

/** What all experiments of a holdout did together: people held out against everybody else. */
export async function holdout_results(
  context: MemberContext,
  { params }: Of<"holdout_results">,
): Promise<HoldoutResults> {
  const { holdout, experiment_ids } = await loadHoldout(context, params.id);
  const runs = await readRuns(context, experiment_ids);
  const base = {
    experiment_ids: runs.map(({ experiment }) => experiment.id),
    level: levelOf(SETTINGS),
    as_of: instant(context.now),
  };
  if (runs.length === 0)
    return { ...base, since: null, units: { held_out: 0, rest: 0 }, split: null, one_in: 1, metrics: [] };
  const held = `holdout-${holdout.id}`;
  const plan = planOf(context, runs, held);
  const group_types = await selectGroupTypes(context.db, context.project.id);
  const metrics = addMetrics(plan, metricsOf(runs), group_types);
  const events = await selectEventCount(context.db, context.project.id, createReader(plan).names);
  const one_in = Math.max(1, Math.round(events / EVENTS_READ));
  const { byDay } = await inTransaction(
    context.db,
    (tx) => scan(tx, context.project.id, plan, context.now.getTime() + 1, { sampling: { one_in } }),
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
  const last = byDay.at(-1);
  const sideOf = (variant: string) => (variant === held ? HELD_OUT : REST);
  const units = new Map([
    [HELD_OUT, 0],
    [REST, 0],
  ]);
  for (const [variant, count] of last?.units ?? [])
    units.set(sideOf(variant), (units.get(sideOf(variant)) ?? 0) + count);
  const keys = { variants: [HELD_OUT, REST], baseline: HELD_OUT };
  const computed = metrics.map((metric, m) => {
    const totals = (last?.totals[m] ?? []).map((row) => ({ ...row, variant: sideOf(row.variant) }));
    const analysed = metric.planned && analyse(metric.planned, keys, units, totals, SETTINGS);
    return { metric, analysed };
  });
  return {
    ...base,
    since: instant(new Date(plan.start)),
    units: { held_out: units.get(HELD_OUT) ?? 0, rest: units.get(REST) ?? 0 },
    split: splitOf(holdout.filters, units),
    one_in,
    metrics: judgeMetrics(computed, 1 - levelOf(SETTINGS)),
  };
}
