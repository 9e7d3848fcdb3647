import type { ExperimentResults, ResultMetric, ResultRow } from "#lib/experiment_results/result_schema.ts";

export type Results = ExperimentResults;
export type MetricResult = ResultMetric;
export type Row = ResultRow;
export type Estimate = NonNullable<Row["estimate"]>;

/** A variant as the results name it; its place in their list is its place in the flag. */
export type Variant = Results["variants"][number];

/** Whether a metric's value is a share of people rather than a number of the metric's own unit. */
export const isShare = (type: MetricResult["metric_type"]): boolean =>
  type === "funnel" || type === "retention";

/** What is counted, in words: "people", or the group type's name. */
export const unitWord = (unit: string): string => (unit === "person" ? "people" : `${unit}s`);
