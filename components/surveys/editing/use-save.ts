"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import type { SurveyActions } from "#app/project/[project_id]/surveys/survey-actions.ts";
import { attempt } from "#components/kit/action.ts";
import { changedFields } from "#components/kit/editor/changes.ts";
import type { PlacedProblem } from "#components/kit/editor/json.ts";
import { useSaving } from "#components/kit/editor/use-saving.ts";
import { callFromBrowser } from "#components/kit/use-endpoint.ts";
import { mergeSurveys } from "#components/surveys/draft/merge.ts";
import { placeOfError } from "#components/surveys/draft/problems.ts";
import {
  bodyOf,
  creationOf,
  patchOf,
  type SurveyBody,
  type SurveyDraft,
  storedBody,
} from "#components/surveys/draft/survey-draft.ts";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { surveyContract } from "#lib/surveys/surveys/contract.ts";
import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";

type Options = {
  projectId: string;
  /** The survey as it was when editing began; null for a new one. */
  base: SurveyWritten | null;
  draft: SurveyDraft;
  actions: SurveyActions;
  /** Called before a save leads to another page. */
  allowLeaving: () => void;
  /** Called with the stored survey, and with the draft that was sent. */
  onSaved: (survey: SurveyWritten, sent: SurveyDraft) => void;
  /** Whether there is something unsaved now. */
  isDirty: () => boolean;
  /** Called with another version to go on from: that of somebody else, a merged or an earlier one. */
  onTake: (survey: SurveyWritten) => void;
  onProblem: (problem: PlacedProblem) => void;
};

/** Two people have changed the same survey. */
export type Conflict = { base: SurveyWritten; current: SurveyWritten };

/** Saving a survey: field problems, conflicts with others' changes, and undo. */
export function useSave(options: Options) {
  const { projectId, base, draft, actions, allowLeaving, isDirty, onSaved, onTake, onProblem } = options;
  const router = useRouter();
  const saving = useSaving<Conflict>(({ current }) => onTake(current));

  /** Saves a state over another; returns the stored survey, or null after showing the problem. */
  async function store(
    rest: SurveyWritten,
    before: SurveyBody,
    after: SurveyBody,
    goOn: (stored: SurveyWritten) => void,
  ) {
    const result = await attempt(() => actions.update(projectId, rest.id, patchOf(before, after)));
    if (!result.ok) {
      onProblem(placeOfError(result.error));
      return null;
    }
    goOn(result.data);
    toast.withUndo(
      "Changes saved",
      async () => {
        if (isDirty()) return "Save or discard your later changes, then undo.";
        const saved = storedBody(result.data);
        const undone = await attempt(() => actions.update(projectId, rest.id, patchOf(saved, before)));
        if (!undone.ok) return undone.error.detail;
        onTake(undone.data);
        return undefined;
      },
      "Changes undone",
    );
    return result.data;
  }

  async function create(): Promise<SurveyWritten | null> {
    const result = await attempt(() => actions.create(projectId, creationOf(bodyOf(draft))));
    if (!result.ok) {
      onProblem(placeOfError(result.error));
      return null;
    }
    allowLeaving();
    toast.success(`${result.data.name} was saved as a draft`);
    const tab = new URL(window.location.href).searchParams.get("tab");
    router.replace(
      `/project/${projectId}/surveys/${result.data.id}/edit${tab ? `?tab=${tab}` : ""}` as Route,
    );
    return result.data;
  }

  async function update(rest: SurveyWritten): Promise<SurveyWritten | null> {
    const before = storedBody(rest);
    const current = await callFromBrowser<typeof surveyContract.retrieve>(
      "/api/projects/{project_id}/surveys/{id}/",
      {
        params: { project_id: projectId, id: rest.id },
      },
    ).catch(() => null);
    if (current && changedFields(before, storedBody(current)).length > 0) {
      saving.askAbout({ base: rest, current });
      return null;
    }
    return store(rest, before, bodyOf(draft), (stored) => onSaved(stored, draft));
  }

  return {
    ...saving,
    save: () => saving.exclusively(() => (base ? update(base) : create())),
    saveMine: () =>
      saving.saveOver((conflict) => {
        const current = storedBody(conflict.current);
        const { merged } = mergeSurveys(storedBody(conflict.base), current, bodyOf(draft));
        return store(conflict.current, current, merged, onTake);
      }),
  };
}

export type Saving = ReturnType<typeof useSave>;
