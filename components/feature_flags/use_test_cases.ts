"use client";

import { useQuery } from "@tanstack/react-query";
import { canonical } from "#lib/feature_flags/differences.ts";
import type { TestCaseResult } from "#lib/feature_flags/test_cases_contract.ts";
import { readByPost } from "./read_by_post.ts";
import { useSettled } from "./use_reach.ts";

export type CheckedCases = { passed: number; failed: number; results: TestCaseResult[] };

/** The test cases of a flag as they come out on what would be saved, a moment after it was last touched. */
export function useTestCases(
  projectId: string,
  flagId: number | null,
  proposed: { active: boolean; filters: object },
) {
  const { value, settled } = useSettled(proposed, canonical(proposed));
  return useQuery<CheckedCases, Error>({
    queryKey: ["flag-test-cases", projectId, flagId, canonical(value)],
    enabled: flagId !== null && settled,
    staleTime: 5_000,
    retry: false,
    placeholderData: (before) => before,
    queryFn: ({ signal }) =>
      readByPost(`/project/${projectId}/feature_flags/${flagId}/test_cases`, value, signal),
  });
}
