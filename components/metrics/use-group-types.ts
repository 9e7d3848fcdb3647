"use client";

import { useEndpoint } from "#components/kit/use-endpoint.ts";
import type { groupContract } from "#lib/people/groups/contract.ts";

const STALE_MS = 60_000;
const PERSON = "person";

/** The project's group types; none where the key may not read them. */
export function useGroupTypes(projectId: string) {
  const { data } = useEndpoint<typeof groupContract.types>(
    "/api/projects/{project_id}/groups_types/",
    { params: { project_id: projectId } },
    { staleTime: STALE_MS, retry: false },
  );
  return data ?? [];
}

/** What an experiment compares: a person, or a group of the type with this index. */
export function useUnit(projectId: string, index: number | null): string {
  const types = useGroupTypes(projectId);
  if (index === null) return PERSON;
  return types.find(({ group_type_index }) => group_type_index === index)?.group_type ?? "group";
}
