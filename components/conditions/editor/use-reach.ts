"use client";

import { useCount } from "#components/kit/use-count.ts";
import type { flagContract } from "#lib/flags/feature_flags/contract.ts";
import type { FlagGroup } from "#lib/people/conditions/filters-schema.ts";

/**
 * Counts who a condition set matches.
 *
 * @param enabled false while the set is not complete enough to be counted
 */
export function useReach(projectId: string, group: FlagGroup, index: number | null, enabled = true) {
  const body = { condition: { properties: group.properties ?? [] }, group_type_index: index };
  const counted = useCount<typeof flagContract.user_blast_radius>(
    "/api/projects/{project_id}/feature_flags/user_blast_radius/",
    { params: { project_id: projectId }, body },
    { enabled, staleTime: 30_000 },
  );
  return enabled ? counted : { state: "idle" as const };
}
