"use client";

import { keepPreviousData } from "@tanstack/react-query";
import { useEndpoint } from "#components/use-endpoint.ts";
import { experimentContract } from "#lib/experiments/contract.ts";
import { useMay } from "./frame-context.tsx";
import { usePaused } from "./use-flag-search.ts";

const SHOWN = "8";

/** The experiments whose name contains `query`, as the server finds them; none for an empty query. */
export function useExperimentSearch(projectId: number, query: string) {
  const may = useMay("experiment:read");
  const paused = usePaused(query);
  const found = useEndpoint(
    experimentContract.list,
    { params: { project_id: String(projectId) }, query: { search: paused, limit: SHOWN } },
    { enabled: may && paused !== "", placeholderData: keepPreviousData, staleTime: 10_000 },
  );
  const asked = may && query !== "";
  return {
    experiments: asked && paused !== "" ? (found.data?.results ?? []) : [],
    pending: asked && (found.isFetching || paused !== query),
    problem: asked && found.error ? `Experiments could not be searched: ${found.error.message}` : null,
  };
}
