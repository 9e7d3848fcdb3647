import type { WinsorSettings } from "#lib/engines/statistics/winsorise.ts";
import { decimal } from "#lib/experiments/metric_kinds/counting.ts";
import type { PlannedMetric, UnitValue } from "#lib/experiments/metric_kinds/kind.ts";
import { METRIC_KINDS } from "#lib/experiments/metric_kinds/metric-kinds.ts";

/** Sums over the units of a variant that took so many steps of a funnel (0 where there are none). */
export type Totals = {
  variant: string;
  step: number;
  units: number;
  value: number;
  value_squares: number;
  other: number;
  other_squares: number;
  value_other: number;
  covariate: number;
  covariate_squares: number;
  value_covariate: number;
  /** Of winsorised metrics: the part of `value` that comes from values within the bounds. */
  uncapped?: number;
};

/** A variant's sums as the API names them. */
export type VariantSums = {
  key: string;
  number_of_samples: number;
  sum: number;
  sum_squares: number;
  /** Funnels: units that reached step 1, 2 and so on. */
  step_counts: number[] | null;
  denominator_sum: number | null;
  denominator_sum_squares: number | null;
  numerator_denominator_sum_product: number | null;
  covariate_sum: number | null;
  covariate_sum_squares: number | null;
  covariate_sum_product: number | null;
};

/** The step under which a unit's value is summed up. */
export const stepOf = (metric: Pick<PlannedMetric, "type">, value: UnitValue): number =>
  METRIC_KINDS[metric.type].sums.bySteps ? value.other : 0;

const add = (totals: readonly Totals[], of: (row: Totals) => number) =>
  decimal(totals.reduce((sum, row) => sum + of(row), 0));

/**
 * What the API says of a variant.
 *
 * @param units exposed units of the variant
 * @param totals of the variant; those of other variants are left out
 */
export function addUpSums(
  metric: PlannedMetric,
  key: string,
  units: number,
  totals: readonly Totals[],
): VariantSums {
  const mine = totals.filter((row) => row.variant === key);
  const { sums } = METRIC_KINDS[metric.type];
  const hasCovariate = metric.lookback !== null;
  return {
    key,
    number_of_samples: sums.units === "started" ? add(mine, (row) => row.other) : units,
    sum: add(mine, (row) => row.value),
    sum_squares: add(mine, (row) => row.value_squares),
    step_counts: sums.bySteps
      ? metric.sources.map((_, i) => add(mine, (row) => (row.step > i ? row.units : 0)))
      : null,
    denominator_sum: sums.denominator ? add(mine, (row) => row.other) : null,
    denominator_sum_squares: sums.denominator ? add(mine, (row) => row.other_squares) : null,
    numerator_denominator_sum_product: sums.denominator ? add(mine, (row) => row.value_other) : null,
    covariate_sum: hasCovariate ? add(mine, (row) => row.covariate) : null,
    covariate_sum_squares: hasCovariate ? add(mine, (row) => row.covariate_squares) : null,
    covariate_sum_product: hasCovariate ? add(mine, (row) => row.value_covariate) : null,
  };
}

/** How a planned metric winsorises, in the engine's words. */
export const winsorSettings = ({ lower, upper, ignore_zeros }: NonNullable<PlannedMetric["winsor"]>) =>
  ({
    lower_bound_percentile: lower,
    upper_bound_percentile: upper,
    ignore_zeros,
  }) satisfies WinsorSettings;
