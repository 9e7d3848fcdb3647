"use client";

import { later } from "#components/ui/after-page.ts";
import { Skeleton } from "#components/ui/display/skeleton.tsx";

/** One metric's estimate by day; see `metric-series-view.tsx`. */
export const MetricSeries = later(
  async () => (await import("./metric-series-view.tsx")).MetricSeries,
  () => <Skeleton className="h-80 w-full" />,
);
