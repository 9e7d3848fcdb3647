"use client";

import { keepPreviousData } from "@tanstack/react-query";
import { useEndpoint } from "#components/use-endpoint.ts";
import { surveyContract } from "#lib/surveys/contract.ts";
import { useMay } from "./frame-context.tsx";
import { usePaused } from "./use-flag-search.ts";

const SHOWN = "8";

/** The surveys whose name or description contains `query`, as the server finds them; none for an empty query. */
export function useSurveySearch(projectId: number, query: string) {
  const may = useMay("survey:read");
  const paused = usePaused(query);
  const found = useEndpoint(
    surveyContract.list,
    { params: { project_id: String(projectId) }, query: { search: paused, limit: SHOWN } },
    { enabled: may && paused !== "", placeholderData: keepPreviousData, staleTime: 10_000 },
  );
  const asked = may && query !== "";
  return {
    surveys: asked && paused !== "" ? (found.data?.results ?? []) : [],
    pending: asked && (found.isFetching || paused !== query),
    problem: asked && found.error ? `Surveys could not be searched: ${found.error.message}` : null,
  };
}
