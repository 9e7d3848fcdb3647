"use client";

import { Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { ExperimentActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { HoldoutDialog } from "#components/experiments/holdouts/holdout-dialog.tsx";
import { shareText } from "#components/experiments/holdouts/share-text.ts";
import { Button } from "#components/ui/button.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Select } from "#components/ui/form/select.tsx";
import type { HoldoutRecord } from "#lib/experiments/experiments/schema.ts";
import type { StepProps } from "./steps.ts";

const NONE = "none";

type Props = StepProps & { holdouts: readonly HoldoutRecord[]; actions: ExperimentActions };

/** Who sees no variant: an existing holdout or a new one. */
export function HoldoutField(props: Props) {
  const { experiment, values, change, problemOf, holdouts } = props;
  const router = useRouter();
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
              description: shareText(holdout),
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
        <HoldoutDialog
          projectId={props.projectId}
          holdout={null}
          actions={props.actions.holdouts}
          onClose={() => setMaking(false)}
          onSaved={(holdout) => {
            setMade([holdout, ...made]);
            change({ holdout_id: holdout.id });
            router.refresh();
          }}
        />
      ) : null}
    </div>
  );
}
