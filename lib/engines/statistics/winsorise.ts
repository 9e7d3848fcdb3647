/** Which values are pulled in. Fractions in [0, 1]; a missing side stays as it is. */
export interface WinsorSettings {
  readonly lower_bound_percentile?: number | null;
  readonly upper_bound_percentile?: number | null;
  /** Leave zeros out when the upper bound is sought: most people do nothing, and they would set it. */
  readonly ignore_zeros?: boolean | null;
}

export interface WinsorBounds {
  readonly low: number;
  readonly high: number;
}

/** Nearest rank: the smallest value that at least a share `q` does not exceed (SQL's percentile_disc); 0 of none. */
function nearestRank(sorted: readonly number[], q: number): number {
  const rank = Math.min(sorted.length, Math.max(1, Math.ceil(q * sorted.length)));
  return sorted[rank - 1] ?? 0;
}

/**
 * Bounds for the values of single units. They come from all variants together: bounds per variant would turn a
 * difference in extreme values into one of means.
 *
 * @param values one per exposed unit, of every variant, zeros included
 * @returns null where there is nobody
 */
export function winsorBounds(values: readonly number[], settings: WinsorSettings): WinsorBounds | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const [lowest, highest] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
  const above = settings.ignore_zeros ? sorted.filter((value) => value !== 0) : sorted;
  const { lower_bound_percentile: lower, upper_bound_percentile: upper } = settings;
  const low = lower == null ? lowest : nearestRank(sorted, lower);
  const high = upper == null ? highest : nearestRank(above, upper);
  return { low, high: Math.max(low, high) };
}

/** A unit's value within the bounds. */
export const clamp = (value: number, bounds: WinsorBounds): number =>
  Math.min(bounds.high, Math.max(bounds.low, value));
