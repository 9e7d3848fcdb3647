"use client";

import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { FormProvider, useForm, useWatch } from "react-hook-form";
import { Callout } from "#components/ui/callout.tsx";
import { Card } from "#components/ui/card.tsx";
import { toast } from "#components/ui/toaster.tsx";
import { useUnsavedGuard } from "#components/ui/unsaved-guard.tsx";
import type { FlagRecord } from "#lib/feature_flags/schema.ts";
import type { Names } from "#lib/feature_flags/words.ts";
import { KindField, NameFields, SettingsFields, Ticked } from "./basics_fields.tsx";
import { ConflictDialog } from "./conflict_dialog.tsx";
import { FiltersProvider } from "./filters_context.tsx";
import type { Access, FlagActions } from "./flag_actions.ts";
import {
  bodyOf,
  changedFields,
  formOf,
  newForm,
  pathOfError,
  resolverFor,
  type FlagForm as Values,
} from "./form_values.ts";
import { InWords } from "./in_words.tsx";
import { SaveBar } from "./save_bar.tsx";
import { SaveDialog } from "./save_dialog.tsx";
import { Targeting } from "./targeting.tsx";
import { TestPanel } from "./test_panel.tsx";
import { useEditing } from "./use_editing.ts";
import { useFlagSave } from "./use_flag_save.ts";

type Props = {
  projectId: string;
  /** The flag to edit; null makes a new one. */
  flag: FlagRecord | null;
  /** What a new flag starts from, when it is a copy. */
  copyOf?: FlagRecord | undefined;
  names: Names;
  access: Access;
  actions: FlagActions;
  /** Further cards of the right column. */
  children?: ReactNode;
};

const AFTER_DIALOG_MS = 120;

const startingValues = ({ flag, copyOf }: Pick<Props, "flag" | "copyOf">): Values => {
  if (flag) return formOf(flag);
  if (!copyOf) return newForm();
  return { ...formOf(copyOf), key: `${copyOf.key}-copy`, active: false };
};

/** Makes or edits a flag: one form on the API's own schema. */
export function FlagForm(props: Props) {
  const { projectId, flag, access, actions, children } = props;
  // The flag as it was when this editing began: what a save rests on.
  const [base, setBase] = useState(flag);
  const form = useForm<Values>({
    shouldFocusError: false,
    defaultValues: useState(() => startingValues(props))[0],
    resolver: useMemo(() => resolverFor(flag?.id ?? null), [flag?.id]),
  });
  const values = useWatch({ control: form.control }) as Values;
  const body = useMemo(() => bodyOf(values), [values]);
  // The switch in the header acts at once, whatever the form holds.
  const active = flag ? flag.active : body.active === true;
  const changes = base ? changedFields(body, base) : null;
  const dirty = changes ? Object.keys(changes).length > 0 : form.formState.isDirty;
  const allowLeaving = useUnsavedGuard(dirty);
  const editing = useEditing(form, body.filters, props.names);
  const [asking, setAsking] = useState(false);
  const [jsonReadable, setJsonReadable] = useState(true);
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

  async function submit() {
    if (!jsonReadable) {
      toast.error("The JSON cannot be read yet. Mend it, then save.");
      return;
    }
    form.clearErrors("root");
    await form.handleSubmit(
      () => setAsking(true),
      () => focusProblem(form.getFieldState("filters").error),
    )();
  }
  async function save(): Promise<string | undefined> {
    const problem = await saving.save();
    // The dialog gives the focus back as it closes; then it goes to the field that the service refused.
    if (problem === undefined && saving.refused())
      setTimeout(() => focusProblem(form.getFieldState("filters").error), AFTER_DIALOG_MS);
    return problem;
  }
  const readOnly = !access.may_write;
  const root = form.formState.errors.root?.message;
  return (
    <FormProvider {...form}>
      <FiltersProvider value={{ ...editing, projectId, flagId: flag?.id ?? null, readOnly }}>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (!readOnly) void submit();
          }}
          className="grid items-start gap-x-6 gap-y-5 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_23rem]"
        >
          <div className="flex min-w-0 flex-col gap-5">
            <Card>
              <div className="flex flex-col gap-4">
                <NameFields projectId={projectId} storedKey={flag?.key ?? null} readOnly={readOnly} />
                {flag ? null : (
                  <Ticked
                    name="active"
                    readOnly={readOnly}
                    label="Turn it on as soon as it is created"
                    description="Otherwise it answers off for everyone until you turn it on."
                  />
                )}
              </div>
            </Card>
            <Card>
              <KindField readOnly={readOnly} />
            </Card>
            <Targeting onReadable={setJsonReadable} />
            <Card title="Settings">
              <fieldset disabled={readOnly} className="flex min-w-0 flex-col gap-4">
                <SettingsFields projectId={projectId} readOnly={readOnly} />
              </fieldset>
            </Card>
            {root ? (
              <Callout tone="danger" live title="The flag was not saved">
                {root}
              </Callout>
            ) : null}
          </div>
          <aside className="flex min-w-0 flex-col gap-5 lg:sticky lg:top-4" aria-label="About this flag">
            <InWords body={body} names={editing.names} active={active} />
            <TestPanel projectId={projectId} flag={flag} body={body} dirty={dirty} names={editing.names} />
            {children}
          </aside>
          {readOnly ? null : (
            <SaveBar
              isNew={flag === null}
              dirty={dirty}
              saving={saving.saving}
              onDiscard={base ? () => form.reset(formOf(base)) : undefined}
            />
          )}
        </form>
        <span aria-live="polite" className="sr-only">
          {editing.news}
        </span>
        {asking ? (
          <SaveDialog
            projectId={projectId}
            stored={base && { ...base, active }}
            body={{ ...body, active, ...(base && !changes?.filters && { filters: base.filters }) }}
            names={editing.names}
            onClose={() => setAsking(false)}
            onConfirm={save}
          />
        ) : null}
        {saving.conflict && base ? (
          <ConflictDialog
            base={base}
            current={saving.conflict.current}
            mine={saving.conflict.mine}
            names={editing.names}
            saving={saving.saving}
            onClose={saving.keepEditing}
            onReload={saving.takeTheirs}
            onReapply={() => void saving.saveMine()}
          />
        ) : null}
      </FiltersProvider>
    </FormProvider>
  );
}

/** Brings the first control that has a problem into view, and the focus to it. */
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
