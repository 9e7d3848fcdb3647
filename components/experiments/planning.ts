import type { Json } from "#lib/engines/json.ts";
import { type PlanInput, plannedReduction, plannedSize } from "#lib/engines/statistics/planning/planning.ts";
import { type CalculatorBaseline, runningTime } from "#lib/engines/statistics/planning/running-time.ts";
import type { Sample, Settings } from "#lib/engines/statistics/types.ts";
import {
  isShare,
  METRIC_KINDS,
  readMetricType,
  UNKNOWN,
} from "#lib/experiments/metric_kinds/metric-kinds.ts";
import type { MetricPreview } from "#lib/experiments/results/result-schema.ts";
import type { PlanSource } from "./plan-source.ts";
import type { Variant } from "./variants.ts";

/** How the experiment will be split and read. */
export type Reading = { variants: readonly Variant[]; baseline: string; settings: Settings };

export type Plan = {
  /** The metric without the change, and with the smallest effect worth finding. */
  baseline: number;
  target: number;
  sample: number;
  /** null if there were no new people in the past days, or it is unknown. */
  days: number | null;
  /** The effect as a fraction, below 0 for a metric that should fall. */
  effect: number;
  input: PlanInput;
  source: PlanSource;
  /** Share of the variance that CUPED removes; null without CUPED or earlier values. */
  reduction: number | null;
};

/** What planning needs to know of a metric; null of a kind that is not known. */
export function planningOf(metric: Json) {
  const type = readMetricType(metric);
  if (type === UNKNOWN) return null;
  const kind = METRIC_KINDS[type];
  return { ...kind.planning(metric), type: kind.statistics, isShare: isShare(type) };
}

/** Shares of the baseline and of the smallest variant, which takes longest. */
function sharesOf({ variants, baseline }: Reading): PlanInput["shares"] {
  const all = variants.reduce((sum, { rollout_percentage }) => sum + rollout_percentage, 0);
  const shares = variants.map(({ key, rollout_percentage }) => ({ key, share: rollout_percentage / all }));
  const control = shares.find(({ key }) => key === baseline)?.share ?? 0;
  const others = shares.filter(({ key, share }) => key !== baseline && share > 0).map(({ share }) => share);
  return control > 0 && others.length > 0
    ? { control, variant: Math.min(...others) }
    : { control: 0.5, variant: 0.5 };
}

/** The effect as a fraction, in the direction of the metric's goal. */
const signed = (metric: Json, percent: number) => (metric.goal === "decrease" ? -percent : percent) / 100;

/**
 * People and days needed to detect an effect with 80% power, by the variance of the stored events.
 *
 * @param percent the smallest effect worth finding, above 0
 * @returns null where the metric has no value or does not vary, "impossible" for an effect that no variant can have
 */
export function planFromEvents(
  metric: Json,
  preview: MetricPreview,
  percent: number,
  reading: Reading,
): Plan | "impossible" | null {
  const { baseline: sums, mean, standard_deviation, exposed, units, daily_units } = preview;
  const planning = planningOf(metric);
  if (!planning || preview.problem || mean === null || mean === 0 || !standard_deviation || units === 0)
    return null;
  const { number_of_samples: n, ...others } = sums as unknown as CalculatorBaseline & Partial<Sample>;
  const effect = signed(metric, percent);
  const input: PlanInput = {
    type: planning.type,
    baseline: { ...others, n },
    isCount: planning.isCount,
    uncapped_share: preview.uncapped_share ?? 1,
    settings: reading.settings,
    shares: sharesOf(reading),
    counted_share: units / exposed,
  };
  const sample = plannedSize(input, effect);
  if (sample === null) return "impossible";
  return {
    baseline: mean,
    target: mean * (1 + effect) ** input.uncapped_share,
    sample,
    days: daily_units > 0 ? Math.ceil(sample / daily_units) : null,
    effect,
    input,
    source: { kind: "stored_events", people: n, days: preview.days, standard_deviation },
    reduction: plannedReduction(input),
  };
}

/** Size of an invented baseline: enough for its moments to be exact. */
const MANY = 1e6;

/**
 * The same by the public service's formula, from an expected value, where nothing is stored yet.
 *
 * @returns null for a metric without a rule of thumb, or an effect that no variant can have
 */
export function planByRule(metric: Json, expected: number, percent: number, reading: Reading): Plan | null {
  const planning = planningOf(metric);
  if (!planning?.calculator || !(expected > 0)) return null;
  const { calculator, isCount } = planning;
  const found = runningTime({
    metric_type: calculator,
    baseline: {
      number_of_samples: 1,
      sum: expected,
      sum_squares: expected,
      denominator_sum: 1,
      denominator_sum_squares: 1,
      numerator_denominator_sum_product: expected,
    },
    minimum_detectable_effect: percent,
    number_of_variants: Math.max(2, reading.variants.length),
    exposure_rate_per_day: 0,
  });
  const { sample_size_total: sample } = found;
  const effect = signed(metric, percent);
  const isPossible = 1 + effect > 0 && !(planning.isShare && (expected >= 1 || expected * (1 + effect) >= 1));
  if (sample === null || !isPossible) return null;
  const variance = found.variance ?? expected * (1 - expected);
  const input: PlanInput = {
    type: planning.isShare ? "funnel" : "mean",
    baseline: { n: MANY, sum: expected * MANY, sum_squares: (variance + expected ** 2) * MANY },
    isCount,
    uncapped_share: 1,
    settings: reading.settings,
    shares: sharesOf(reading),
    counted_share: 1,
  };
  return {
    baseline: expected,
    target: expected * (1 + effect),
    sample,
    days: null,
    effect,
    input,
    source: { kind: "rule_of_thumb" },
    reduction: null,
  };
}
