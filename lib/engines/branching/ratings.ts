import { bucketOf, bucketsOf, type RatingBucket, rangeOf } from "./branching.ts";

/** Summary of the answers to a rating question. Means and shares are null without answers. */
export type RatingSummary = {
  /** Answers on the scale. */
  total: number;
  /** Ignored answers: skipped, not a whole number, or off the scale. */
  ignored: number;
  /** The rating of the first entry of `histogram`. */
  first_value: number;
  histogram: number[];
  buckets: Partial<Record<RatingBucket, number>>;
  /** Shares of `total` in percent. */
  bucket_percent: Partial<Record<RatingBucket, number>> | null;
  mean: number | null;
  median: number | null;
  /** With n - 1; null for fewer than two answers. */
  sample_variance: number | null;
  /** Net promoter score from -100 to 100, 0 without answers; only for the scale 0 to 10. */
  nps?: number;
  /** The same as displayed: one decimal. */
  nps_text?: string;
};

/** Parses an integer rating: integers and texts of digits; null for anything else. */
export function ratingOf(response: unknown): number | null {
  if (typeof response === "number") return Number.isInteger(response) ? response : null;
  return typeof response === "string" && /^\d{1,3}$/.test(response) ? Number(response) : null;
}

function medianOf(histogram: readonly number[], first: number, total: number): number {
  const at = (rank: number) => {
    let seen = 0;
    const place = histogram.findIndex((count) => {
      seen += count;
      return seen >= rank;
    });
    return first + place;
  };
  return (at(Math.floor((total + 1) / 2)) + at(Math.ceil((total + 1) / 2))) / 2;
}

/** Moments from counts: exact integer sums first, one division last. */
function momentsOf(histogram: readonly number[], first: number, total: number) {
  const sum = histogram.reduce((s, count, i) => s + count * (first + i), 0);
  const squares = histogram.reduce((s, count, i) => s + count * (first + i) ** 2, 0);
  const variance = total > 1 ? (total * squares - sum * sum) / (total * (total - 1)) : null;
  return { mean: sum / total, sample_variance: variance };
}

/**
 * Summarizes a rating's histogram: buckets, moments and, for 0 to 10, the net promoter score (share of 9 and
 * 10 minus share of 0 to 6, in points).
 *
 * @param scale 2, 3, 5, 7 (answers from 1) or 10 (answers from 0)
 * @param histogram answers by value, from the scale's lowest up
 * @throws RangeError for another scale
 */
export function summarizeHistogram(scale: number, histogram: readonly number[], ignored = 0): RatingSummary {
  const range = rangeOf(scale);
  if (!range) throw new RangeError(`${scale} is not a scale of ratings.`);
  const { first } = range;
  const buckets: Partial<Record<RatingBucket, number>> = Object.fromEntries(
    bucketsOf(scale).map((b) => [b, 0]),
  );
  for (const [i, count] of histogram.entries()) {
    const bucket = bucketOf(scale, first + i);
    if (bucket) buckets[bucket] = (buckets[bucket] ?? 0) + count;
  }
  const total = histogram.reduce((sum, count) => sum + count, 0);
  const percent = Object.fromEntries(Object.entries(buckets).map(([b, n]) => [b, (100 * n) / total]));
  const nps = total > 0 ? (100 * ((buckets.promoters ?? 0) - (buckets.detractors ?? 0))) / total : 0;
  return {
    total,
    ignored,
    first_value: first,
    histogram: [...histogram],
    buckets,
    bucket_percent: total > 0 ? percent : null,
    median: total > 0 ? medianOf(histogram, first, total) : null,
    ...(total > 0 ? momentsOf(histogram, first, total) : { mean: null, sample_variance: null }),
    ...(scale === 10 && { nps, nps_text: nps.toFixed(1) }),
  };
}

/** The same from answers; those off the scale are ignored. @throws RangeError */
export function summarizeRatings(scale: number, responses: readonly unknown[]): RatingSummary {
  const range = rangeOf(scale);
  if (!range) throw new RangeError(`${scale} is not a scale of ratings.`);
  const histogram = new Array<number>(range.last - range.first + 1).fill(0);
  let total = 0;
  for (const response of responses) {
    const rating = ratingOf(response);
    if (rating === null || bucketOf(scale, rating) === null) continue;
    histogram[rating - range.first] = (histogram[rating - range.first] ?? 0) + 1;
    total += 1;
  }
  return summarizeHistogram(scale, histogram, responses.length - total);
}
