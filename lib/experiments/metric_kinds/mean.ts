import { z } from "zod";
import { countsEvents } from "./amounts.ts";
import { countSource, spanOf, updateNumber, within } from "./counting.ts";
import { type MetricKind, NO_RULES, RECOMPUTE } from "./kind.ts";
import { commonFields, emptySource, metricSource } from "./metric-schema.ts";

const share = z.number().min(0).max(1).nullish();

const schema = z
  .looseObject({
    ...commonFields,
    metric_type: z.literal("mean"),
    source: metricSource,
    lower_bound_percentile: share.meta({
      description: "Smaller values are raised to this quantile of all units' values, 0 to 1.",
    }),
    upper_bound_percentile: share.meta({
      description: "Larger values are capped at this quantile of all units' values, 0 to 1.",
    }),
    ignore_zeros: z.boolean().nullish().meta({ description: "Whether the upper quantile ignores zeros." }),
  })
  .meta({ id: "ExperimentMeanMetric" });

/** How often, or how much, per unit. */
export const mean = {
  schema,
  parts: [{ field: "source", isList: false, what: () => "the event to count" }],
  createEmpty: () => ({ source: emptySource() }),
  findProblem: () => null,
  planning({ source }) {
    const isCount = countsEvents(source);
    return { isCount, calculator: isCount ? "mean_count" : "mean_sum_or_avg" };
  },
  defaultName: ([event = ""]) => event,
  plan({ source, lower_bound_percentile: lower, upper_bound_percentile: upper, ignore_zeros }) {
    const isCapped = lower != null || upper != null;
    return {
      ...NO_RULES,
      sources: [source],
      isAdjustable: true,
      winsor: isCapped
        ? { lower: lower ?? null, upper: upper ?? null, ignore_zeros: ignore_zeros ?? false }
        : null,
    };
  },
  statistics: "mean",
  sums: { bySteps: false, denominator: false, units: "exposed" },
  layout: ({ lookback }) => ({ value: 0, other: null, covariate: lookback === null ? null : 1, mark: null }),
  count(plan, metric, history, first, cut) {
    const [source = 0] = metric.sources;
    const value = countSource(plan, source, history, spanOf(plan, metric, first, cut));
    const earlier = metric.lookback === null ? null : { from: first - metric.lookback, to: first };
    return { value, other: 0, covariate: earlier ? countSource(plan, source, history, earlier) : 0, mark: 0 };
  },
  createUpdate(plan, metric) {
    const [source = 0] = metric.sources;
    return ({ first_at }, stored, added) => {
      const hits = added.history.hits[source] ?? [];
      if (hits.length === 0) return stored;
      const span = spanOf(plan, metric, first_at, Number.POSITIVE_INFINITY);
      const value = updateNumber(plan, source, stored.value, within(hits, span), added);
      const earlier = metric.lookback === null ? null : { from: first_at - metric.lookback, to: first_at };
      const covariate = earlier
        ? updateNumber(plan, source, stored.covariate, within(hits, earlier), added)
        : stored.covariate;
      if (value === RECOMPUTE || covariate === RECOMPUTE) return RECOMPUTE;
      return value === stored.value && covariate === stored.covariate
        ? stored
        : { ...stored, value, covariate };
    };
  },
} satisfies MetricKind<z.infer<typeof schema>>;
