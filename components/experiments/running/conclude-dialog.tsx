"use client";

import { Minus } from "lucide-react";
import { useState } from "react";
import type { ExperimentActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { WhoChanges } from "#components/conditions/who_changes/who-changes.tsx";
import { ExperimentConflictDialog } from "#components/experiments/conflict-dialog.tsx";
import { proposalOf } from "#components/experiments/experiment-proposal.ts";
import { CONCLUSIONS } from "#components/experiments/status.ts";
import { variantsOfFlag } from "#components/experiments/variants.ts";
import { VERDICT_LOOKS } from "#components/experiments/verdict-looks.ts";
import { ProposeButton } from "#components/kit/propose/propose-button.tsx";
import { ProposeDialog } from "#components/kit/propose/propose-dialog.tsx";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { Field, FieldError } from "#components/ui/form/field.tsx";
import { RadioCards } from "#components/ui/form/radio-cards.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { Switch } from "#components/ui/form/switch.tsx";
import { Textarea } from "#components/ui/form/textarea.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import { shippedFilters } from "#lib/experiments/experiments/lifecycle/ship.ts";
import type { ExperimentChange, ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import { LaunchPlan } from "./launch-plan.tsx";
import { type ConclusionState, useConclusion, useVerdict } from "./use-conclusion.ts";
import type { Verdict } from "./verdict.ts";

type Props = {
  projectId: string;
  experiment: ExperimentRecord;
  actions: ExperimentActions;
  onClose: () => void;
};

/** Ends an experiment: the suggested conclusion, the chosen one, and the variant to ship. */
export function ConcludeDialog(props: Props) {
  const { projectId, experiment, onClose } = props;
  const { verdict, problem: unread } = useVerdict(projectId, experiment);
  const state = useConclusion(props, verdict);
  const [proposed, setProposed] = useState<ExperimentChange>();
  if (proposed) return <ProposeDialog {...proposalOf(props, "conclude", () => proposed)} onClose={onClose} />;
  if (state.conflict)
    return <ExperimentConflictDialog conflict={state.conflict} saving={state} onSave={state.saveOver} />;
  return (
    <Dialog
      open
      size="lg"
      onOpenChange={(open) => !open && onClose()}
      title={`Conclude ${experiment.name}`}
      description={
        experiment.end_date
          ? "The experiment is stopped. What did you find?"
          : "Concluding stops the experiment: nobody new is counted afterwards."
      }
      footer={
        <>
          <FieldError>{state.problem}</FieldError>
          <span className="flex-1" />
          <ProposeButton onClick={() => setProposed(state.ending() ?? undefined)} />
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" loading={state.saving} onClick={state.save}>
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
          <Callout tone="warning">The results could not be loaded: {unread}</Callout>
        ) : (
          <div role="status" aria-label="Loading the results" className="flex flex-col gap-2">
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
              label: value === verdict?.suggestion ? `${label} (suggested)` : label,
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

const NOT_COMPARED = { icon: Minus, tone: "text-faint", word: "Not compared" } as const;

function Reading({ verdict }: { verdict: Verdict }) {
  return (
    <section aria-label="What the results support" className="flex flex-col gap-2.5">
      <p className="font-medium">{verdict.summary}</p>
      {verdict.lines.length > 0 ? (
        <ul className="divide-y rounded-lg border bg-sunken">
          {verdict.lines.map((line) => {
            const { icon: Icon, tone, word } = line.verdict ? VERDICT_LOOKS[line.verdict] : NOT_COMPARED;
            return (
              <li key={`${line.metric} ${line.variant}`} className="flex gap-2.5 px-3 py-2 text-sm">
                <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${tone}`} />
                <span className="min-w-0">
                  <span className="break-words font-medium">
                    {line.metric}: {line.variant}
                  </span>
                  <span className={tone}> · {word}</span>
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
            Changes <span className="font-mono">{flag.key}</span> so that everybody gets this variant. The
            experiment keeps the split it ran with. If you do not ship, the flag keeps splitting people.
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
