"use client";

import { useQuery } from "@tanstack/react-query";

/** What the flags of a project can be filtered by. */
export type Facets = {
  tags: { name: string; count: number }[];
  creators: { id: number; name: string; email: string; count: number }[];
};

/** Tags and creators of the project's flags, loaded on first use. */
export function useFacets(projectId: string, enabled = true) {
  return useQuery<Facets, Error>({
    queryKey: ["flag-facets", projectId],
    enabled,
    staleTime: 30_000,
    queryFn: async ({ signal }) => {
      const response = await fetch(`/project/${projectId}/feature_flags/facets`, { signal });
      const answer = await response.json().catch(() => null);
      if (!response.ok) throw new Error(answer?.detail ?? "The filters could not be loaded.");
      return answer;
    },
  });
}
