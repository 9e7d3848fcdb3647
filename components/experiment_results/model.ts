import type { ExperimentResults, ResultMetric, ResultRow } from "#lib/experiment_results/result_schema.ts";
import { plainNumber } from "#lib/statistics/words.ts";

export type Results = ExperimentResults;
export type MetricResult = ResultMetric;
export type Row = ResultRow;
export type Estimate = NonNullable<Row["estimate"]>;

/** A variant as the results name it; its place in their list is its place in the flag. */
export type Variant = Results["variants"][number];

/** Whether a metric's value is a share of people rather than a number of the metric's own unit. */
export const isShare = (type: MetricResult["metric_type"]): boolean =>
  type === "funnel" || type === "retention";

/**
 * A number with as many decimals as the others of its column: those that the smallest of them needs for three
 * digits, at most four; none where all are in the thousands.
 */
export function alike(value: number, column: readonly number[]): string {
  const sizes = column.map(Math.abs).filter((size) => size > 0);
  if (column.every((each) => Number.isInteger(each))) return value.toLocaleString("en");
  const smallest = sizes.length > 0 ? Math.min(...sizes) : 1;
  if (smallest < 1e-4) return plainNumber(value);
  const digits = Math.max(0, Math.min(4, 2 - Math.floor(Math.log10(smallest))));
  const fixed = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value.toLocaleString("en", fixed).replace("-", "−");
}

/** What is counted, in words: "people", or the group type's name. */
export const unitWord = (unit: string): string => (unit === "person" ? "people" : `${unit}s`);
