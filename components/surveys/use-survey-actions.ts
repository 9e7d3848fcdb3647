"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import type { SurveyActions } from "#app/project/[project_id]/surveys/survey-actions.ts";
import { attempt, findProblem, isConflict, problemOf } from "#components/kit/action.ts";
import { heldRequest } from "#components/kit/held.ts";
import { bodyOf, creationOf, draftOfSurvey } from "#components/surveys/draft/survey-draft.ts";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { ActionResult } from "#lib/app/session/action-result.ts";
import type { SurveyChange, SurveyWritten } from "#lib/surveys/surveys/schema.ts";

/** What each action writes. */
export const changesOf = {
  stop: (): SurveyChange => ({ end_date: new Date().toISOString() }),
  resume: (): SurveyChange => ({ end_date: null }),
  archive: (): SurveyChange => ({ archived: true }),
  unarchive: (): SurveyChange => ({ archived: false }),
};

/** A change with what the API would unlink if an update left it out: actions among the conditions, and a variant's flag. */
export const withLinks = (survey: SurveyWritten, body: SurveyChange): SurveyChange => ({
  conditions: survey.conditions,
  ...linked(survey),
  ...body,
});

type Options = { projectId: string; survey: SurveyWritten; actions: SurveyActions };

/** The actions on a stored survey: each reports what it did, and can be undone. */
export function useSurveyActions({ projectId, survey, actions }: Options) {
  const router = useRouter();
  const { id, name } = survey;

  /** Changes the survey as it was seen; if it has been changed since, the page shows what it is now. */
  async function put(from: SurveyWritten, body: SurveyChange): Promise<ActionResult<SurveyWritten>> {
    const { version } = from;
    const result = await attempt(() => actions.update(projectId, id, { ...withLinks(from, body), version }));
    if (isConflict(result)) router.refresh();
    return result;
  }
  async function make(body: SurveyChange, done: string, back: SurveyChange, undone: string) {
    const made = await put(survey, body);
    if (!made.ok) return made;
    toast.withUndo(`${name} ${done}`, () => findProblem(() => put(made.data, back)), `${name} ${undone}`);
    router.refresh();
    return made;
  }
  const apply = async (...change: Parameters<typeof make>) => problemOf(await make(...change));
  return {
    /** `isHeld`: a policy asks for approval first. */
    async launch(start: Date, end: string | null) {
      const result = await make(
        { start_date: start.toISOString(), end_date: end },
        start.getTime() > Date.now() ? "is scheduled" : "is running",
        { start_date: survey.start_date, end_date: survey.end_date },
        survey.start_date ? "is launched as planned before" : "is a draft again",
      );
      return { problem: problemOf(result), isHeld: heldRequest(result) !== null };
    },
    stop: () => apply(changesOf.stop(), "was stopped", { end_date: survey.end_date }, "is running again"),
    resume: () => apply(changesOf.resume(), "is running again", { end_date: survey.end_date }, "is stopped"),
    archive: () => apply(changesOf.archive(), "was archived", { archived: false }, "is back"),
    unarchive: () => apply(changesOf.unarchive(), "is back", { archived: true }, "is archived"),
    async remove(): Promise<string | undefined> {
      const result = await attempt(() => actions.remove(projectId, id));
      if (!result.ok) return problemOf(result);
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
