"use client";

import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import type { experimentContract } from "#lib/experiments/experiments/contract.ts";
import type { propertyDefinitionContract } from "#lib/people/property_definitions/contract.ts";
import { formatTick } from "#lib/platform/format.ts";

/** Names of received events, as options of a combobox; the server searches them. */
export function useSeenEvents(projectId: string) {
  const [search, setSearch] = useState("");
  const found = useEndpoint<typeof propertyDefinitionContract.events>(
    "/api/projects/{project_id}/event_definitions/",
    { params: { project_id: projectId }, query: { search, limit: "50" } },
    { placeholderData: keepPreviousData, staleTime: 30_000 },
  );
  return {
    setSearch,
    loading: found.isFetching,
    options: (found.data?.results ?? []).map((event) => ({
      value: event.name,
      hint: formatTick(event.count, { unit: "count" }),
    })),
  };
}

/** Properties that events of a name really carry. */
export function useSeenProperties(projectId: string, event: string | null) {
  const found = useEndpoint<typeof experimentContract.event_properties>(
    "/api/projects/{project_id}/experiments/event_properties/",
    { params: { project_id: projectId }, query: event ? { event } : {} },
    { enabled: event !== null, staleTime: 60_000 },
  );
  return { properties: found.data?.results ?? [], loading: found.isFetching };
}
