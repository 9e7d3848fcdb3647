"use client";

import { useState } from "react";
import type { ExperimentActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { proposalOf } from "#components/experiments/experiment-proposal.ts";
import { keyFrom } from "#components/experiments/variants.ts";
import { ConfirmOrPropose } from "#components/kit/propose/confirm-or-propose.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { RadioCards } from "#components/ui/form/radio-cards.tsx";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import { bodyOf, useExperimentActions } from "./use-experiment-actions.ts";

export type ExperimentAction =
  | "stop"
  | "resume"
  | "reset"
  | "archive"
  | "unarchive"
  | "delete"
  | "duplicate"
  | "cohort";

type Props = {
  projectId: string;
  experiment: ExperimentRecord;
  actions: ExperimentActions;
  action: ExperimentAction;
  onClose: () => void;
};

type Words = { title: string; description: string; confirmLabel: string; danger?: boolean };

const WORDS: Record<Exclude<ExperimentAction, "duplicate">, Words> = {
  stop: {
    title: "Stop",
    description:
      "Nobody new is counted from now on. The flag does not change: people keep their variant until you ship one or turn the flag off.",
    confirmLabel: "Stop the experiment",
  },
  resume: {
    title: "Resume",
    description: "The end date is removed, and everything since then counts again.",
    confirmLabel: "Resume the experiment",
  },
  reset: {
    title: "Reset",
    description:
      "It becomes a draft again. Its dates and conclusion are cleared, and results restart at the next launch. The flag does not change. You can undo this.",
    confirmLabel: "Reset to draft",
  },
  archive: {
    title: "Archive",
    description: "It is hidden from the list. Nothing else changes: the flag is still served.",
    confirmLabel: "Archive the experiment",
  },
  unarchive: {
    title: "Unarchive",
    description: "It returns to the list.",
    confirmLabel: "Unarchive the experiment",
  },
  delete: {
    title: "Delete",
    description:
      "It is removed from the dashboard and the API. Its flag does not change: people keep their variants. You can undo this.",
    confirmLabel: "Delete the experiment",
    danger: true,
  },
  cohort: {
    title: "Create a cohort of everybody exposed to",
    description:
      "It contains everybody who evaluated the flag since launch, whichever variant they got, and updates with new events.",
    confirmLabel: "Create cohort",
  },
};

/** Asks for confirmation of an action and explains what it does. */
export function ActionDialog({ action, onClose, ...props }: Props) {
  const commands = useExperimentActions(props);
  if (action === "duplicate") return <DuplicateDialog {...props} onClose={onClose} />;
  const words = WORDS[action];
  const run = {
    stop: commands.stop,
    resume: commands.resume,
    reset: commands.reset,
    archive: commands.archive,
    unarchive: commands.unarchive,
    delete: commands.remove,
    cohort: commands.makeCohort,
  };
  return (
    <ConfirmOrPropose
      onClose={onClose}
      {...(action !== "cohort" && {
        proposal: proposalOf(props, words.title.toLowerCase(), bodyOf[action]),
      })}
      title={`${words.title} ${props.experiment.name}?`}
      description={words.description}
      confirmLabel={words.confirmLabel}
      danger={words.danger ?? false}
      onConfirm={run[action]}
    />
  );
}

function DuplicateDialog({ onClose, ...props }: Omit<Props, "action">) {
  const { experiment } = props;
  const commands = useExperimentActions(props);
  const [name, setName] = useState(`${experiment.name} (Copy)`);
  const [kind, setKind] = useState<"new" | "same">("new");
  const [key, setKey] = useState(`${keyFrom(experiment.feature_flag_key)}-2`);
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Duplicate ${experiment.name}`}
      description="The copy is a draft with the same metrics and settings. Dates, holdout and conclusion are not copied."
      confirmLabel="Create copy"
      onConfirm={() =>
        commands.duplicate({ name: name.trim(), ...(kind === "new" && { feature_flag_key: key.trim() }) })
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="Name">
          <Input value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label="Feature flag" as="group">
          <RadioCards
            value={kind}
            onValueChange={setKind}
            options={[
              {
                value: "new",
                label: "A new flag",
                description: "People are split independently of this experiment.",
              },
              {
                value: "same",
                label: "The same flag",
                description: `People keep their variants of ${experiment.feature_flag_key}. Changes to it affect both experiments.`,
              },
            ]}
          />
        </Field>
        {kind === "new" ? (
          <Field label="New flag key">
            <Input mono value={key} spellCheck={false} onChange={(event) => setKey(event.target.value)} />
          </Field>
        ) : null}
      </div>
    </ConfirmDialog>
  );
}
