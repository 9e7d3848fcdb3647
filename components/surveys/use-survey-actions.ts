"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import type { SurveyActions } from "#app/project/[project_id]/surveys/survey-actions.ts";
import { attempt, findProblem, isConflict } from "#components/kit/action.ts";
import { bodyOf, creationOf, draftOfSurvey } from "#components/surveys/draft/survey-draft.ts";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { ActionResult } from "#lib/app/session/action-result.ts";
import type { SurveyChange, SurveyWritten } from "#lib/surveys/surveys/schema.ts";

type Options = { projectId: string; survey: SurveyWritten; actions: SurveyActions };

/** The actions on a stored survey: each reports what it did, and can be undone. */
export function useSurveyActions({ projectId, survey, actions }: Options) {
  const router = useRouter();
  const { id, name } = survey;

  /** Changes the survey as it was seen; if it has been changed since, the page shows what it is now. */
  async function put(from: SurveyWritten, body: SurveyChange): Promise<ActionResult<SurveyWritten>> {
    const { conditions, version } = from;
    // Sent along: the API unlinks actions if an update omits the conditions.
    const result = await attempt(() =>
      actions.update(projectId, id, { conditions, ...linked(from), ...body, version }),
    );
    if (isConflict(result)) router.refresh();
    return result;
  }
  async function apply(body: SurveyChange, done: string, back: SurveyChange, undone: string) {
    const made = await put(survey, body);
    if (!made.ok) return made.error.detail;
    toast.withUndo(`${name} ${done}`, () => findProblem(() => put(made.data, back)), `${name} ${undone}`);
    router.refresh();
    return undefined;
  }
  return {
    launch: (start: Date, end: string | null) =>
      apply(
        { start_date: start.toISOString(), end_date: end },
        start.getTime() > Date.now() ? "is scheduled" : "is running",
        { start_date: survey.start_date, end_date: survey.end_date },
        survey.start_date ? "is launched as planned before" : "is a draft again",
      ),
    stop: () =>
      apply(
        { end_date: new Date().toISOString() },
        "was stopped",
        { end_date: survey.end_date },
        "is running again",
      ),
    resume: () => apply({ end_date: null }, "is running again", { end_date: survey.end_date }, "is stopped"),
    archive: () => apply({ archived: true }, "was archived", { archived: false }, "is back"),
    unarchive: () => apply({ archived: false }, "is back", { archived: true }, "is archived"),
    async remove(): Promise<string | undefined> {
      const result = await attempt(() => actions.remove(projectId, id));
      if (!result.ok) return result.error.detail;
      if (survey.start_date) toast.success(`${name} was deleted`);
      else
        toast.withUndo(
          `${name} was deleted`,
          async () => {
            const body = creationOf(bodyOf(draftOfSurvey(survey)));
            return findProblem(() => actions.create(projectId, body));
          },
          `${name} is back`,
        );
      router.push(`/project/${projectId}/surveys` as Route);
      return undefined;
    },
  };
}

/** A variant among the conditions is only accepted together with its flag. */
const linked = (survey: SurveyWritten): SurveyChange =>
  survey.linked_flag && survey.conditions?.linkedFlagVariant ? { linked_flag_id: survey.linked_flag.id } : {};
