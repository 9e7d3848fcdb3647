import type { TableData } from "#components/charts/csv.ts";
import type { MetricResult, Row } from "#components/experiments/results/model.ts";
import { excludesZero } from "#lib/engines/statistics/planning/goal.ts";
import { currencyOf } from "#lib/experiments/metric_kinds/amounts.ts";

const COLUMNS = [
  "Metric",
  "Role",
  "Goal",
  "Currency",
  "Variant",
  "Units",
  "Sum",
  "Sum of squares",
  "Denominator",
  "Value",
  "Difference",
  "Interval from",
  "Interval to",
  "Chance to win (above baseline)",
  "p value",
  "Significant",
  "p two-sided",
  "p after Holm",
  "p after Benjamini-Hochberg",
  "Not compared because",
] as const;

function rowOf(metric: MetricResult, row: Row): (string | number | null)[] {
  const { estimate } = row;
  return [
    metric.name,
    metric.role,
    metric.goal,
    currencyOf(metric.metric),
    row.key,
    row.number_of_samples,
    row.sum,
    row.sum_squares,
    row.denominator_sum,
    row.value,
    estimate?.effect ?? null,
    estimate?.interval[0] ?? null,
    estimate?.interval[1] ?? null,
    estimate?.chance_to_win ?? null,
    estimate?.p_value ?? null,
    estimate ? String(excludesZero(estimate.interval)) : null,
    estimate?.p_two_sided ?? null,
    estimate?.p_holm ?? null,
    estimate?.p_bh ?? null,
    [...row.failures, row.refusal?.reason].filter(Boolean).join(" ") || null,
  ];
}

/** Every figure of a metric table, in full precision. */
export const buildMetricTable = (metrics: readonly MetricResult[]): TableData => ({
  columns: COLUMNS.map((label, i) => ({ label, numeric: i > 4 })),
  rows: metrics.flatMap((metric) =>
    [...(metric.baseline ? [metric.baseline] : []), ...metric.variants].map((row) => rowOf(metric, row)),
  ),
});

/** A table as a list of objects, for JSON. */
export const toRecords = ({ columns, rows }: TableData): Record<string, unknown>[] =>
  rows.map((row) =>
    Object.fromEntries(
      columns.map(({ label }, i) => {
        const cell = row[i] ?? null;
        return [label, typeof cell === "object" && cell !== null ? cell.value : cell];
      }),
    ),
  );
