/** The rating buckets that rules branch on, in order. */
export type RatingBucket = "negative" | "neutral" | "positive" | "detractors" | "passives" | "promoters";

/** Upper ends of the buckets by scale. Scale 2 is a pair of thumbs, the first one up. */
const BUCKETS: Record<number, { from: number; buckets: [to: number, bucket: RatingBucket][] }> = {
  2: {
    from: 1,
    buckets: [
      [1, "positive"],
      [2, "negative"],
    ],
  },
  3: {
    from: 1,
    buckets: [
      [1, "negative"],
      [2, "neutral"],
      [3, "positive"],
    ],
  },
  5: {
    from: 1,
    buckets: [
      [2, "negative"],
      [3, "neutral"],
      [5, "positive"],
    ],
  },
  7: {
    from: 1,
    buckets: [
      [3, "negative"],
      [4, "neutral"],
      [7, "positive"],
    ],
  },
  10: {
    from: 0,
    buckets: [
      [6, "detractors"],
      [8, "passives"],
      [10, "promoters"],
    ],
  },
};

/** The buckets of a scale from low to high; empty if it has none. */
export const bucketsOf = (scale: unknown): RatingBucket[] =>
  (typeof scale === "number" ? BUCKETS[scale]?.buckets : undefined)?.map(([, bucket]) => bucket) ?? [];

/** The lowest and the highest answer of a scale; null if it has no buckets. */
export function rangeOf(scale: unknown): { first: number; last: number } | null {
  const found = typeof scale === "number" ? BUCKETS[scale] : undefined;
  const last = found?.buckets.at(-1)?.[0];
  return found && last !== undefined ? { first: found.from, last } : null;
}

/**
 * The bucket of an answer to a rating.
 *
 * @returns null if the scale has no buckets, or the answer is not a whole number on it
 */
export function bucketOf(scale: unknown, answer: unknown): RatingBucket | null {
  const found = typeof scale === "number" ? BUCKETS[scale] : undefined;
  if (!found || typeof answer !== "number" || !Number.isInteger(answer) || answer < found.from) return null;
  return found.buckets.find(([to]) => answer <= to)?.[1] ?? null;
}
