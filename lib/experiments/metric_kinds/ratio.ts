import { z } from "zod";
import { countsEvents } from "./amounts.ts";
import { countSource, spanOf, updateNumber, within } from "./counting.ts";
import { type MetricKind, NO_RULES, RECOMPUTE } from "./kind.ts";
import { commonFields, emptySource, metricSource } from "./metric-schema.ts";

const schema = z
  .looseObject({
    ...commonFields,
    metric_type: z.literal("ratio"),
    numerator: metricSource,
    denominator: metricSource,
  })
  .meta({ id: "ExperimentRatioMetric" });

/** One total over another. */
export const ratio = {
  schema,
  parts: [
    { field: "numerator", isList: false, what: () => "the numerator" },
    { field: "denominator", isList: false, what: () => "the denominator" },
  ],
  createEmpty: () => ({ numerator: emptySource(), denominator: emptySource() }),
  findProblem: () => null,
  planning: ({ numerator }) => ({ isCount: countsEvents(numerator), calculator: null }),
  defaultName: (events) => events.join(" / "),
  plan: ({ numerator, denominator }) => ({
    ...NO_RULES,
    sources: [numerator, denominator],
    isAdjustable: false,
  }),
  statistics: "ratio",
  sums: { bySteps: false, denominator: true, units: "exposed" },
  layout: () => ({ value: 0, other: 1, covariate: null, mark: null }),
  count(plan, metric, history, first, cut) {
    const [over = 0, under = 0] = metric.sources;
    const span = spanOf(plan, metric, first, cut);
    return {
      value: countSource(plan, over, history, span),
      other: countSource(plan, under, history, span),
      covariate: 0,
      mark: 0,
    };
  },
  createUpdate(plan, metric) {
    const [over = 0, under = 0] = metric.sources;
    return ({ first_at }, stored, added) => {
      const span = spanOf(plan, metric, first_at, Number.POSITIVE_INFINITY);
      const hitsOf = (source: number) => within(added.history.hits[source] ?? [], span);
      const value = updateNumber(plan, over, stored.value, hitsOf(over), added);
      const other = updateNumber(plan, under, stored.other, hitsOf(under), added);
      if (value === RECOMPUTE || other === RECOMPUTE) return RECOMPUTE;
      return value === stored.value && other === stored.other ? stored : { ...stored, value, other };
    };
  },
} satisfies MetricKind<z.infer<typeof schema>>;
