import { z } from "zod";
import { METRIC_TYPES } from "#lib/experiments/metric_kinds/metric-schema.ts";
import { personRecord } from "#lib/people/persons/schema.ts";

const key = z.string().meta({ description: "Key of the variant." });
const interval = z.array(z.number()).meta({ description: "Lower and upper bound." });

/** A variant's sums, as in both kinds of responses. */
const sums = {
  key,
  number_of_samples: z.number().meta({ description: "Exposed units; for retention, units that started." }),
  sum: z
    .number()
    .meta({ description: "Sum of the units' values; for funnels and retention, units that converted." }),
  sum_squares: z.number().meta({ description: "Sum of squared values." }),
  validation_failures: z
    .array(z.enum(["not-enough-exposures", "not-enough-metric-data", "baseline-mean-is-zero"]))
    .meta({ description: "Why the variant cannot be compared." }),
};

const wireVariant = z.looseObject({
  ...sums,
  validation_failures: z.array(z.string()).meta({ description: "Why the variant cannot be compared." }),
  step_counts: z
    .array(z.number())
    .optional()
    .meta({ description: "Units that reached each step of a funnel." }),
});

/** The answer to an ExperimentQuery. */
export const metricResult = z
  .looseObject({
    kind: z.literal("ExperimentQuery"),
    metric: z.record(z.string(), z.unknown()).meta({ description: "The metric as sent." }),
    baseline: wireVariant.meta({ description: "The variant that the others are compared with." }),
    variant_results: z.array(wireVariant).meta({
      description: "The other variants: sums and, if comparable, method, significant and interval.",
    }),
  })
  .meta({ id: "ExperimentMetricResult" });

export const exposureResult = z
  .object({
    kind: z.literal("ExperimentExposureQuery"),
    timeseries: z
      .array(
        z.object({
          variant: key,
          days: z.array(z.string()).meta({ description: "Days, in the project's time zone." }),
          exposure_counts: z.array(z.number()).meta({ description: "Units exposed by the end of each day." }),
        }),
      )
      .meta({ description: "Variants in flag order, then $multiple." }),
    total_exposures: z.record(z.string(), z.number()).meta({ description: "Exposed units by variant." }),
    date_range: z.object({
      date_from: z.string().meta({ description: "Start of the experiment." }),
      date_to: z.string().nullable().meta({ description: "End of the experiment; null while it runs." }),
    }),
    sample_ratio_mismatch: z
      .object({
        expected: z.record(z.string(), z.number()).meta({ description: "Units expected from the split." }),
        p_value: z.number().meta({ description: "Probability of a split at least this uneven by chance." }),
      })
      .nullable()
      .meta({ description: "null for fewer than 100 units." }),
  })
  .meta({ id: "ExperimentExposures" });

export const timeseriesResult = z
  .object({
    experiment_id: z.number().int().meta({ description: "The experiment." }),
    metric_uuid: z.string().meta({ description: "The metric requested." }),
    status: z
      .enum(["pending", "partial", "completed", "failed"])
      .meta({ description: "Status of all days." }),
    timeseries: z.record(z.string(), z.record(z.string(), z.unknown()).nullable()).meta({
      description: "Cumulative result at the end of each day; null where there is none yet.",
    }),
    errors: z.record(z.string(), z.string()).nullable().meta({ description: "Why days have no result." }),
    computed_at: z.string().nullable().meta({ description: "When the newest day was computed." }),
    created_at: z.string().meta({ description: "When the series was created." }),
    updated_at: z.string().meta({ description: "When it last changed." }),
    recalculation_status: z
      .enum(["pending", "in_progress", "completed", "failed"])
      .nullable()
      .meta({ description: "Status of the latest recomputation of past days; null if there was none." }),
    recalculation_created_at: z.string().nullable().meta({ description: "When it was requested." }),
    progress: z.number().nullable().meta({ description: "Progress, 0 to 1." }),
  })
  .meta({ id: "ExperimentTimeseries" });

