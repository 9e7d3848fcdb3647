"use client";

import { CircleCheck, CircleMinus, CircleX, Minus } from "lucide-react";
import { WhoChanges } from "#components/feature_flags/who_changes.tsx";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/callout.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Field, FieldError } from "#components/ui/field.tsx";
import { RadioCards } from "#components/ui/radio-cards.tsx";
import { Select } from "#components/ui/select.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { Switch } from "#components/ui/switch.tsx";
import { Textarea } from "#components/ui/textarea.tsx";
import type { ExperimentRecord } from "#lib/experiments/schema.ts";
import { shippedFilters } from "#lib/experiments/ship.ts";
import { ExperimentConflictDialog } from "./conflict_dialog.tsx";
import type { ExperimentActions } from "./experiment_actions.ts";
import { LaunchPlan } from "./launch_plan.tsx";
import { CONCLUSIONS } from "./status.ts";
import { type ConclusionState, useConclusion, useVerdict } from "./use_conclusion.ts";
import { variantsOfFlag } from "./variants.ts";
import type { Verdict } from "./verdict.ts";

type Props = {
  projectId: string;
  experiment: ExperimentRecord;
  actions: ExperimentActions;
  onClose: () => void;
};

/** Ends an experiment: what the results support, the conclusion, and the variant that everybody gets. */
export function ConcludeDialog(props: Props) {
  const { projectId, experiment, onClose } = props;
  const { verdict, problem: unread } = useVerdict(projectId, experiment);
  const state = useConclusion(props, verdict);
  if (state.conflict)
    return (
      <ExperimentConflictDialog
        conflict={state.conflict}
        saving={state.busy}
        onKeepEditing={state.keepEditing}
        onTakeTheirs={state.takeTheirs}
        onSave={state.saveOver}
      />
    );
  return (
    <Dialog
      open
      size="lg"
      onOpenChange={(open) => !open && onClose()}
      title={`Conclude ${experiment.name}`}
      description={
        experiment.end_date
          ? "The experiment is stopped. What did you find?"
          : "Concluding stops the experiment: nobody new is counted from now on."
      }
      footer={
        <>
          <FieldError>{state.problem}</FieldError>
          <span className="flex-1" />
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" loading={state.busy} onClick={state.save}>
            {state.ships ? `Conclude and ship ${state.variant}` : "Conclude"}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <LaunchPlan experiment={experiment} />
        {verdict ? (
          <Reading verdict={verdict} />
        ) : unread ? (
          <Callout tone="warning">The results could not be read: {unread}</Callout>
        ) : (
          <div role="status" aria-label="Reading the results" className="flex flex-col gap-2">
            <Skeleton className="h-5 w-2/3" />
            <Skeleton className="h-16 w-full" />
          </div>
        )}
        <Field label="Conclusion" as="group">
          <RadioCards
            columns={2}
            value={state.conclusion}
            onValueChange={state.setConclusion}
            options={CONCLUSIONS.map(({ value, label, description }) => ({
              value,
              label: value === verdict?.suggestion ? `${label} (supported)` : label,
              description,
            }))}
          />
        </Field>
        <Field label="Comment" optional>
          <Textarea
            placeholder="What you learned, and what you will do next"
            value={state.comment}
            onChange={(event) => state.setComment(event.target.value)}
          />
        </Field>
        <Ship {...props} state={state} />
      </div>
    </Dialog>
  );
}

const SIGNS = {
  better: { icon: CircleCheck, tone: "text-success-text", word: "Better" },
  worse: { icon: CircleX, tone: "text-danger-text", word: "Worse" },
  unclear: { icon: CircleMinus, tone: "text-muted", word: "No clear difference" },
  none: { icon: Minus, tone: "text-faint", word: "No statistics" },
} as const;

function Reading({ verdict }: { verdict: Verdict }) {
  return (
    <section aria-label="What the results support" className="flex flex-col gap-2.5">
      <p className="font-medium">{verdict.summary}</p>
      {verdict.lines.length > 0 ? (
        <ul className="divide-y rounded-lg border bg-sunken">
          {verdict.lines.map((line) => {
            const { icon: Icon, tone, word } = SIGNS[line.direction];
            return (
              <li key={`${line.metric} ${line.variant}`} className="flex gap-2.5 px-3 py-2 text-sm">
                <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${tone}`} />
                <span className="min-w-0">
                  <span className="break-words font-medium">
                    {line.metric}: {line.variant}
                  </span>
                  <span className="sr-only">. {word}.</span>
                  <span className="tabular block break-words text-muted text-xs">{line.text}</span>
                </span>
              </li>
            );
          })}
        </ul>
      ) : null}
      {verdict.doubts.length > 0 ? (
        <Callout tone="warning" title="Before you conclude">
          <ul className="list-disc pl-4">
            {verdict.doubts.map((doubt) => (
              <li key={doubt}>{doubt}</li>
            ))}
          </ul>
        </Callout>
      ) : null}
    </section>
  );
}

function Ship({ projectId, experiment, state }: Props & { state: ConclusionState }) {
  const { feature_flag: flag } = experiment;
  const { ships, variant } = state;
  return (
    <section aria-label="Ship a variant" className="flex flex-col gap-3 rounded-lg border px-3.5 py-3">
      <div className="flex items-start gap-3">
        <Switch label="Ship a variant to everybody" checked={ships} onCheckedChange={state.setShips} />
        <div className="min-w-0 text-sm">
          <p className="font-medium">Ship a variant to everybody</p>
          <p className="text-muted text-xs">
            Changes <span className="font-mono">{flag.key}</span> so that everybody gets that variant. The
            experiment keeps the split it ran with. Otherwise the flag goes on splitting people as it does
            now.
          </p>
        </div>
      </div>
      {ships ? (
        <>
          <Field label="Variant">
            <Select
              value={variant}
              onValueChange={state.setVariant}
              options={variantsOfFlag(flag.filters).map(({ key, name }) => ({
                value: key,
                label: name ? `${key}: ${name}` : key,
              }))}
            />
          </Field>
          <WhoChanges
            projectId={projectId}
            proposed={{ id: flag.id, active: true, filters: shippedFilters(flag.filters, variant) }}
          />
        </>
      ) : null}
    </section>
  );
}
