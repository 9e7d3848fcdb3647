import { Unsupported } from "#lib/engines/evaluation/event-filters.ts";
import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import type { experimentResultContract } from "#lib/experiments/results/contract.ts";
import type { Analysed } from "#lib/experiments/results/days/result.ts";
import { computeResult, readFigures } from "#lib/experiments/results/days/series.ts";
import { selectExperiments, selectOneSeries, selectState } from "#lib/experiments/results/days/store.ts";
import {
  type ExperimentRow,
  type Prepared,
  type PreparedMetric,
  prepare,
} from "#lib/experiments/results/prepare.ts";
import type { Summary } from "#lib/experiments/results/result-schema.ts";
import type { MemberContext } from "#lib/flags/context.ts";

import type { Input } from "#lib/platform/http/contract.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { briefOf, goalOf } from "./rows.ts";

type Of<Name extends keyof typeof experimentResultContract> = Input<(typeof experimentResultContract)[Name]>;

const nothing = (id: number, refusal: string | null): Summary => ({
  experiment_id: id,
  exposures: null,
  as_of: null,
  metric: null,
  best: null,
  refusal,
});

/** The variant that is furthest where the metric should go, or why there is none. */
function bestOf(metric: PreparedMetric, { variants, analysis }: Analysed) {
  const goal = goalOf(metric);
  const sign = goal === "increase" ? 1 : -1;
  const known = analysis.variants.flatMap(({ estimate }, i) =>
    estimate ? [briefOf(variants[i]?.key ?? "", estimate, goal)] : [],
  );
  const best = known.reduce<(typeof known)[number] | null>(
    (found, one) => (found && found.effect * sign >= one.effect * sign ? found : one),
    null,
  );
  if (best) return { best, refusal: null };
  const refusal = analysis.variants.find((one) => one.refusal)?.refusal?.reason;
  return { best, refusal: refusal ?? "There is too little data to compare variants." };
}

async function withFigures(context: MemberContext, prepared: Prepared, summary: Summary): Promise<Summary> {
  const { experiment, definition } = prepared;
  const state = await selectState(context.db, experiment.id);
  const metric = prepared.metrics.find(({ role }) => role === "primary");
  const named = metric ? { uuid: metric.uuid, name: metric.name, goal: goalOf(metric) } : null;
  const base = { ...summary, metric: named, refusal: metric?.problem ?? null };
  if (state?.definition !== definition) return base;
  const series = metric?.planned
    ? await selectOneSeries(context.db, {
        experiment_id: experiment.id,
        metric_uuid: metric.uuid,
        fingerprint: metric.fingerprint,
      })
    : null;
  const storedMetrics =
    metric?.planned && series?.place != null ? [{ ...metric, planned: metric.planned, series }] : [];
  const figures = await readFigures(context.db, prepared, storedMetrics, state.cut_at.getTime());
  const [storedMetric] = storedMetrics;
  const totals = storedMetric ? (figures.totals.get(storedMetric.series.id) ?? []) : [];
  return {
    ...base,
    exposures: Object.fromEntries([...figures.units].filter(([key]) => key !== MULTIPLE)),
    as_of: instant(new Date(state.cut_at.getTime() - 1)),
    ...(storedMetric &&
      bestOf(storedMetric, computeResult(prepared, storedMetric, figures.units, totals).analysed)),
  };
}

async function summaryOf(context: MemberContext, experiment: ExperimentRow): Promise<Summary> {
  const empty = nothing(experiment.id, null);
  if (!experiment.start_date) return empty;
  try {
    const prepared = await prepare(context.runtime, context.db, experiment, context.project.timezone);
    return await withFigures(context, prepared, empty);
  } catch (error) {
    if (error instanceof Unsupported) return nothing(experiment.id, error.message);
    throw error;
  }
}

/** The line that a list shows of each experiment, as last computed. */
export async function results_summaries(context: MemberContext, { query }: Of<"results_summaries">) {
  const experiments = await selectExperiments(context.db, context.project.id, query.ids);
  const results: Summary[] = [];
  for (const experiment of experiments) results.push(await summaryOf(context, experiment));
  return { results };
}
