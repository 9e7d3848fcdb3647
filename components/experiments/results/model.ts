import { isShare as isShareOfUnits, UNKNOWN } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import type { ExperimentResults, ResultMetric, ResultRow } from "#lib/experiments/results/result-schema.ts";

export type Results = ExperimentResults;
export type MetricResult = ResultMetric;
export type Row = ResultRow;
export type Estimate = NonNullable<Row["estimate"]>;

/** A variant as the results name it; its place in their list is its place in the flag. */
export type Variant = Results["variants"][number];

/** Whether a metric's value is a share of people rather than a number of the metric's own unit. */
export const isShare = ({ metric_type }: Pick<MetricResult, "metric_type">): boolean =>
  isShareOfUnits(metric_type ?? UNKNOWN);
