import type { MetricPreview } from "#lib/experiment_results/result_schema.ts";
import type { CurveInput } from "#lib/statistics/power.ts";
import { type CalculatorBaseline, type CalculatorMetric, runningTime } from "#lib/statistics/running_time.ts";

type Json = Record<string, unknown>;

/** How the calculator treats a metric. */
function calculatorMetric(metric: Json): CalculatorMetric {
  if (metric.metric_type !== "mean")
    return metric.metric_type === "ratio" || metric.metric_type === "retention"
      ? metric.metric_type
      : "funnel";
  const math = String((metric.source as Json | undefined)?.math ?? "total");
  return math === "total" || math === "dau" ? "mean_count" : "mean_sum_or_avg";
}

export type Plan = {
  /** The metric without the change. */
  baseline: number;
  sample: number;
  /** null where nobody new came in the past days. */
  days: number | null;
  curve: CurveInput;
};

/**
 * People and days that it takes to find an effect with 80 % chance.
 *
 * @param effect percent
 * @returns null where the metric has no value yet, or the effect is 0
 */
export function planOf(
  metric: Json,
  preview: MetricPreview,
  effect: number,
  variants: number,
  alpha: number,
): Plan | null {
  const type = calculatorMetric(metric);
  const found = runningTime({
    metric_type: type,
    baseline: preview.baseline as unknown as CalculatorBaseline,
    minimum_detectable_effect: effect,
    number_of_variants: variants,
    exposure_rate_per_day: preview.daily_units,
  });
  const { baseline_value: baseline, sample_size_total: sample } = found;
  if (baseline === null || sample === null) return null;
  const variance = type === "funnel" ? baseline * (1 - baseline) : found.variance;
  if (variance === null || variance <= 0) return null;
  return {
    baseline,
    sample,
    days: found.running_time_days,
    curve: {
      baseline_value: baseline,
      variance,
      alpha,
      sample_size_total: sample,
      number_of_variants: variants,
    },
  };
}
