"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useRef } from "react";
import type { UseFormReturn } from "react-hook-form";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import type { FlagConflict } from "#components/feature_flags/changes/merge.ts";
import { attempt, isConflict, problemOf } from "#components/kit/action.ts";
import { useSaving } from "#components/kit/editor/use-saving.ts";
import { heldRequest } from "#components/kit/held.ts";
import { callFromBrowser } from "#components/kit/use-endpoint.ts";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { flagContract } from "#lib/flags/feature_flags/contract.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import {
  bodyOf,
  changedFields,
  type FlagBody,
  type FlagForm,
  FORM_FIELDS,
  formOf,
  placeOfError,
} from "./form-values.ts";

type Options = {
  projectId: string;
  /** The flag that is edited, as it was when editing began; null for a new one. */
  base: FlagRecord | null;
  form: UseFormReturn<FlagForm>;
  actions: FlagActions;
  /** Called before a save leads to another page. */
  allowLeaving: () => void;
  /** Whether there is something unsaved now. */
  isDirty: () => boolean;
  /** Called with the stored flag, and with the form that was sent. */
  onSaved: (flag: FlagRecord, sent: FlagForm) => void;
  /** Called with somebody else's version and what is to be saved over it; returns the form that shows that. */
  onRebase: (onto: FlagRecord, merged: FlagBody) => FlagForm;
  /** Called with another version to go on from: that of somebody else, or an earlier one. */
  onTake: (flag: FlagRecord) => void;
};

/** Saving a flag: base version, errors at fields, conflicts and undo. */
export function useFlagSave(options: Options) {
  const { projectId, base, form, actions, allowLeaving, isDirty, onSaved, onRebase, onTake } = options;
  const router = useRouter();
  const saving = useSaving<FlagConflict>(({ current }) => onTake(current));
  const refused = useRef(false);

  /** Shows an error at its field; returns it as text if it concerns the whole flag. */
  function show(error: Parameters<typeof placeOfError>[0]): string | undefined {
    const place = placeOfError(error);
    if (place.field === "root") {
      form.setError("root", place.error);
      return error.detail;
    }
    form.setError(place.field, place.error);
    refused.current = true;
    return undefined;
  }

  async function create(): Promise<string | undefined> {
    const body = bodyOf(form.getValues());
    const result = await attempt(() =>
      actions.create(projectId, { ...body, creation_context: "feature_flags" }),
    );
    if (heldRequest(result)) {
      allowLeaving();
      return undefined;
    }
    if (!result.ok) return show(result.error);
    allowLeaving();
    const { id, key } = result.data;
    toast.withUndo(
      `${key} was created`,
      async () => {
        const undone = await attempt(() => actions.update(projectId, id, { deleted: true }));
        if (!undone.ok) return problemOf(undone);
        router.push(`/project/${projectId}/feature_flags` as Route);
        return undefined;
      },
      `${key} was deleted again`,
    );
    router.push(`/project/${projectId}/feature_flags/${id}` as Route);
    return undefined;
  }

  async function update(
    rest: FlagRecord,
    body: FlagBody,
    goOn: (stored: FlagRecord) => void,
  ): Promise<string | undefined> {
    const changes = changedFields(body, rest);
    const result = await attempt(() =>
      actions.update(projectId, rest.id, { ...changes, version: rest.version, original_flag: rest }),
    );
    if (result.ok) {
      goOn(result.data);
      offerUndo(rest, result.data, Object.keys(changes));
      return undefined;
    }
    if (heldRequest(result)) {
      // What was edited is in the request now.
      onTake(rest);
      return undefined;
    }
    if (!isConflict(result)) return show(result.error);
    const current = await callFromBrowser<typeof flagContract.retrieve>(
      "/api/projects/{project_id}/feature_flags/{id}/",
      {
        params: { project_id: projectId, id: String(rest.id) },
      },
    ).catch(() => null);
    if (!current) return result.error.detail;
    saving.askAbout({ current, mine: body });
    return undefined;
  }

  function offerUndo(before: FlagRecord, after: FlagRecord, fields: string[]) {
    const former = bodyOf(formOf(before));
    const wanted = FORM_FIELDS.filter((field) => fields.includes(field));
    const back = Object.fromEntries(wanted.map((field) => [field, former[field]]));
    toast.withUndo(
      "Changes saved",
      async () => {
        if (isDirty()) return "Save or discard your later changes, then undo.";
        const body = { ...back, version: after.version, original_flag: after };
        const undone = await attempt(() => actions.update(projectId, after.id, body));
        if (!undone.ok) return problemOf(undone);
        onTake(undone.data);
        return undefined;
      },
      `The changes to ${before.key} were undone`,
    );
  }

  return {
    ...saving,
    /** Whether the last save was refused for one of the fields. */
    refused: () => refused.current,
    /** Saves the form. Returns a problem that belongs to no field. */
    save: async (): Promise<string | undefined> => {
      const problem = await saving.exclusively(() => {
        refused.current = false;
        const sent = { ...form.getValues() };
        return base ? update(base, bodyOf(sent), (stored) => onSaved(stored, sent)) : create();
      });
      return problem ?? undefined;
    },
    /** Saves a body merged from both versions over the other's. */
    saveMerged: (body: FlagBody) =>
      saving.saveOver(async ({ current }) => {
        refused.current = false;
        const sent = onRebase(current, body);
        const problem = await update(current, body, (stored) => onSaved(stored, sent));
        if (problem) toast.error("Your changes were not saved", { description: problem });
      }),
  };
}