export const recalculation = z
  .object({
    id: z.string().meta({ description: "Id of the request." }),
    experiment_id: z.number().int().meta({ description: "The experiment." }),
    metric_uuid: z.string().meta({ description: "The metric." }),
    fingerprint: z.string().meta({ description: "Hash of its configuration." }),
    status: z
      .enum(["pending", "in_progress", "completed", "failed"])
      .meta({ description: "Status of the recomputation." }),
    created_at: z.string().meta({ description: "When it was requested." }),
    progress: z.number().meta({ description: "Progress, 0 to 1." }),
  })
  .meta({ id: "ExperimentRecalculation" });

const cupedEstimator = z.enum(["adjusted_means", "public_service"]);

const direction = z.enum(["better", "worse", "unclear"]).meta({
  description: "With the metric's goal in mind; unclear where the interval includes zero.",
});

const estimate = z.looseObject({
  method: z.enum(["bayesian", "frequentist"]),
  effect: z.number().meta({ description: "Estimated effect: a fraction when relative." }),
  interval,
  significant: z.boolean().meta({ description: "By the public API's rule." }),
  variance: z.number().meta({ description: "Variance of the estimate." }),
  chance_to_win: z
    .number()
    .nullable()
    .meta({ description: "Bayesian: probability of an effect above zero." }),
  p_value: z.number().nullable().meta({ description: "Frequentist: p-value." }),
  p_two_sided: z.number().meta({ description: "Evidence against no effect, comparable between methods." }),
  p_holm: z.number().meta({ description: "Corrected for all comparisons of this role (Holm)." }),
  p_bh: z.number().meta({ description: "Corrected for all comparisons of this role (Benjamini–Hochberg)." }),
  significant_holm: z.boolean(),
  significant_bh: z.boolean(),
  direction,
  cuped: z
    .looseObject({
      estimator: cupedEstimator,
      theta: z.number().meta({ description: "Weight of the value before exposure." }),
      variance_reduction: z.number().meta({
        description: "Share of the estimate's variance removed by CUPED; negative if it increased.",
      }),
    })
    .nullable()
    .meta({ description: "Effect of CUPED; null if the metric was not adjusted." }),
});

const row = z
  .object({
    ...sums,
    value: z.number().nullable().meta({ description: "Mean, rate or ratio; null without units." }),
    step_counts: z.array(z.number()).nullable().meta({ description: "Funnels: units at each step." }),
    denominator_sum: z.number().nullable(),
    denominator_sum_squares: z.number().nullable(),
    numerator_denominator_sum_product: z.number().nullable(),
    covariate_sum: z.number().nullable(),
    covariate_sum_squares: z.number().nullable(),
    covariate_sum_product: z.number().nullable(),
    failures: z.array(z.string()).meta({ description: "validation_failures in words." }),
    refusal: z
      .object({ code: z.string(), reason: z.string() })
      .nullable()
      .meta({ description: "Why there are no statistics despite data." }),
    estimate: estimate.nullable(),
  })
  .meta({ id: "ExperimentResultRow" });

const metricRow = z
  .object({
    role: z.enum(["primary", "secondary"]),
    uuid: z.string(),
    fingerprint: z.string(),
    name: z.string(),
    saved_metric_id: z
      .number()
      .int()
      .nullable()
      .meta({ description: "Id of the saved metric; null for the experiment's own metric." }),
    metric_type: z.enum(METRIC_TYPES).nullable(),
    goal: z.enum(["increase", "decrease"]),
    metric: z.record(z.string(), z.unknown()).meta({ description: "The metric as stored." }),
    problem: z.string().nullable().meta({ description: "Why the metric cannot be computed." }),
    baseline: row.nullable(),
    variants: z.array(row),
  })
  .meta({ id: "ExperimentResultMetric" });

const finding = z
  .object({
    code: z.enum([
      "no_exposures",
      "too_few",
      "sample_ratio_mismatch",
      "multiple_variants",
      "changed_split",
      "flag_inactive",
      "variant_without_exposures",
    ]),
    severity: z.enum(["error", "warning", "info"]),
    title: z.string().meta({ description: "The finding." }),
    what_to_do: z.string().meta({ description: "What to do about it." }),
  })
  .meta({ id: "ExperimentFinding" });

