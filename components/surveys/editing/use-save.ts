"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import type { SurveyActions } from "#app/project/[project_id]/surveys/survey-actions.ts";
import { attempt, isConflict, problemOf } from "#components/kit/action.ts";
import { changedFields } from "#components/kit/editor/changes.ts";
import type { PlacedProblem } from "#components/kit/editor/json.ts";
import { useSaving } from "#components/kit/editor/use-saving.ts";
import { readCurrent } from "#components/kit/editor/use-versions.ts";
import { heldRequest } from "#components/kit/held.ts";
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
import type { ActionResult } from "#lib/app/session/action-result.ts";
import type { surveyContract } from "#lib/surveys/surveys/contract.ts";
import type { SurveyChange, SurveyWritten } from "#lib/surveys/surveys/schema.ts";

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
  /** Called with another version to go on from: that of somebody else, or an earlier one. */
  onTake: (survey: SurveyWritten) => void;
  /** Called with somebody else's version and what is to be saved over it; returns the form that shows that. */
  onRebase: (onto: SurveyWritten, merged: SurveyBody) => SurveyDraft;
  onProblem: (problem: PlacedProblem) => void;
  /** Called when what was edited is in a change request. */
  onProposed: () => void;
};

/** Two people have changed the same survey. */
export type Conflict = { base: SurveyWritten; current: SurveyWritten };

/** Saving a survey: field problems, conflicts with others' changes, and undo. */
export function useSave(options: Options) {
  const {
    projectId,
    base,
    draft,
    actions,
    allowLeaving,
    isDirty,
    onSaved,
    onTake,
    onRebase,
    onProblem,
    onProposed,
  } = options;
  const router = useRouter();
  const saving = useSaving<Conflict>(({ current }) => onTake(current));

  /**
   * Writes a change of one version. If the stored version is another one that differs in nothing that is edited, as
   * after the start of an iteration, the change is written over that.
   *
   * @returns the result, or the stored survey if somebody has changed what is edited
   */
  async function write(
    from: SurveyWritten,
    body: SurveyChange,
  ): Promise<ActionResult<SurveyWritten> | { current: SurveyWritten }> {
    const result = await attempt(() =>
      actions.update(projectId, from.id, { ...body, version: from.version }),
    );
    if (!isConflict(result)) return result;
    const current = await readCurrent<typeof surveyContract.retrieve>(
      "/api/projects/{project_id}/surveys/{id}/",
      { params: { project_id: projectId, id: from.id } },
    );
    // The refusal says what has happened where the survey cannot be read, or was read before it was changed.
    if (!current || current.version === from.version) return result;
    const differs = changedFields(storedBody(from), storedBody(current)).length > 0;
    return differs ? { current } : write(current, body);
  }

  /** Saves a state over another; returns the stored survey, or null after showing the problem or the conflict. */
  async function store(
    from: SurveyWritten,
    after: SurveyBody,
    goOn: (stored: SurveyWritten) => void,
  ): Promise<SurveyWritten | null> {
    const before = storedBody(from);
    const result = await write(from, patchOf(before, after));
    if ("current" in result) {
      saving.askAbout({ base: from, current: result.current });
      return null;
    }
    if (heldRequest(result) !== null) {
      onProposed();
      return null;
    }
    if (!result.ok) {
      onProblem(placeOfError(result.error));
      return null;
    }
    const saved = result.data;
    goOn(saved);
    toast.withUndo(
      "Changes saved",
      async () => {
        if (isDirty()) return "Save or discard your later changes, then undo.";
        const undone = await write(saved, patchOf(storedBody(saved), before));
        if ("current" in undone) return "Somebody else has changed this survey since. Nothing was undone.";
        if (!undone.ok) return problemOf(undone);
        onTake(undone.data);
        return undefined;
      },
      "Changes undone",
    );
    return saved;
  }

  async function create(): Promise<SurveyWritten | null> {
    const result = await attempt(() => actions.create(projectId, creationOf(bodyOf(draft))));
    if (heldRequest(result) !== null) {
      allowLeaving();
      return null;
    }
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

  return {
    ...saving,
    save: () =>
      saving.exclusively(() =>
        base ? store(base, bodyOf(draft), (stored) => onSaved(stored, draft)) : create(),
      ),
    saveMine: () =>
      saving.saveOver((conflict) => {
        const current = storedBody(conflict.current);
        const { merged } = mergeSurveys(storedBody(conflict.base), current, bodyOf(draft));
        const sent = onRebase(conflict.current, merged);
        return store(conflict.current, merged, (stored) => onSaved(stored, sent));
      }),
  };
}

export type Saving = ReturnType<typeof useSave>;
