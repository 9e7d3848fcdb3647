"use client";

import { useState } from "react";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { RadioCards } from "#components/ui/radio-cards.tsx";
import type { ExperimentRecord } from "#lib/experiments/schema.ts";
import type { ExperimentActions } from "./experiment_actions.ts";
import { useExperimentDeeds } from "./use_experiment_deeds.ts";
import { keyFrom } from "./variants.ts";

export type Asked = "stop" | "resume" | "reset" | "archive" | "unarchive" | "delete" | "duplicate" | "cohort";

type Props = {
  projectId: string;
  experiment: ExperimentRecord;
  actions: ExperimentActions;
  asked: Asked;
  onClose: () => void;
};

type Words = { title: string; description: string; confirmLabel: string; danger?: boolean };

const WORDS: Record<Exclude<Asked, "duplicate">, Words> = {
  stop: {
    title: "Stop",
    description:
      "Nobody new is counted from now on. The flag stays as it is: people keep the variant they have until you ship one or switch it off.",
    confirmLabel: "Stop the experiment",
  },
  resume: {
    title: "Resume",
    description: "The end is taken away, and everything since then counts again.",
    confirmLabel: "Resume the experiment",
  },
  reset: {
    title: "Reset",
    description:
      "It becomes a draft again: its dates and its conclusion are taken away, and results begin anew at the next launch. The flag stays as it is. You can undo this.",
    confirmLabel: "Reset to draft",
  },
  archive: {
    title: "Archive",
    description: "It leaves the list and is kept. Nothing else changes; the flag is served as before.",
    confirmLabel: "Archive the experiment",
  },
  unarchive: {
    title: "Take out of the archive",
    description: "It stands in the list again.",
    confirmLabel: "Take out of the archive",
  },
  delete: {
    title: "Delete",
    description:
      "It leaves the dashboard and the API. Its flag is not touched: people keep what it serves them. You can undo this.",
    confirmLabel: "Delete the experiment",
    danger: true,
  },
  cohort: {
    title: "Make a cohort of everybody exposed to",
    description:
      "It holds everybody who was asked for the flag since the launch, whichever variant they got, and follows new events.",
    confirmLabel: "Make the cohort",
  },
};

/** Asks before a deed; what it does is said in full. */
export function DeedDialog({ asked, onClose, ...props }: Props) {
  const deeds = useExperimentDeeds(props);
  if (asked === "duplicate") return <DuplicateDialog {...props} onClose={onClose} />;
  const words = WORDS[asked];
  const run = {
    stop: deeds.stop,
    resume: deeds.resume,
    reset: deeds.reset,
    archive: deeds.archive,
    unarchive: deeds.unarchive,
    delete: deeds.remove,
    cohort: deeds.makeCohort,
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`${words.title} ${props.experiment.name}?`}
      description={words.description}
      confirmLabel={words.confirmLabel}
      danger={words.danger ?? false}
      onConfirm={run[asked]}
    />
  );
}

function DuplicateDialog({ onClose, ...props }: Omit<Props, "asked">) {
  const { experiment } = props;
  const deeds = useExperimentDeeds(props);
  const [name, setName] = useState(`${experiment.name} (Copy)`);
  const [kind, setKind] = useState<"new" | "same">("new");
  const [key, setKey] = useState(`${keyFrom(experiment.feature_flag_key)}-2`);
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Duplicate ${experiment.name}`}
      description="The copy is a draft with the same metrics and settings. Dates, holdout and conclusion stay behind."
      confirmLabel="Make the copy"
      onConfirm={() =>
        deeds.duplicate({ name: name.trim(), ...(kind === "new" && { feature_flag_key: key.trim() }) })
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
              { value: "new", label: "A flag of its own", description: "People are split anew." },
              {
                value: "same",
                label: "The same flag",
                description: `People keep their variants of ${experiment.feature_flag_key}; whatever changes it changes both.`,
              },
            ]}
          />
        </Field>
        {kind === "new" ? (
          <Field label="Key of the new flag">
            <Input mono value={key} spellCheck={false} onChange={(event) => setKey(event.target.value)} />
          </Field>
        ) : null}
      </div>
    </ConfirmDialog>
  );
}
