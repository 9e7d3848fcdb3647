"use client";

import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { Callout } from "#components/ui/display/callout.tsx";
import type { flagContract } from "#lib/flags/feature_flags/contract.ts";

/** Names the flags that depend on one, where there are any. */
export function DependentsNote({ projectId, id }: { projectId: string; id: number }) {
  const { data, error } = useEndpoint<typeof flagContract.dependents>(
    "/api/projects/{project_id}/feature_flags/{id}/dependents/",
    { params: { project_id: projectId, id: String(id) } },
    // What is shown before a deletion must be current.
    { staleTime: 0, gcTime: 0 },
  );
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
