"use client";

import { Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { ExperimentActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { attempt } from "#components/kit/action.ts";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { NumberInput } from "#components/ui/form/number-input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import type { HoldoutRecord } from "#lib/experiments/experiments/schema.ts";
import type { StepProps } from "./steps.ts";

const NONE = "none";
const USUAL_PERCENT = 5;

type Props = StepProps & { holdouts: readonly HoldoutRecord[]; actions: ExperimentActions };

/** Who sees no variant: an existing holdout or a new one. */
export function HoldoutField(props: Props) {
  const { experiment, values, change, problemOf, holdouts } = props;
  const [making, setMaking] = useState(false);
  // A new holdout can be chosen at once, before the page is read again.
  const [made, setMade] = useState<HoldoutRecord[]>([]);
  const launched = experiment !== null && experiment.status !== "draft";
  const known = [...made.filter(({ id }) => !holdouts.some((each) => each.id === id)), ...holdouts];
  return (
    <div className="flex flex-col items-start gap-2">
      <Field
        label="Holdout"
        error={problemOf("holdout_id")}
        className="w-full"
        description="These people see no variant, here or in any other experiment with this holdout."
        hint={launched ? "Cannot be changed after launch." : undefined}
      >
        <Select
          disabled={launched}
          value={values.holdout_id === null ? NONE : String(values.holdout_id)}
          onValueChange={(id) => change({ holdout_id: id === NONE ? null : Number(id) })}
          options={[
            { value: NONE, label: "Nobody is held out" },
            ...known.map((holdout) => ({
              value: String(holdout.id),
              label: holdout.name,
              description: `${String(holdout.filters[0]?.rollout_percentage)}% of people`,
            })),
          ]}
        />
      </Field>
      {launched ? null : (
        <Button size="sm" variant="ghost" icon={Plus} onClick={() => setMaking(true)}>
          New holdout…
        </Button>
      )}
      {making ? (
        <NewHoldout
          {...props}
          onClose={() => setMaking(false)}
          onMade={(holdout) => {
            setMade([holdout, ...made]);
            change({ holdout_id: holdout.id });
          }}
        />
      ) : null}
    </div>
  );
}

type NewProps = Props & { onClose: () => void; onMade: (holdout: HoldoutRecord) => void };

function NewHoldout({ projectId, actions, onClose, onMade }: NewProps) {
  const router = useRouter();
  const [name, setName] = useState("");
  const [percent, setPercent] = useState(USUAL_PERCENT);
  async function make(): Promise<string | undefined> {
    const result = await attempt(() => actions.createHoldout(projectId, name.trim(), percent));
    if (!result.ok) return result.error.detail;
    onMade(result.data);
    router.refresh();
    return undefined;
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="New holdout"
      description="The same people stay out of every experiment that uses it, so you can measure their combined effect."
      confirmLabel="Create holdout"
      onConfirm={make}
    >
      <div className="flex flex-col gap-4">
        <Field label="Name">
          <Input
            value={name}
            placeholder="Never in experiments"
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label="Share of people">
          <NumberInput label="Share of people in percent" value={percent} onValueChange={setPercent} />
        </Field>
      </div>
    </ConfirmDialog>
  );
}
