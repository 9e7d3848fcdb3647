"use client";

import { useState } from "react";
import type { HoldoutActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { attempt, problemOf } from "#components/kit/action.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { NumberInput } from "#components/ui/form/number-input.tsx";
import { Textarea } from "#components/ui/form/textarea.tsx";
import type { HoldoutListed, HoldoutRecord } from "#lib/experiments/experiments/schema.ts";

const USUAL_PERCENT = 5;

type Props = {
  projectId: string;
  /** null: a new one. */
  holdout: HoldoutListed | null;
  actions: HoldoutActions;
  onClose: () => void;
  onSaved: (holdout: HoldoutRecord) => void;
};

/** Creates or edits a holdout; its conditions, which only the API sets, are kept. */
export function HoldoutDialog({ projectId, holdout, actions, onClose, onSaved }: Props) {
  const [group = { properties: [] }, ...others] = holdout?.filters ?? [];
  const stored = group.rollout_percentage ?? USUAL_PERCENT;
  const [name, setName] = useState(holdout?.name ?? "");
  const [description, setDescription] = useState(holdout?.description ?? "");
  const [percent, setPercent] = useState(stored);
  const running = (holdout?.experiments ?? []).filter(
    ({ status }) => status !== "draft" && status !== "stopped",
  );
  async function save(): Promise<string | undefined> {
    const { variant: _, ...conditions } = group;
    const result = await attempt(() =>
      actions.save(projectId, holdout?.id ?? null, {
        name: name.trim(),
        description: description.trim() || null,
        ...((holdout === null || percent !== stored) && {
          filters: [{ ...conditions, rollout_percentage: percent }],
        }),
      }),
    );
    if (!result.ok) return problemOf(result);
    onSaved(result.data);
    return undefined;
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={holdout ? `Edit ${holdout.name}` : "New holdout"}
      description="The same people stay out of every experiment that uses it, so you can compare them with everybody else later."
      confirmLabel={holdout ? "Save holdout" : "Create holdout"}
      onConfirm={save}
    >
      <div className="flex flex-col gap-4">
        <Field label="Name">
          <Input
            value={name}
            placeholder="Never in experiments"
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label="Purpose" optional>
          <Textarea rows={2} value={description} onChange={(event) => setDescription(event.target.value)} />
        </Field>
        {others.length > 0 ? null : (
          <Field label="Share of people">
            <NumberInput label="Share of people in percent" value={percent} onValueChange={setPercent} />
          </Field>
        )}
        {running.length > 0 && percent !== stored ? (
          <Callout tone="warning" live title="Running experiments change">
            {percent < stored
              ? "Some held-out people start to get variants in "
              : "Some people who have a variant lose it in "}
            {new Intl.ListFormat("en").format(running.map((each) => each.name))}.
          </Callout>
        ) : null}
      </div>
    </ConfirmDialog>
  );
}
