import type { ValueUnit } from "#lib/engines/statistics/numbers.ts";
import { valueUnitOf } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import type { ExperimentResults, ResultMetric, ResultRow } from "#lib/experiments/results/result-schema.ts";

export type Results = ExperimentResults;
export type MetricResult = ResultMetric;
export type Row = ResultRow;
export type Estimate = NonNullable<Row["estimate"]>;

/** A variant as the results name it; its place in their list is its place in the flag. */
export type Variant = Results["variants"][number];

/** What a metric's values are; one that cannot be read has none. */
export const unitOf = ({ metric_type, metric }: Pick<MetricResult, "metric_type" | "metric">): ValueUnit =>
  metric_type === null ? "number" : valueUnitOf(metric);
