"use client";

import { useEffect, useMemo, useRef, useState } from "react";
import { useForm, useWatch } from "react-hook-form";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import { useUnsavedGuard } from "#components/kit/editor/unsaved-guard.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import {
  bodyOf,
  changedFields,
  formOf,
  newForm,
  pathOfError,
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
};

const AFTER_DIALOG_MS = 120;

const startingValues = ({ flag, copyOf }: Pick<FlagFormOptions, "flag" | "copyOf">): Values => {
  if (flag) return formOf(flag);
  if (!copyOf) return newForm();
  return { ...formOf(copyOf), key: `${copyOf.key}-copy`, active: false };
};

/** The form of a flag: values, unsaved state, and saving. */
export function useFlagForm(options: FlagFormOptions) {
  const { projectId, flag, actions } = options;
  // The flag as it was when editing began: the base of a save.
  const [base, setBase] = useState(flag);
  const form = useForm<Values>({
    shouldFocusError: false,
    defaultValues: useState(() => startingValues(options))[0],
    resolver: useMemo(() => resolverFor(flag?.id ?? null), [flag?.id]),
  });
  const values = useWatch({ control: form.control }) as Values;
  const body = useMemo(() => bodyOf(values), [values]);
  const changes = base ? changedFields(body, base) : null;
  const dirty = changes ? Object.keys(changes).length > 0 : form.formState.isDirty;
  const allowLeaving = useUnsavedGuard(dirty);
  const adopt = (saved: FlagRecord) => {
    setBase(saved);
    form.reset(formOf(saved));
  };
  const latest = useRef(dirty);
  latest.current = dirty;
  const isDirty = () => latest.current;
  const saving = useFlagSave({ projectId, base, form, actions, allowLeaving, isDirty, onSaved: adopt });

  // The page was read again, and nothing is being edited: what it shows is the new state.
  useEffect(() => {
    if (flag && base && flag.version > base.version && !dirty) {
      setBase(flag);
      form.reset(formOf(flag));
    }
  }, [flag, base, dirty, form]);

  const toProblem = () => focusProblem(form.getFieldState("filters").error);
  return {
    form,
    base,
    body,
    changes,
    dirty,
    saving,
    /** Validates the form; continues, or focuses the first problem. */
    async check(jsonReadable: boolean, goOn: () => void) {
      if (!jsonReadable) {
        toast.error("Fix the JSON before saving.");
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
    const focusable = "input, textarea, button, [tabindex], [contenteditable]";
    const control = marked?.matches(focusable) ? marked : marked?.querySelector(focusable);
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
