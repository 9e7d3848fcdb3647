import type { PlannedMetric } from "./plan.ts";
import type { Totals } from "./sums.ts";
import { decimal } from "./unit.ts";

/** Values of units that have one, of every variant. */
export type Spread = { variant: string; value: number; covariate: number }[];

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
 * The bounds that outliers are pulled in to: quantiles of all units' values, variants pooled.
 *
 * @param units how many units there are, those without a value (0) included
 */
export function boundsOf(
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
 * The totals of a metric whose outliers are pulled in. Units without a value are pulled in too, where 0 lies out of
 * the bounds.
 *
 * @param units exposed units by variant, those in no variant left out
 */
export function winsorise(
  spread: Spread,
  units: ReadonlyMap<string, number>,
  winsor: NonNullable<PlannedMetric["winsor"]>,
): Totals[] {
  const all = [...units.values()].reduce((a, b) => a + b, 0);
  const { low, high } = boundsOf(
    Float64Array.from(spread, ({ value }) => value),
    all,
    winsor,
  );
  const clamp = (value: number) => Math.min(high, Math.max(low, value));
  const totals = new Map<string, Totals>();
  for (const [variant, count] of units) {
    const rest = count - spread.reduce((n, row) => n + (row.variant === variant ? 1 : 0), 0);
    const zero = clamp(0);
    totals.set(variant, {
      ...EMPTY,
      variant,
      units: count,
      value: rest * zero,
      value_squares: rest * zero * zero,
    });
  }
  for (const row of spread) {
    const total = totals.get(row.variant);
    if (!total) continue;
    const value = clamp(row.value);
    total.value += value;
    total.value_squares += value * value;
    total.covariate += row.covariate;
    total.covariate_squares += row.covariate * row.covariate;
    total.value_covariate += value * row.covariate;
  }
  return [...totals.values()].map((total) => ({
    ...total,
    value: decimal(total.value),
    value_squares: decimal(total.value_squares),
  }));
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
