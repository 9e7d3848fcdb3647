/**
 * The words of experiment statistics. Everything is plain numbers: sums that can be added up by day and by
 * shard, and the answers that follow from them. Field names are those of the API.
 */

/** What a type of sample is: which formula gives its value, and what that value means. */
interface SampleRules {
  /** mean: sum / n; proportion: units that converted / n; ratio: one sum / another. */
  readonly value: "mean" | "proportion" | "ratio";
  /** Whether the value is a share of units. */
  readonly isShare: boolean;
  /** Whether it is held back until enough units converted. */
  readonly needsConversions: boolean;
  /** Whether CUPED can adjust it: that is for values of one unit, means and funnels as their 0 or 1. */
  readonly takesCovariate: boolean;
}

/** Every type of sample; all formulas look up here what they need to know of it. */
export const SAMPLE_TYPES = {
  mean: { value: "mean", isShare: false, needsConversions: false, takesCovariate: true },
  funnel: { value: "proportion", isShare: true, needsConversions: true, takesCovariate: true },
  ratio: { value: "ratio", isShare: false, needsConversions: false, takesCovariate: false },
  retention: { value: "ratio", isShare: true, needsConversions: true, takesCovariate: false },
  mean_threshold: { value: "proportion", isShare: true, needsConversions: false, takesCovariate: false },
} as const satisfies Record<string, SampleRules>;

/** How a metric's sums turn into a value and its variance. */
export type SampleType = keyof typeof SAMPLE_TYPES;

/** A lift as a fraction of the baseline (0.12 reads +12%), or the plain difference in the metric's unit. */
export type DifferenceType = "relative" | "absolute";

/** Which way a metric should move. */
export type Goal = "increase" | "decrease";

/**
 * What is known of one variant: its units (people or groups) and sums over them. For funnels and thresholds
 * `sum` counts the units that converted. The members below `sum_squares` are needed for ratios and retention
 * (denominator) and for CUPED (covariate: the same metric before the exposure).
 */
export interface Sample {
  /** Exposed units; of retention those with a start event. */
  readonly n: number;
  readonly sum: number;
  readonly sum_squares: number;
  readonly denominator_sum?: number | null;
  readonly denominator_sum_squares?: number | null;
  readonly numerator_denominator_sum_product?: number | null;
  readonly covariate_sum?: number | null;
  readonly covariate_sum_squares?: number | null;
  readonly covariate_sum_product?: number | null;
}

/** A metric's value in one variant: the mean, the variance of one unit, the number of units. */
export interface Moments {
  readonly n: number;
  readonly mean: number;
  readonly variance: number;
}

/**
 * How CUPED compares the adjusted variants. `adjusted_means` moves both to the covariate's common mean and carries
 * that through relative differences; `public_service` repeats the public service's formula, whose relative
 * differences are significant too often. Absolute differences are the same.
 */
export type CupedEstimator = (typeof CUPED_ESTIMATORS)[number];

/** The first is the default. */
export const CUPED_ESTIMATORS = ["adjusted_means", "public_service"] as const;

/** A normal prior of the effect, on the scale of the difference type. */
export interface Prior {
  readonly proper: boolean;
  readonly mean: number;
  readonly variance: number;
}

export interface BayesianSettings {
  readonly method: "bayesian";
  readonly difference_type: DifferenceType;
  /** Credible level in (0, 1). */
  readonly ci_level: number;
  /** Null: flat. The service never sets another. */
  readonly prior?: Prior | null;
  /** Chance to win is the chance to be below the baseline. The service never sets it: see goal.ts. */
  readonly inverse?: boolean;
  /** Null: no adjustment by a covariate. */
  readonly cuped?: CupedEstimator | null;
}

export interface FrequentistSettings {
  readonly method: "frequentist";
  readonly difference_type: DifferenceType;
  /** Two-sided error rate in (0, 1). */
  readonly alpha: number;
  /** Always-valid intervals; the parameter is the number of units at which they are tightest. */
  readonly sequential?: { readonly tuning_parameter: number } | null;
  /** Null: no adjustment by a covariate. */
  readonly cuped?: CupedEstimator | null;
}

export type Settings = BayesianSettings | FrequentistSettings;

/** Two bounds, lower first. */
export type Interval = readonly [number, number];

/** What CUPED did to both variants. */
export interface CupedReport {
  readonly estimator: CupedEstimator;
  readonly theta: number;
  readonly adjusted_variant_mean: number;
  readonly adjusted_control_mean: number;
  readonly adjusted_variant_variance: number;
  readonly adjusted_control_variance: number;
  /** Fractions of one unit's variance that went away. */
  readonly variance_reduction_variant: number;
  readonly variance_reduction_control: number;
  /** The same of the estimate: its interval is 1 - sqrt(1 - this) narrower. Below 0 where it got wider. */
  readonly variance_reduction: number;
}

interface Estimate {
  readonly status: "ok";
  /** Point estimate, on the scale of the difference type. */
  readonly effect: number;
  readonly interval: Interval;
  readonly significant: boolean;
  /** Of the estimate: its square root is the standard error. */
  readonly variance: number;
  readonly cuped: CupedReport | null;
}

export interface BayesianEstimate extends Estimate {
  readonly method: "bayesian";
  /** Probability that the effect is above zero; never turned round for a goal of decrease. */
  readonly chance_to_win: number;
  /** Expected loss, on the effect's scale, of staying with the control. */
  readonly risk_control: number;
  /** Expected loss of choosing the variant. */
  readonly risk_variant: number;
}

export interface FrequentistEstimate extends Estimate {
  readonly method: "frequentist";
  readonly p_value: number;
  /** Null for sequential tests. */
  readonly t_statistic: number | null;
  readonly degrees_of_freedom: number | null;
  readonly test_type: "two_sided" | "sequential_two_sided";
}

/** Why there is no estimate. `reason` is written for a product manager. */
export interface Refusal {
  readonly status: "refused";
  readonly code: RefusalCode;
  readonly reason: string;
}

export type Outcome = BayesianEstimate | FrequentistEstimate | Refusal;

/** Why the arithmetic has no answer. */
export type RefusalCode =
  | "impossible-data"
  | "values-too-large"
  | "negative-variance"
  | "zero-variance"
  | "too-few-units"
  | "control-mean-zero"
  | "control-mean-not-positive"
  | "denominator-zero"
  | "degenerate-proportion"
  | "too-few-successes"
  | "too-few-failures"
  | "level-out-of-range"
  | "missing-covariate";

/** Why results are held back although there might be arithmetic. The codes of the API. */
export type ValidationFailure = "not-enough-exposures" | "not-enough-metric-data" | "baseline-mean-is-zero";
