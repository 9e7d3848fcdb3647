"use client";

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useForm, useWatch } from "react-hook-form";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import { mergeConflict } from "#components/feature_flags/changes/merge.ts";
import { changedFields, mergeChanges } from "#components/kit/editor/changes.ts";
import { useKeptDraft } from "#components/kit/editor/use-kept-draft.ts";
import { useNewerVersion } from "#components/kit/editor/use-versions.ts";
import type { Revision } from "#components/kit/propose/revision.ts";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { flagContract } from "#lib/flags/feature_flags/contract.ts";
import { listFlagDifferences } from "#lib/flags/feature_flags/history/differences.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import { canonical } from "#lib/platform/canonical.ts";
import {
  bodyOf,
  type FlagBody,
  fieldsChangedFrom,
  formOf,
  formOfBody,
  newForm,
  pathOfError,
  readBody,
  resolverFor,
  type FlagForm as Values,
} from "./form-values.ts";
import { useFlagSave } from "./use-flag-save.ts";

export type FlagFormOptions = {
  projectId: string;
  /** The flag to edit; null creates a new one. */
  flag: FlagRecord | null;
  /** What a new flag starts from, when it is a copy. */
  copyOf?: FlagRecord | undefined;
  actions: FlagActions;
  /** A proposed change that is opened again; its fields are in the form. */
  revision?: Revision | undefined;
};

const AFTER_DIALOG_MS = 120;

const startingValues = ({ flag, copyOf }: Pick<FlagFormOptions, "flag" | "copyOf">): Values => {
  if (flag) return formOf(flag);
  if (!copyOf) return newForm();
  return { ...formOf(copyOf), key: `${copyOf.key}-copy`, active: false };
};

/** What is kept of an edit: what was to be saved, and the flag that it began with. */
type FlagDraft = { body: FlagBody; base: FlagRecord | null };

/** A kept edit of this flag; null for what another release stored otherwise. */
function readDraft(stored: unknown, flag: FlagRecord | null): FlagDraft | null {
  const { body, base } = (stored ?? {}) as Partial<FlagDraft>;
  const read = readBody(body);
  if (!read || (base ?? null)?.id !== flag?.id) return null;
  return { body: read, base: base ?? null };
}

