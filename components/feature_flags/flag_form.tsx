"use client";

import { type ReactNode, useState } from "react";
import { FormProvider } from "react-hook-form";
import { Card } from "#components/ui/card.tsx";
import type { Names } from "#lib/feature_flags/words.ts";
import { FlagConflictDialog } from "./conflict_dialog.tsx";
import { FiltersProvider } from "./filters_context.tsx";
import type { Access } from "./flag_actions.ts";
import { FormColumn } from "./form_column.tsx";
import { formOf } from "./form_values.ts";
import { InWords } from "./in_words.tsx";
import { SaveBar } from "./save_bar.tsx";
import { SaveDialog } from "./save_dialog.tsx";
import { TestPanel } from "./test_panel.tsx";
import { useEditing } from "./use_editing.ts";
import { type FlagFormOptions, useFlagForm } from "./use_flag_form.ts";
import { WhoChanges } from "./who_changes.tsx";

type Props = FlagFormOptions & {
  names: Names;
  access: Access;
  /** Further cards of the right column. */
  children?: ReactNode;
};

/** Makes or edits a flag: one form on the API's own schema. */
export function FlagForm(props: Props) {
  const { projectId, flag, access, children } = props;
  const flagForm = useFlagForm(props);
  const { form, base, body, dirty, saving } = flagForm;
  const { news, ...editing } = useEditing(form, body.filters, props.names);
  const [asking, setAsking] = useState(false);
  const [jsonReadable, setJsonReadable] = useState(true);
  const readOnly = !access.may_write;
  // The switch in the header acts at once, whatever the form holds.
  const active = flag ? flag.active : body.active === true;
  return (
    <FormProvider {...form}>
      <FiltersProvider value={{ ...editing, projectId, flagId: flag?.id ?? null, readOnly }}>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (!readOnly) void flagForm.check(jsonReadable, () => setAsking(true));
          }}
          className="grid items-start gap-x-6 gap-y-5 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_23rem]"
        >
          <FormColumn flag={flag} onReadable={setJsonReadable} />
          <aside className="flex min-w-0 flex-col gap-5 lg:sticky lg:top-4" aria-label="About this flag">
            <InWords body={body} names={editing.names} active={active} />
            {active && (flag === null || flagForm.changes?.filters) ? (
              <Card title="If you save" description="On the people stored now.">
                <WhoChanges
                  projectId={projectId}
                  proposed={{ id: flag?.id ?? null, key: body.key, active, filters: body.filters }}
                />
              </Card>
            ) : null}
            <TestPanel
              {...{ projectId, flag, body, dirty, access }}
              names={editing.names}
              actions={props.actions}
            />
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
          {news}
        </span>
        {asking ? (
          <SaveDialog
            projectId={projectId}
            stored={base && { ...base, active }}
            body={{ ...body, active, ...(base && !flagForm.changes?.filters && { filters: base.filters }) }}
            names={editing.names}
            onClose={() => setAsking(false)}
            onConfirm={flagForm.save}
          />
        ) : null}
        {saving.conflict && base ? (
          <FlagConflictDialog base={base} {...saving.conflict} names={editing.names} saving={saving} />
        ) : null}
      </FiltersProvider>
    </FormProvider>
  );
}
