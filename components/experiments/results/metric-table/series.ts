import type { TimePoint, TimeSeries } from "#components/charts/time/time-data.ts";
import type { MetricResult, Variant } from "#components/experiments/results/model.ts";

type StoredVariant = {
  key: string;
  credible_interval?: readonly number[] | null;
  confidence_interval?: readonly number[] | null;
};

/** What a stored day holds of each variant; null where the day has no result. */
export type StoredDays = Readonly<
  Record<string, { variant_results?: readonly StoredVariant[] | null } | null>
>;

/** The estimates of now, for the day that has not ended. */
export type Now = { day: string; metric: MetricResult };

/** Estimates by day, the middle of each interval, as the API gives no other; today's as of now. */
export function buildEstimateSeries(
  days: StoredDays,
  variants: readonly Variant[],
  now: Now | null,
): TimeSeries[] {
  return variants.flatMap(({ key, is_baseline }, colorIndex) => {
    if (is_baseline) return [];
    const points = Object.entries(days)
      .filter(([at]) => at !== now?.day)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([at, result]): TimePoint => {
        const found = result?.variant_results?.find((variant) => variant.key === key);
        const [low, high] = found?.credible_interval ?? found?.confidence_interval ?? [];
        if (low === undefined || high === undefined) return { at, value: null, interval: null };
        return { at, value: (low + high) / 2, interval: [low, high] as const };
      });
    return [{ key, name: key, colorIndex, points: [...points, ...pointOfNow(key, now)] }];
  });
}

function pointOfNow(key: string, now: Now | null): TimePoint[] {
  const estimate = now?.metric.variants.find((row) => row.key === key)?.estimate;
  if (!now || !estimate) return [];
  const [low = 0, high = 0] = estimate.interval;
  return [{ at: now.day, value: estimate.effect, interval: [low, high] }];
}
