"use client";

import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { useSettled } from "#components/kit/use-settled.ts";
import type { flagContract } from "#lib/flags/feature_flags/contract.ts";
import type { FlagGroup } from "#lib/people/conditions/filters-schema.ts";
import { canonical } from "#lib/platform/canonical.ts";

/**
 * Counts who a condition set matches, shortly after the last edit. The result belongs to exactly the set that
 * was given: while another one is counted there is no figure.
 *
 * @param enabled false while the set is not complete enough to be counted
 */
export function useReach(projectId: string, group: FlagGroup, index: number | null, enabled = true) {
  const body = { condition: { properties: group.properties ?? [] }, group_type_index: index };
  const { value, settled } = useSettled(body, canonical(body));
  const query = useEndpoint<typeof flagContract.user_blast_radius>(
    "/api/projects/{project_id}/feature_flags/user_blast_radius/",
    { params: { project_id: projectId }, body: value },
    { enabled: enabled && settled, staleTime: 30_000, retry: false },
  );
  if (!enabled) return { state: "idle" as const };
  if (!settled || query.isPending) return { state: "counting" as const };
  if (query.isError) return { state: "failed" as const, problem: query.error.message };
  return { state: "counted" as const, reach: query.data };
}
