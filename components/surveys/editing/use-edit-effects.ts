"use client";

import { useQuery } from "@tanstack/react-query";
import { callFromBrowser } from "#components/kit/use-endpoint.ts";
import { useSettled } from "#components/kit/use-settled.ts";
import type { QuestionDraft } from "#components/surveys/draft/draft.ts";
import { previewOf } from "#components/surveys/draft/edit-effects.ts";
import { canonical } from "#lib/platform/canonical.ts";
import type { surveyResultsContract } from "#lib/surveys/results/contract.ts";
import type { EditEffects } from "#lib/surveys/results/effects-schema.ts";
import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";

export type Effects = {
  /** May be stale; numbers of answers do not depend on the edit. */
  found: EditEffects | undefined;
  /** Whether they are those of the questions as they are now. */
  isCurrent: boolean;
  /** Why they are not known. */
  problem: string | null;
};

/**
 * What saving the questions would do to the answers that are stored.
 *
 * @param stored the survey as it is stored; null for a new one, which has none
 */
export function useEditEffects(
  projectId: string,
  stored: SurveyWritten | null,
  drafts: readonly QuestionDraft[],
): Effects {
  const key = ["edit-effects", projectId, stored?.id, canonical(stored?.questions)];
  const body = { questions: previewOf(drafts) };
  const { value, settled } = useSettled(body, canonical(body));
  const query = useQuery<EditEffects, Error>({
    queryKey: [...key, canonical(value)],
    queryFn: ({ signal }) =>
      callFromBrowser<typeof surveyResultsContract.preview_questions>(
        "/api/projects/{project_id}/surveys/{id}/preview_questions/",
        { params: { project_id: projectId, id: stored?.id ?? "" }, body: value },
        signal,
      ),
    enabled: stored !== null && settled,
    // The answers that were found for another edit of the same questions.
    placeholderData: (found, query) =>
      canonical(query?.queryKey.slice(0, -1)) === canonical(key) ? found : undefined,
    // What is said before a save has to be true now.
    staleTime: 5_000,
    retry: false,
  });
  return {
    found: query.data,
    isCurrent: settled && query.isSuccess && !query.isPlaceholderData,
    problem: query.error?.message ?? null,
  };
}
