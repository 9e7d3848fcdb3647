"use client";

import { useQuery } from "@tanstack/react-query";
import { canonical } from "#lib/feature_flags/differences.ts";
import type { EvaluateAnswer, EvaluateRequest } from "#lib/feature_flags/evaluate_contract.ts";
import { readByPost } from "./read_by_post.ts";
import { useSettled } from "./use_reach.ts";

/**
 * What a flag or its draft gives a person or group. Follows the draft, a moment after it was last changed; until
 * then there is no answer, because the one before was for another draft.
 */
export function useEvaluation(projectId: string, request: EvaluateRequest) {
  const { value, settled } = useSettled(request, canonical(request));
  const query = useQuery<EvaluateAnswer, Error>({
    queryKey: ["flag-evaluation", projectId, canonical(value)],
    queryFn: ({ signal }) => readByPost(`/project/${projectId}/feature_flags/evaluate`, value, signal),
    enabled: settled,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  if (!settled || query.isFetching) return { state: "evaluating" as const };
  if (query.isError) return { state: "failed" as const, problem: query.error.message };
  return query.data ? { state: "evaluated" as const, found: query.data } : { state: "evaluating" as const };
}
