"use client";

import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import { useEndpoint } from "#components/use-endpoint.ts";
import { experimentContract } from "#lib/experiments/contract.ts";
import { propertyDefinitionContract } from "#lib/property_definitions/contract.ts";

const count = new Intl.NumberFormat("en", { notation: "compact" });

/** Names of events that were really sent, as options of a combobox; the server finds them. */
export function useSeenEvents(projectId: string) {
  const [search, setSearch] = useState("");
  const found = useEndpoint(
    propertyDefinitionContract.events,
    { params: { project_id: projectId }, query: { search, limit: "50" } },
    { placeholderData: keepPreviousData, staleTime: 30_000 },
  );
  return {
    setSearch,
    loading: found.isFetching,
    options: (found.data?.results ?? []).map((event) => ({
      value: event.name,
      hint: count.format(event.count),
    })),
  };
}

/** Properties that events of a name really carry. */
export function useSeenProperties(projectId: string, event: string | null) {
  const found = useEndpoint(
    experimentContract.event_properties,
    { params: { project_id: projectId }, query: event ? { event } : {} },
    { enabled: event !== null, staleTime: 60_000 },
  );
  return { properties: found.data?.results ?? [], loading: found.isFetching };
}