/** The form of a flag: values, unsaved state, and saving. */
export function useFlagForm(options: FlagFormOptions) {
  const { projectId, flag, actions, revision: proposed } = options;
  // The flag as it was when editing began: the base of a save.
  const [base, setBase] = useState(flag);
  const [first] = useState(() => startingValues(options));
  const form = useForm<Values>({
    shouldFocusError: false,
    defaultValues: proposed ? formOfBody({ ...bodyOf(first), ...proposed.body }) : first,
    resolver: useMemo(() => resolverFor(flag?.id ?? null), [flag?.id]),
  });
  const values = useWatch({ control: form.control }) as Values;
  const body = useMemo(() => bodyOf(values), [values]);
  const before = useMemo(() => bodyOf(base ? formOf(base) : first), [base, first]);
  const changes = useMemo(() => fieldsChangedFrom(before, body), [before, body]);
  const dirty = Object.keys(changes).length > 0;
  const draft = useKeptDraft<FlagDraft>({
    record: `project/${projectId}/feature_flags/${flag?.id ?? `new/${options.copyOf?.id ?? ""}`}${proposed ? `/${proposed.id}` : ""}`,
    value: useMemo(() => ({ body, base }), [body, base]),
    dirty,
    // A payload that is stored encrypted does not lie in the browser.
    keep: !body.has_encrypted_payloads,
    read: (stored) => readDraft(stored, flag),
    onTake: (kept) => put(kept.base, formOfBody(kept.body)),
  });
  const [revision, setRevision] = useState(0);
  /** Puts other content into the form, which all of its fields show. */
  const put = useCallback(
    (onto: FlagRecord | null, content: Values) => {
      setBase(onto);
      form.reset(content);
      setRevision((before) => before + 1);
    },
    [form],
  );
  /** Goes on from somebody else's version, with the changes made here. */
  const rebase = (onto: FlagRecord, merged: FlagBody): Values => {
    const next = formOfBody(merged);
    put(onto, next);
    return next;
  };
  /** Goes on from what was saved, with what has been typed since it was sent. */
  const goOnFrom = (saved: FlagRecord, sent: Values) => {
    const next = formOf(saved);
    // Sets that were saved as they are keep their identities, and with them the focus.
    if (canonical(next.filters.filters) === canonical(sent.filters.filters)) next.filters = sent.filters;
    const typed = mergeChanges(sent, next, form.getValues());
    setBase(saved);
    form.reset(next);
    for (const field of changedFields(next, typed)) form.setValue(field, typed[field], { shouldDirty: true });
  };
  const latest = useRef(dirty);
  latest.current = dirty;
  const isDirty = () => latest.current;
  const saving = useFlagSave({
    projectId,
    base,
    form,
    actions,
    allowLeaving: draft.leave,
    isDirty,
    onSaved: goOnFrom,
    onRebase: rebase,
    onTake: (version) => put(version, formOf(version)),
  });

  // The page was read again, and nothing is being edited: what it shows is the new state.
  useEffect(() => {
    if (flag && base && flag.version > base.version && !dirty) {
      put(flag, formOf(flag));
    }
  }, [flag, base, dirty, put]);

  const newer = useNewerVersion<typeof flagContract.retrieve>(
    "/api/projects/{project_id}/feature_flags/{id}/",
    { params: { project_id: projectId, id: String(flag?.id ?? 0) } },
    base,
    (before, current) => listFlagDifferences(bodyOf(formOf(before)), bodyOf(formOf(current))).length > 0,
  );

  const toProblem = () => focusProblem(form.getFieldState("filters").error);
  return {
    form,
    base,
    body,
    changes,
    dirty,
    saving,
    /** Changes whenever the form got other content than what was typed. */
    revision,
    /** A newer version that somebody else has saved. */
    newer,
    /** Puts the newer version under what was typed; where both have changed the same, a person chooses. */
    loadNewer() {
      if (!newer || !base) return;
      const merged = mergeConflict(base, { current: newer, mine: body });
      if (merged.conflicts.length > 0) saving.askAbout({ current: newer, mine: body });
      else rebase(newer, merged.body);
    },
    discard: () => base && put(base, formOf(base)),
    /** Goes elsewhere: what was typed is in a change request now. */
    leave() {
      draft.leave();
      if (base) put(base, formOf(base));
    },
    /** What was left unsaved here, if anything was. */
    offer: draft.offer,
    /** Whether the flag has another version than the one that the offered edit began with. */
    offerIsOlder: draft.offer !== null && flag !== null && draft.offer.value.base?.version !== flag.version,
    /** Validates the form; continues, or focuses the first problem. */
    async check(jsonReadable: boolean, goOn: () => void) {
      if (!jsonReadable) {
        toast.error("Fix the JSON before saving.", { id: "json" });
        return;
      }
      form.clearErrors("root");
      await form.handleSubmit(goOn, toProblem)();
    },
    /** Saves the form; returns a problem that belongs to no field. */
    async save(): Promise<string | undefined> {
      const problem = await saving.save();
      // The dialog gives the focus back as it closes; then it goes to the field that the service refused.
      if (problem === undefined && saving.refused()) setTimeout(toProblem, AFTER_DIALOG_MS);
      return problem;
    },
  };
}

/** Scrolls to the first control with a problem and focuses it. */
function focusProblem(inFilters: { type?: unknown } | undefined) {
  requestAnimationFrame(() => {
    const form = document.querySelector("main form");
    const marked = form?.querySelector("[aria-invalid='true']") ?? placeOf(form, inFilters);
    marked?.scrollIntoView({ block: "center" });
    const focusable = "input, textarea, button, [tabindex='0'], [contenteditable]";
    const control = marked?.matches(focusable) ? marked : (marked?.querySelector(focusable) ?? marked);
    if (control instanceof HTMLElement) control.focus({ preventScroll: true });
  });
}

/** The part of the form that shows the place of a problem in the filters, or the nearest part around it. */
function placeOf(form: Element | null, inFilters: { type?: unknown } | undefined): Element | null {
  const path = pathOfError(inFilters);
  for (let length = path.length; length > 0; length--) {
    const found = form?.querySelector(`[data-path="${CSS.escape(path.slice(0, length).join("/"))}"]`);
    if (found) return found;
  }
  return null;
}