const splitPhase = z
  .object({
    from: z.string(),
    to: z.string().nullable().meta({ description: "End of the phase; null for the current one." }),
    shares: z.record(z.string(), z.number()).meta({ description: "Percent by variant." }),
    exposures: z
      .record(z.string(), z.number())
      .meta({ description: "Units first exposed in this phase, by variant." }),
    expected: z
      .record(z.string(), z.number())
      .nullable()
      .meta({ description: "Units expected from the shares; null if the phase cannot be checked." }),
    p_value: z.number().nullable().meta({ description: "p-value of this phase alone." }),
  })
  .meta({ id: "ExperimentSplitPhase" });

export const experimentResults = z
  .object({
    experiment_id: z.number().int(),
    status: z.string().meta({ description: "draft, running, paused or stopped." }),
    state: z
      .enum(["ready", "computing", "not_started"])
      .meta({ description: "computing: results are being computed for the first time; retry later." }),
    progress: z.number().nullable().meta({ description: "Progress, 0 to 1, if known." }),
    as_of: z.string().nullable().meta({ description: "Time of all figures." }),
    variants: z.array(
      z.object({
        key,
        name: z.string().nullable(),
        share: z.number().nullable().meta({ description: "Percent of the split; null for a holdout." }),
        is_baseline: z.boolean(),
      }),
    ),
    unit: z.string().meta({ description: "person, or the group type that is counted." }),
    exposures: exposureResult.nullable(),
    health: z.object({
      total: z.number().meta({ description: "Exposed units, including those with several variants." }),
      multiple: z.number().meta({ description: "Units with several variants." }),
      multiple_share: z.number(),
      mismatch: z
        .object({
          expected: z.record(z.string(), z.number()),
          p_value: z.number(),
          mismatch: z.boolean(),
        })
        .nullable(),
      phases: z.array(splitPhase).meta({
        description:
          "The splits from start to end, oldest first. mismatch compares each unit with the split in force at its first exposure.",
      }),
      findings: z.array(finding).meta({ description: "Most severe first." }),
    }),
    planned: z.object({
      sample: z.number().nullable().meta({ description: "Planned sample size across all variants." }),
      reached: z.boolean().nullable(),
      minimum_detectable_effect: z.number().nullable().meta({ description: "Percent." }),
      days_left: z.number().nullable().meta({ description: "At the pace of the last seven days." }),
    }),
    settings: z.object({
      method: z.enum(["bayesian", "frequentist"]),
      level: z.number().meta({ description: "Level of intervals, such as 0.95." }),
      difference_type: z.enum(["relative", "absolute"]),
      sequential: z.boolean(),
      cuped: z.boolean(),
      cuped_estimator: cupedEstimator
        .nullable()
        .meta({ description: "CUPED estimator; null without CUPED." }),
      baseline_key: z.string(),
    }),
    metrics: z.array(metricRow),
  })
  .meta({ id: "ExperimentResults" });

export const holdoutResults = z
  .object({
    experiment_ids: z.array(z.number().int()).meta({
      description: "Launched experiments with the holdout that compare people, whose flags' calls count.",
    }),
    since: z.string().nullable().meta({ description: "First launch; null before it." }),
    as_of: z.string(),
    units: z
      .object({ held_out: z.number(), rest: z.number() })
      .meta({ description: "People by the value of their first call: the holdout's, or a variant." }),
    split: z
      .object({
        share: z.number().meta({ description: "Share that is held out, in percent." }),
        p_value: z.number(),
        mismatch: z.boolean(),
      })
      .nullable()
      .meta({ description: "Whether so many are held out; null with few people, or with conditions." }),
    one_in: z.number().int().meta({ description: "One of how many people was read; 1: all." }),
    level: z.number().meta({ description: "Credibility of the intervals." }),
    metrics: z.array(metricRow).meta({
      description: "Metrics of these experiments: rest compared with held_out, from the first call on.",
    }),
  })
  .meta({ id: "ExperimentHoldoutResults" });

