/** How the calculator treats a metric: counts of events, sums and averages of a property, and the rest. */
export type CalculatorMetric = "mean_count" | "mean_sum_or_avg" | "funnel" | "ratio" | "retention";

/** A baseline's sums, as the API reports them. */
export interface CalculatorBaseline {
  readonly number_of_samples: number;
  readonly sum: number;
  readonly sum_squares: number;
  readonly step_counts?: readonly number[] | null;
  readonly denominator_sum?: number | null;
  readonly denominator_sum_squares?: number | null;
  readonly numerator_denominator_sum_product?: number | null;
}

export interface RunningTimeInput {
  readonly metric_type: CalculatorMetric;
  readonly baseline: CalculatorBaseline;
  /** Smallest lift worth finding, in percent of the baseline. */
  readonly minimum_detectable_effect: number;
  readonly number_of_variants: number;
  /** Units newly exposed per day, over all variants. */
  readonly exposure_rate_per_day: number;
}

/** Null wherever the input has no answer. */
export interface RunningTime {
  readonly baseline_value: number | null;
  /** Variance of one unit that the plan rests on; null for funnels, whose value gives it. */
  readonly variance: number | null;
  readonly sample_size_before_rounding: number | null;
  /** Units over all variants. */
  readonly sample_size_total: number | null;
  readonly running_time_days: number | null;
}

/** 16 is 2 (1.96 + 0.84)^2 rounded: 80% power at 5%, two-sided (Lehr, Statistics in Medicine 11, 1992). */
const LEHR = 16;

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

const perUnit = ({ number_of_samples: n }: CalculatorBaseline, total: number): number | null =>
  n > 0 ? finite(total / n) : null;

const ratioValue = ({ sum, denominator_sum }: CalculatorBaseline): number | null =>
  finite(sum / (denominator_sum ?? 0));

/** Delta method with moments over n: the sums describe a population to plan for, not a sample. */
function ratioVariance(baseline: CalculatorBaseline): number | null {
  const { number_of_samples: n, sum, sum_squares } = baseline;
  const [m, d] = [sum / n, (baseline.denominator_sum ?? 0) / n];
  const spread = sum_squares / n - m ** 2;
  const denominator = (baseline.denominator_sum_squares ?? 0) / n - d ** 2;
  const covariance = (baseline.numerator_denominator_sum_product ?? 0) / n - m * d;
  return finite(spread / d ** 2 + (m ** 2 * denominator) / d ** 4 - (2 * m * covariance) / d ** 3);
}

/** A metric's value, and the variance of one unit; null: it follows from the value. */
const CALCULATORS: Record<
  CalculatorMetric,
  {
    value: (baseline: CalculatorBaseline) => number | null;
    variance: ((baseline: CalculatorBaseline, value: number) => number | null) | null;
  }
> = {
  mean_count: { value: (baseline) => perUnit(baseline, baseline.sum), variance: (_, value) => 2 * value },
  mean_sum_or_avg: {
    value: (baseline) => perUnit(baseline, baseline.sum),
    variance: (_, value) => 0.25 * value ** 2,
  },
  funnel: {
    value: (baseline) => perUnit(baseline, baseline.step_counts?.at(-1) ?? baseline.sum),
    variance: null,
  },
  ratio: { value: ratioValue, variance: ratioVariance },
  retention: { value: ratioValue, variance: ratioVariance },
};

/**
 * Units and days needed to find a lift with 80% power at 5%: ceil(variants * 16 * variance / d^2) units, d the
 * smallest lift in the metric's unit. Counts are taken to be Poisson-like (variance 2b), sums and averages to
 * have half their value as standard deviation; a funnel's variance is p(1 - p).
 */
export function runningTime(input: RunningTimeInput): RunningTime {
  const { baseline, number_of_variants, exposure_rate_per_day } = input;
  const calculator = CALCULATORS[input.metric_type];
  const value = calculator.value(baseline);
  const effect = (input.minimum_detectable_effect / 100) * (value ?? 0);
  const isPlannable = value !== null && input.minimum_detectable_effect !== 0;
  const variance = isPlannable ? (calculator.variance?.(baseline, value) ?? null) : null;
  const spread = calculator.variance === null && value !== null ? value * (1 - value) : (variance ?? 0);
  const size = (number_of_variants * LEHR * spread) / effect ** 2;
  // Without a value or an effect the size is infinite or no number.
  if (!(Number.isFinite(size) && size > 0))
    return {
      baseline_value: value,
      variance,
      sample_size_before_rounding: null,
      sample_size_total: null,
      running_time_days: null,
    };
  const total = Math.ceil(size);
  return {
    baseline_value: value,
    variance,
    sample_size_before_rounding: size,
    sample_size_total: total,
    running_time_days: exposure_rate_per_day > 0 ? Math.ceil(total / exposure_rate_per_day) : null,
  };
}
