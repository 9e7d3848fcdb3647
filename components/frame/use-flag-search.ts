"use client";

import { keepPreviousData } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useEndpoint } from "#components/use-endpoint.ts";
import { flagContract } from "#lib/feature_flags/contract.ts";

const PAUSE_MS = 120;
const SHOWN = "8";

/** The text once its author pauses. */
export function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

/** The flags whose key or description contains `query`, as the server finds them; none for an empty query. */
export function useFlagSearch(projectId: number, query: string) {
  const paused = usePaused(query);
  const found = useEndpoint(
    flagContract.list,
    { params: { project_id: String(projectId) }, query: { search: paused, limit: SHOWN } },
    { enabled: paused !== "", placeholderData: keepPreviousData, staleTime: 10_000 },
  );
  const asked = query !== "";
  return {
    flags: asked && paused !== "" ? (found.data?.results ?? []) : [],
    pending: asked && (found.isFetching || paused !== query),
    problem: asked && found.error ? `Flags could not be searched: ${found.error.message}` : null,
  };
}
