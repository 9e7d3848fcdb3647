import type { Sample } from "#lib/engines/statistics/types.ts";

/** The days of a time series, as the API gives them: a whole result, or null. */
export type StoredDays = Readonly<Record<string, unknown>>;

/** Sums as the API writes them. */
interface WireSums {
  readonly key: string;
  readonly number_of_samples: number;
  readonly sum: number;
  readonly sum_squares: number;
  readonly denominator_sum?: number | null;
  readonly denominator_sum_squares?: number | null;
  readonly numerator_denominator_sum_product?: number | null;
  readonly covariate_sum?: number | null;
  readonly covariate_sum_squares?: number | null;
  readonly covariate_sum_product?: number | null;
  readonly credible_interval?: readonly number[] | null;
  readonly confidence_interval?: readonly number[] | null;
}

/** One day with a result: sums by variant, and intervals of those that were compared. */
export interface Day {
  readonly day: string;
  readonly samples: Readonly<Record<string, Sample>>;
  readonly intervals: Readonly<Record<string, readonly [number, number]>>;
}

const OPTIONAL = [
  "denominator_sum",
  "denominator_sum_squares",
  "numerator_denominator_sum_product",
  "covariate_sum",
  "covariate_sum_squares",
  "covariate_sum_product",
] as const;

/** The sums that statistics need, without those that the metric does not have. */
export function sampleOf(sums: Omit<WireSums, "key">): Sample {
  const more = OPTIONAL.flatMap((name) => (sums[name] == null ? [] : [[name, sums[name]] as const]));
  return {
    n: sums.number_of_samples,
    sum: sums.sum,
    sum_squares: sums.sum_squares,
    ...Object.fromEntries(more),
  };
}

function intervalOf(sums: WireSums): readonly [number, number] | null {
  const [low, high] = sums.credible_interval ?? sums.confidence_interval ?? [];
  return low === undefined || high === undefined ? null : [low, high];
}

/** The days that have a result, oldest first. */
export function storedDays(days: StoredDays | undefined): Day[] {
  return Object.entries(days ?? {})
    .filter(([, result]) => result !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, result]) => {
      const { baseline, variant_results } = result as { baseline: WireSums; variant_results: WireSums[] };
      const intervals = variant_results.flatMap((variant) => {
        const interval = intervalOf(variant);
        return interval ? [[variant.key, interval] as const] : [];
      });
      return {
        day,
        samples: Object.fromEntries([baseline, ...variant_results].map((sums) => [sums.key, sampleOf(sums)])),
        intervals: Object.fromEntries(intervals),
      };
    });
}
