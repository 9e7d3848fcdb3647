"use client";

import { useQuery } from "@tanstack/react-query";
import { Callout } from "#components/ui/display/callout.tsx";

/** A flag that depends on another one. */
export type Dependent = { id: number; key: string; active: boolean };

function useDependents(projectId: string, id: number) {
  return useQuery<Dependent[], Error>({
    queryKey: ["flag-dependents", projectId, id],
    // What is shown before a deletion must be current.
    staleTime: 0,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const response = await fetch(`/project/${projectId}/feature_flags/${id}/dependents`, { signal });
      const answer = await response.json().catch(() => null);
      if (!response.ok) throw new Error(answer?.detail ?? "Dependent flags could not be loaded.");
      return answer;
    },
  });
}

/** Names the flags that depend on one, where there are any. */
export function DependentsNote({ projectId, id }: { projectId: string; id: number }) {
  const { data, error } = useDependents(projectId, id);
  if (error) return <p className="text-muted text-xs">{error.message}</p>;
  if (!data) return <p className="text-faint text-xs">Looking for dependent flags…</p>;
  if (data.length === 0) return <p className="text-muted text-xs">No other flag depends on it.</p>;
  return (
    <Callout
      tone="warning"
      title={`${data.length} other ${data.length === 1 ? "flag depends" : "flags depend"} on it`}
    >
      {data.map((flag) => `${flag.key} (${flag.active ? "on" : "off"})`).join(", ")}
    </Callout>
  );
}
