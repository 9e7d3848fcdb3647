"use client";

import { useQuery } from "@tanstack/react-query";
import { useSettled } from "#components/feature_flags/use_reach.ts";
import type { MetricPreview } from "#lib/experiment_results/result_schema.ts";
import { experimentMetric } from "#lib/experiments/metric_schema.ts";
import { canonical } from "#lib/feature_flags/differences.ts";

export const PREVIEW_DAYS = 30;

/** What counts as the first moment of somebody in a preview. */
export type PreviewFrom = { feature_flag_key?: string; exposure_event?: string };

/** Statistics settings of which a preview takes CUPED, for what is known of people from before. */
type StatsConfig = Record<string, unknown>;

/**
 * What a metric would have been over the past days, a moment after it was last touched.
 *
 * @returns state "unfinished" for a metric that names too little to be counted
 */
export function usePreview(
  projectId: string,
  metric: Record<string, unknown>,
  from: PreviewFrom,
  stats_config?: StatsConfig,
) {
  const body = { metric, ...from, days: PREVIEW_DAYS, ...(stats_config && { stats_config }) };
  const { value, settled } = useSettled(body, canonical(body));
  const complete = experimentMetric.safeParse(value.metric).success;
  const query = useQuery<MetricPreview, Error>({
    queryKey: ["metric-preview", projectId, canonical(value)],
    enabled: settled && complete,
    staleTime: 60_000,
    retry: false,
    queryFn: async ({ signal }) => {
      const response = await fetch(`/project/${projectId}/experiments/preview_metric`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(value),
        signal,
      });
      const answer = await response.json().catch(() => null);
      if (!response.ok) throw new Error(answer?.detail ?? "The metric could not be counted.");
      return answer;
    },
  });
  if (!complete) return { state: "unfinished" as const };
  if (!settled || query.isPending) return { state: "counting" as const };
  if (query.isError) return { state: "failed" as const, problem: query.error.message };
  return { state: "counted" as const, found: query.data };
}
