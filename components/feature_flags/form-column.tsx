"use client";

import { useFormContext } from "react-hook-form";
import { useFilters } from "#components/conditions/editor/filters-context.tsx";
import { Targeting } from "#components/feature_flags/targeting/targeting.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Card } from "#components/ui/display/card.tsx";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import { KindField, NameFields, SettingsFields, Ticked } from "./basics-fields.tsx";
import type { FlagForm } from "./form-values.ts";

type Props = { flag: FlagRecord | null; onReadable: (readable: boolean) => void };

/** The fields of a flag, from its name to its settings. */
export function FormColumn({ flag, onReadable }: Props) {
  const { projectId, readOnly } = useFilters();
  const { formState } = useFormContext<FlagForm>();
  const problem = formState.errors.root?.message;
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <Card>
        <div className="flex flex-col gap-4">
          <NameFields projectId={projectId} storedKey={flag?.key ?? null} readOnly={readOnly} />
          {flag ? null : (
            <Ticked
              name="active"
              readOnly={readOnly}
              label="Turn it on when created"
              description="Otherwise it is off for everyone until you turn it on."
            />
          )}
        </div>
      </Card>
      <Card>
        <KindField readOnly={readOnly} />
      </Card>
      <Targeting onReadable={onReadable} />
      <Card title="Settings">
        <fieldset disabled={readOnly} className="flex min-w-0 flex-col gap-4">
          <SettingsFields projectId={projectId} readOnly={readOnly} />
        </fieldset>
      </Card>
      {problem ? (
        <Callout tone="danger" live title="The flag was not saved">
          {problem}
        </Callout>
      ) : null}
    </div>
  );
}
