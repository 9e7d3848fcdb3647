import { decimal } from "#lib/experiments/metric_kinds/counting.ts";
import type { PlannedMetric } from "#lib/experiments/metric_kinds/kind.ts";
import type { Totals } from "./sums.ts";

/** Values of units in columns: a million objects would take a hundred times as long to look through. */
export type ValueColumns = {
  /** Names of variants, by their number. */
  variants: string[];
  /** Number of each unit's variant; -1: it is in none. */
  variant: Int16Array;
  value: Float64Array;
  covariate: Float64Array;
};

/** Nearest rank (SQL's percentile_disc) among sorted values, of which `zeros` more are 0 and not listed. */
function rankOf(sorted: Float64Array, zeros: number, q: number): number {
  const count = sorted.length + zeros;
  const rank = Math.min(count, Math.max(1, Math.ceil(q * count)));
  let below = 0;
  while (below < sorted.length && (sorted[below] ?? 0) < 0) below += 1;
  if (rank <= below) return sorted[rank - 1] ?? 0;
  return rank <= below + zeros ? 0 : (sorted[rank - zeros - 1] ?? 0);
}

/**
 * The bounds that outliers are capped at: quantiles of all units' values, variants pooled.
 *
 * @param units how many units there are, those without a value (0) included
 */
export function computeBounds(
  values: Float64Array,
  units: number,
  { lower, upper, ignore_zeros }: NonNullable<PlannedMetric["winsor"]>,
): { low: number; high: number } {
  const listed = values.filter((value) => value !== 0).sort();
  const zeros = Math.max(0, units - listed.length);
  const low = lower === null ? Number.NEGATIVE_INFINITY : rankOf(listed, zeros, lower);
  const zerosAbove = ignore_zeros && listed.length > 0 ? 0 : zeros;
  const high = upper === null ? Number.POSITIVE_INFINITY : rankOf(listed, zerosAbove, upper);
  return { low, high: Math.max(low, high) };
}

/**
 * The totals of a metric whose outliers are capped. Units without a value are capped too, where 0 lies outside the
 * bounds.
 *
 * @param units exposed units by variant, those in no variant left out
 */
export function winsorise(
  columns: ValueColumns,
  units: ReadonlyMap<string, number>,
  winsor: NonNullable<PlannedMetric["winsor"]>,
): Totals[] {
  const all = [...units.values()].reduce((a, b) => a + b, 0);
  const { low, high } = computeBounds(columns.value, all, winsor);
  const clamp = (value: number) => Math.min(high, Math.max(low, value));
  const totals = columns.variants.map((variant): Totals => ({ ...EMPTY, variant }));
  for (let unit = 0; unit < columns.value.length; unit += 1) {
    const total = totals[columns.variant[unit] ?? -1];
    if (!total) continue;
    const own = columns.value[unit] ?? 0;
    const value = clamp(own);
    const covariate = columns.covariate[unit] ?? 0;
    total.units += 1;
    total.value += value;
    total.value_squares += value * value;
    if (value === own) total.uncapped = (total.uncapped ?? 0) + value;
    total.covariate += covariate;
    total.covariate_squares += covariate * covariate;
    total.value_covariate += value * covariate;
  }
  const zero = clamp(0);
  return [...units].map(([variant, count]) => {
    const total = totals.find((one) => one.variant === variant) ?? { ...EMPTY, variant };
    const rest = count - total.units;
    return {
      ...total,
      units: count,
      value: decimal(total.value + rest * zero),
      value_squares: decimal(total.value_squares + rest * zero * zero),
      uncapped: decimal(total.uncapped ?? 0),
    };
  });
}

/** Rows as columns. */
export function toColumns(
  rows: readonly { variant: string; value: number; covariate: number }[],
): ValueColumns {
  const variants = [...new Set(rows.map(({ variant }) => variant))];
  const numbers = new Map(variants.map((variant, i) => [variant, i]));
  return {
    variants,
    variant: Int16Array.from(rows, ({ variant }) => numbers.get(variant) ?? -1),
    value: Float64Array.from(rows, ({ value }) => value),
    covariate: Float64Array.from(rows, ({ covariate }) => covariate),
  };
}

const EMPTY: Totals = {
  variant: "",
  step: 0,
  units: 0,
  value: 0,
  value_squares: 0,
  other: 0,
  other_squares: 0,
  value_other: 0,
  covariate: 0,
  covariate_squares: 0,
  value_covariate: 0,
};
