"use client";

import { keepPreviousData } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import type { experimentContract } from "#lib/experiments/experiments/contract.ts";
import type { flagContract } from "#lib/flags/feature_flags/contract.ts";
import type { surveyContract } from "#lib/surveys/surveys/contract.ts";
import { useMay } from "./frame-context.tsx";

const PAUSE_MS = 120;
const SHOWN = "8";

/** The text after typing pauses. */
function usePaused(text: string): string {
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
  const found = useEndpoint<typeof flagContract.list>(
    "/api/projects/{project_id}/feature_flags/",
    { params: { project_id: String(projectId) }, query: { search: paused, limit: SHOWN } },
    { enabled: paused !== "", placeholderData: keepPreviousData, staleTime: 10_000 },
  );
  const enabled = query !== "";
  return {
    flags: enabled && paused !== "" ? (found.data?.results ?? []) : [],
    pending: enabled && (found.isFetching || paused !== query),
    problem: enabled && found.error ? `Flags could not be searched: ${found.error.message}` : null,
  };
}

/** The surveys whose name or description contains `query`, as the server finds them; none for an empty query. */
export function useSurveySearch(projectId: number, query: string) {
  const may = useMay("survey:read");
  const paused = usePaused(query);
  const found = useEndpoint<typeof surveyContract.list>(
    "/api/projects/{project_id}/surveys/",
    { params: { project_id: String(projectId) }, query: { search: paused, limit: SHOWN } },
    { enabled: may && paused !== "", placeholderData: keepPreviousData, staleTime: 10_000 },
  );
  const enabled = may && query !== "";
  return {
    surveys: enabled && paused !== "" ? (found.data?.results ?? []) : [],
    pending: enabled && (found.isFetching || paused !== query),
    problem: enabled && found.error ? `Surveys could not be searched: ${found.error.message}` : null,
  };
}

/** The experiments whose name contains `query`, as the server finds them; none for an empty query. */
export function useExperimentSearch(projectId: number, query: string) {
  const may = useMay("experiment:read");
  const paused = usePaused(query);
  const found = useEndpoint<typeof experimentContract.list>(
    "/api/projects/{project_id}/experiments/",
    { params: { project_id: String(projectId) }, query: { search: paused, limit: SHOWN } },
    { enabled: may && paused !== "", placeholderData: keepPreviousData, staleTime: 10_000 },
  );
  const enabled = may && query !== "";
  return {
    experiments: enabled && paused !== "" ? (found.data?.results ?? []) : [],
    pending: enabled && (found.isFetching || paused !== query),
    problem: enabled && found.error ? `Experiments could not be searched: ${found.error.message}` : null,
  };
}
