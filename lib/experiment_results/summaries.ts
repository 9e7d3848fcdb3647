import type { MemberContext } from "#lib/http/context.ts";
import type { Input } from "#lib/http/contract.ts";
import { instant } from "#lib/http/instant.ts";
import { MULTIPLE } from "#lib/statistics/sample_ratio.ts";
import type { experimentResultContract } from "./contract.ts";
import { type ExperimentRow, type Prepared, type PreparedMetric, prepare } from "./prepare.ts";
import type { Analysed } from "./result.ts";
import type { Summary } from "./result_schema.ts";
import { briefOf, goalOf } from "./rows.ts";
import { readFigures, resultOf } from "./series.ts";
import { Unsupported } from "./sources.ts";
import { selectExperiments, selectOneSeries, selectState } from "./store.ts";

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
  const told = { ...summary, metric: named, refusal: metric?.problem ?? null };
  if (state?.definition !== definition) return told;
  const series =
    metric?.planned != null
      ? await selectOneSeries(context.db, {
          experiment_id: experiment.id,
          metric_uuid: metric.uuid,
          fingerprint: metric.fingerprint,
        })
      : null;
  const slots =
    metric?.planned != null && series?.place != null ? [{ metric, planned: metric.planned, series }] : [];
  const figures = await readFigures(context.db, prepared, slots, state.cut_at.getTime());
  const [slot] = slots;
  const totals = slot ? (figures.totals.get(slot.series.id) ?? []) : [];
  return {
    ...told,
    exposures: Object.fromEntries([...figures.units].filter(([key]) => key !== MULTIPLE)),
    as_of: instant(new Date(state.cut_at.getTime() - 1)),
    ...(slot && bestOf(slot.metric, resultOf(prepared, slot, figures.units, totals).analysed)),
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
