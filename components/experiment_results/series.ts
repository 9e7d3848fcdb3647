import type { TimeSeries } from "#components/charts/time_data.ts";
import type { Variant } from "./model.ts";

type StoredVariant = {
  key: string;
  credible_interval?: readonly number[] | null;
  confidence_interval?: readonly number[] | null;
};

/** What a stored day holds of each variant; null where the day has no result. */
export type StoredDays = Readonly<
  Record<string, { variant_results?: readonly StoredVariant[] | null } | null>
>;

/** The estimate of each compared variant by day: the middle of its interval, as the API gives no other. */
export function estimateSeries(days: StoredDays, variants: readonly Variant[]): TimeSeries[] {
  return variants.flatMap(({ key, is_baseline }, colorIndex) => {
    if (is_baseline) return [];
    const points = Object.entries(days)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([at, result]) => {
        const found = result?.variant_results?.find((variant) => variant.key === key);
        const [low, high] = found?.credible_interval ?? found?.confidence_interval ?? [];
        if (low === undefined || high === undefined) return { at, value: null, interval: null };
        return { at, value: (low + high) / 2, interval: [low, high] as const };
      });
    return [{ key, name: key, colorIndex, points }];
  });
}