export const unitRow = z
  .object({
    unit: z.string().meta({ description: "Id of the person, or key of the group." }),
    person: personRecord.nullable().meta({ description: "null for groups." }),
    variant: key,
    first_exposed_at: z.string(),
    value: z.number().nullable().meta({ description: "Its contribution to the requested metric." }),
    before: z.number().nullable().meta({
      description: "For sum: its value before capping; null if it was not capped.",
    }),
  })
  .meta({ id: "ExperimentUnit" });

export const summary = z
  .object({
    experiment_id: z.number().int(),
    exposures: z.record(z.string(), z.number()).nullable(),
    as_of: z.string().nullable(),
    metric: z
      .object({ uuid: z.string(), name: z.string(), goal: z.enum(["increase", "decrease"]) })
      .nullable(),
    best: z
      .object({
        key,
        effect: z.number(),
        interval,
        significant: z.boolean(),
        significant_holm: z
          .boolean()
          .meta({ description: "Corrected for all comparisons of primary metrics (Holm)." }),
        chance_to_win: z.number().nullable(),
        p_value: z.number().nullable(),
        direction,
      })
      .nullable()
      .meta({
        description: "For the first primary metric: the variant furthest in the direction of its goal.",
      }),
    refusal: z.string().nullable().meta({ description: "Why there is no best variant." }),
    findings: z.array(finding).meta({ description: "Errors and warnings about the data." }),
    hidden: z.boolean().meta({
      description: "Whether the metrics are to stay hidden, because the planned sample is not reached.",
    }),
  })
  .meta({ id: "ExperimentSummary" });

export const preview = z
  .object({
    days: z.number().int(),
    units: z.number().meta({ description: "Units that would have been exposed." }),
    events: z.number().meta({ description: "Total of their values." }),
    mean: z.number().nullable(),
    variance: z.number().nullable().meta({ description: "Variance of a unit's value, outliers capped." }),
    standard_deviation: z.number().nullable().meta({ description: "Its square root." }),
    exposed: z.number().meta({
      description: "Exposed units; for retention, includes units that never started and do not count.",
    }),
    uncapped_share: z.number().nullable().meta({
      description: "Share of the metric's sum from uncapped values; 1 without caps.",
    }),
    conversion: z.number().nullable().meta({ description: "Share of units that convert or return." }),
    steps: z.array(z.number()).meta({ description: "Units at each step of a funnel." }),
    daily_units: z.number().meta({ description: "Newly exposed units per day." }),
    baseline: z.record(z.string(), z.unknown()).meta({ description: "Sums, as in a result's baseline." }),
    problem: z.string().nullable().meta({ description: "Why there are no figures." }),
    one_in: z
      .number()
      .int()
      .meta({ description: "Sampling rate: one in this many units; counts are scaled up." }),
  })
  .meta({ id: "ExperimentMetricPreview" });

export const look = z
  .object({
    id: z.number().int(),
    at: z.string(),
    user: z.object({ id: z.number().int(), first_name: z.string(), email: z.string() }).nullable(),
    total: z.number().meta({ description: "Units in variants at that time." }),
    exposures: z.record(z.string(), z.number()),
  })
  .meta({ id: "ExperimentLook" });

export type MetricResult = z.infer<typeof metricResult>;
export type ExperimentResults = z.infer<typeof experimentResults>;
export type ResultRow = z.infer<typeof row>;
export type ResultMetric = z.infer<typeof metricRow>;
export type Finding = z.infer<typeof finding>;
export type ExposureResult = z.infer<typeof exposureResult>;
export type Timeseries = z.infer<typeof timeseriesResult>;
export type Recalculation = z.infer<typeof recalculation>;
export type HoldoutResults = z.infer<typeof holdoutResults>;
export type ExperimentUnit = z.infer<typeof unitRow>;
export type Summary = z.infer<typeof summary>;
export type MetricPreview = z.infer<typeof preview>;
export type Look = z.infer<typeof look>;
