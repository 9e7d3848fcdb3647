import { Unsupported } from "#lib/engines/evaluation/event-filters.ts";
import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import { hidesMetrics } from "#lib/experiments/experiments/hiding.ts";
import type { experimentResultContract } from "#lib/experiments/results/contract.ts";
import { readFigures } from "#lib/experiments/results/days/series.ts";
import { selectExperiments, selectSeries, selectState } from "#lib/experiments/results/days/store.ts";
import { type ExperimentRow, type Prepared, prepare } from "#lib/experiments/results/prepare.ts";
import type { ResultMetric, Summary } from "#lib/experiments/results/result-schema.ts";
import type { MemberContext } from "#lib/flags/context.ts";

import type { Input } from "#lib/platform/http/contract.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { recordLook } from "./looks.ts";
import { judgeHealth } from "./overview.ts";
import { buildMetricRows, goalOf } from "./rows.ts";

type Of<Name extends keyof typeof experimentResultContract> = Input<(typeof experimentResultContract)[Name]>;

const nothing = (id: number, refusal: string | null): Summary => ({
  experiment_id: id,
  exposures: null,
  as_of: null,
  metric: null,
  best: null,
  refusal,
  findings: [],
  hidden: false,
});

/** The variant that is furthest where the metric should go, or why there is none. */
function bestOf({ goal, variants, problem }: ResultMetric): Pick<Summary, "best" | "refusal"> {
  if (problem) return { best: null, refusal: problem };
  const sign = goal === "increase" ? 1 : -1;
  const compared = variants.flatMap(({ key, estimate }) => (estimate ? [{ key, estimate }] : []));
  const [best] = compared.sort((a, b) => sign * (b.estimate.effect - a.estimate.effect));
  if (!best) {
    const refusal = variants.find((row) => row.refusal)?.refusal?.reason;
    return { best: null, refusal: refusal ?? "There is too little data to compare variants." };
  }
  const { effect, interval, significant, significant_holm, chance_to_win, p_value, direction } =
    best.estimate;
  return {
    best: {
      key: best.key,
      effect,
      interval,
      significant,
      significant_holm,
      chance_to_win,
      p_value,
      direction,
    },
    refusal: null,
  };
}

/** The stored series of the primary metrics: all of them, since their comparisons are corrected together. */
async function primarySeries(context: MemberContext, { experiment, metrics }: Prepared) {
  const stored = await selectSeries(context.db, experiment.id);
  return metrics.flatMap(({ role, planned, ...metric }) => {
    const series = stored.find(
      (one) =>
        one.metric_uuid === metric.uuid && one.fingerprint === metric.fingerprint && one.place !== null,
    );
    return role === "primary" && planned && series ? [{ ...metric, role, planned, series }] : [];
  });
}

async function withFigures(
  context: MemberContext,
  prepared: Prepared,
  { summary, isLook }: { summary: Summary; isLook: boolean },
): Promise<Summary> {
  const { experiment, definition } = prepared;
  const state = await selectState(context.db, experiment.id);
  const metric = prepared.metrics.find(({ role }) => role === "primary");
  const named = metric ? { uuid: metric.uuid, name: metric.name, goal: goalOf(metric) } : null;
  const base = { ...summary, metric: named, refusal: metric?.problem ?? null };
  if (state?.definition !== definition) return base;
  const stored = await primarySeries(context, prepared);
  const figures = await readFigures(context.db, prepared, stored, state.cut_at.getTime());
  const isStored = stored.some(({ uuid }) => uuid === metric?.uuid);
  const shown = isStored
    ? buildMetricRows(prepared, figures).find(({ uuid }) => uuid === metric?.uuid)
    : null;
  const exposures = Object.fromEntries([...figures.units].filter(([key]) => key !== MULTIPLE));
  const counted = Object.values(exposures).reduce((sum, each) => sum + each, 0);
  const hidden = hidesMetrics(experiment.parameters, counted);
  const result = shown && bestOf(shown);
  if (isLook && result?.best && !hidden) await recordLook(context, experiment.id, figures.units);
  return {
    ...base,
    exposures,
    hidden,
    as_of: instant(new Date(state.cut_at.getTime() - 1)),
    findings: judgeHealth(prepared, figures).findings.filter(({ severity }) => severity !== "info"),
    ...result,
  };
}

async function summaryOf(
  context: MemberContext,
  experiment: ExperimentRow,
  isLook: boolean,
): Promise<Summary> {
  const empty = nothing(experiment.id, null);
  if (!experiment.start_date) return empty;
  try {
    const prepared = await prepare(context.runtime, context.db, experiment, context.project.timezone);
    return await withFigures(context, prepared, { summary: empty, isLook });
  } catch (error) {
    if (error instanceof Unsupported) return nothing(experiment.id, error.message);
    throw error;
  }
}

/** The line that a list shows of each experiment, as last computed. */
export async function results_summaries(context: MemberContext, { query }: Of<"results_summaries">) {
  const experiments = await selectExperiments(context.db, context.project.id, query.ids);
  const results: Summary[] = [];
  for (const experiment of experiments)
    results.push(await summaryOf(context, experiment, query.look === "true"));
  return { results };
}
