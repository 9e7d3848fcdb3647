/** The top and bottom, in px, of the area that takes the pointer for a point. */
export type HitArea = { top: number; bottom: number };

/**
 * Shares a column of the plot among the points at one moment, by their heights in px: each gets what is
 * nearest to it, at most `reach` px above and below. Points at the same height have one area; the one
 * drawn last takes the pointer.
 */
export function hitAreas(heights: readonly number[], reach: number): Map<number, HitArea> {
  const sorted = [...new Set(heights)].sort((a, b) => a - b);
  return new Map(
    sorted.map((y, place) => {
      const [above, below] = [sorted[place - 1] ?? -Infinity, sorted[place + 1] ?? Infinity];
      return [y, { top: Math.max(y - reach, (y + above) / 2), bottom: Math.min(y + reach, (y + below) / 2) }];
    }),
  );
}
