"use client";

import type { EvaluationState } from "#components/conditions/evaluation-result.tsx";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { useSettled } from "#components/kit/use-settled.ts";
import type {
  EvaluateRequest,
  evaluateContract,
} from "#lib/flags/feature_flags/evaluation/evaluate-contract.ts";
import { canonical } from "#lib/platform/canonical.ts";

/**
 * What a flag or its draft gives a person or group. Follows the draft, a moment after it was last changed; until
 * then there is no answer, because the one before was for another draft.
 */
export function useEvaluation(projectId: string, request: EvaluateRequest): EvaluationState {
  const { value, settled } = useSettled(request, canonical(request));
  const query = useEndpoint<typeof evaluateContract.evaluate>(
    "/api/projects/{project_id}/feature_flags/evaluate/",
    { params: { project_id: projectId }, body: value },
    { enabled: settled, staleTime: 0, gcTime: 0, retry: false },
  );
  if (!settled || query.isFetching) return { state: "evaluating" };
  if (query.isError) return { state: "failed", problem: query.error.message };
  return query.data ? { state: "evaluated", found: query.data } : { state: "evaluating" };
}
