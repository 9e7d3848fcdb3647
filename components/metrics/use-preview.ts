"use client";

import { useQuery } from "@tanstack/react-query";
import { callFromBrowser } from "#components/kit/use-endpoint.ts";
import { useSettled } from "#components/kit/use-settled.ts";
import { readMetric } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import type { experimentResultContract } from "#lib/experiments/results/contract.ts";
import type { MetricPreview } from "#lib/experiments/results/result-schema.ts";
import { canonical } from "#lib/platform/canonical.ts";

export const PREVIEW_DAYS = 30;

/** What counts as a person's exposure in a preview. */
export type PreviewFrom = {
  feature_flag_key?: string;
  exposure_event?: string;
  /** Counts groups of this type instead of people. */
  aggregation_group_type_index?: number;
};

/** Statistics settings; a preview uses only CUPED. */
type StatsConfig = Record<string, unknown>;

/**
 * A metric over the past days, shortly after its last edit.
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
  const complete = readMetric(value.metric).metric !== null;
  const query = useQuery<MetricPreview, Error>({
    queryKey: ["metric-preview", projectId, canonical(value)],
    enabled: settled && complete,
    staleTime: 60_000,
    retry: false,
    queryFn: ({ signal }) =>
      callFromBrowser<typeof experimentResultContract.preview_metric>(
        "/api/projects/{project_id}/experiments/preview_metric/",
        { params: { project_id: projectId }, body: value },
        signal,
      ),
  });
  if (!complete) return { state: "unfinished" as const };
  if (!settled || query.isPending) return { state: "counting" as const };
  if (query.isError) return { state: "failed" as const, problem: query.error.message };
  return { state: "counted" as const, found: query.data };
}
