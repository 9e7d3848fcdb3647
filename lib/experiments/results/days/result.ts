import type { Json } from "#lib/engines/json.ts";
import { analyseMetric, type MetricAnalysis } from "#lib/engines/statistics/analyse.ts";
import type {
  BayesianEstimate,
  FrequentistEstimate,
  Sample,
  Settings,
} from "#lib/engines/statistics/types.ts";
import type { PlannedMetric } from "#lib/experiments/metric_kinds/kind.ts";
import { METRIC_KINDS } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import type { MetricResult } from "#lib/experiments/results/result-schema.ts";
import { addUpSums, type Totals, type VariantSums } from "#lib/experiments/results/units/sums.ts";

/** A metric's sums by variant, and what statistics say of them. */
export type Analysed = {
  baseline: VariantSums;
  variants: VariantSums[];
  analysis: MetricAnalysis;
};

const sampleOf = ({ number_of_samples, ...sums }: VariantSums): Sample => ({ n: number_of_samples, ...sums });

/**
 * Compares variants with the baseline.
 *
 * @param units exposed units by variant
 * @param totals of all variants
 */
export function analyse(
  metric: PlannedMetric,
  keys: { variants: readonly string[]; baseline: string },
  units: ReadonlyMap<string, number>,
  totals: readonly Totals[],
  settings: Settings,
): Analysed {
  const of = (key: string) => addUpSums(metric, key, units.get(key) ?? 0, totals);
  const baseline = of(keys.baseline);
  const variants = keys.variants.filter((key) => key !== keys.baseline).map(of);
  const analysis = analyseMetric(
    METRIC_KINDS[metric.type].statistics,
    sampleOf(baseline),
    variants.map(sampleOf),
    settings,
  );
  return { baseline, variants, analysis };
}

/** Sums as the API writes them: those that the metric does not have are left out. */
const wireSums = (
  { key, number_of_samples, sum, sum_squares, step_counts, ...others }: VariantSums,
  failures: readonly string[],
) => ({
  key,
  number_of_samples,
  sum,
  sum_squares,
  validation_failures: [...failures],
  ...(step_counts && { step_counts }),
  ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null)),
});

function wireEstimate(estimate: BayesianEstimate | FrequentistEstimate | null, settings: Settings): Json {
  const head = { method: settings.method };
  if (!estimate) return head;
  const { significant, interval } = estimate;
  if (estimate.method === "bayesian")
    return {
      ...head,
      significant,
      chance_to_win: estimate.chance_to_win,
      credible_interval: [...interval],
    };
  return { ...head, significant, p_value: estimate.p_value, confidence_interval: [...interval] };
}

/** Members of older answers, which clients still look for. */
const LEGACY = {
  credible_intervals: null,
  expected_loss: null,
  funnels_query: null,
  count_query: null,
  exposure_query: null,
  insight: null,
  p_value: null,
  probability: null,
  significant: null,
  significance_code: null,
  stats_version: null,
  variants: null,
};

/** The answer to an ExperimentQuery. */
export function wireResult(metric: Json, { baseline, variants, analysis }: Analysed): MetricResult {
  return {
    kind: "ExperimentQuery",
    metric,
    baseline: wireSums(baseline, analysis.baseline.validation_failures),
    variant_results: variants.map((sums, i) => ({
      ...wireSums(sums, analysis.variants[i]?.validation_failures ?? []),
      ...wireEstimate(analysis.variants[i]?.estimate ?? null, analysis.settings),
    })),
    ...LEGACY,
  };
}
