"use client";

import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import { attempt, problemOf } from "#components/kit/action.ts";
import { heldRequest } from "#components/kit/held.ts";
import { callFromBrowser } from "#components/kit/use-endpoint.ts";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { NumberInput } from "#components/ui/form/number-input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import type { rampContract } from "#lib/ramps/contract.ts";
import type { RampCreate, RampRehearsal } from "#lib/ramps/schema.ts";
import { GuardrailFields } from "./guardrail-fields.tsx";
import {
  draftOf,
  newGuardrail,
  nextStep,
  partsOf,
  planOf,
  type RampDraft,
  type StepDraft,
} from "./ramp-draft.ts";
import { Rehearsal } from "./ramp-rehearsal.tsx";

type Props = {
  projectId: string;
  flag: FlagRecord;
  actions: FlagActions;
  onClose: () => void;
};

/** A rehearsal with the plan that it is of. */
type Rehearsed = { plan: RampCreate; found: RampRehearsal };

const replace = <T extends { id: number }>(list: readonly T[], changed: T): T[] =>
  list.map((each) => (each.id === changed.id ? changed : each));

/** Plans a ramp, rehearses it and starts it. */
export function RampDialog(props: Props) {
  const { flag, onClose } = props;
  if (typeof flag.filters.aggregation_group_type_index === "number")
    return (
      <Dialog
        open
        onOpenChange={(open) => !open && onClose()}
        size="sm"
        title={
          <>
            Ramp <span className="font-mono text-base">{flag.key}</span>
          </>
        }
        footer={<Button onClick={onClose}>Close</Button>}
      >
        <p className="text-sm">
          This flag is decided per group. A ramp compares people whom a step has reached with people whom it
          has not; the members of a group all get the same, so there would be nobody to compare within it.
          Change the percentages by hand, or schedule them.
        </p>
      </Dialog>
    );
  return <PersonRampDialog {...props} />;
}

function PersonRampDialog({ projectId, flag, actions, onClose }: Props) {
  const [draft, setDraft] = useState<RampDraft>(() => draftOf(flag.filters));
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState<"rehearse" | "start">();
  const [rehearsed, setRehearsed] = useState<Rehearsed>();
  const { steps, guardrails } = draft;

  function change(changed: Partial<RampDraft>) {
    setDraft({ ...draft, ...changed });
    setRehearsed(undefined);
    setProblem(undefined);
  }

  async function withPlan(
    what: "rehearse" | "start",
    work: (plan: RampCreate) => Promise<string | undefined>,
  ) {
    const plan = planOf(flag, draft);
    if (typeof plan === "string") return setProblem(plan);
    setBusy(what);
    setProblem(await work(plan));
    setBusy(undefined);
  }

  const rehearse = () =>
    withPlan("rehearse", async (plan) => {
      try {
        const found = await callFromBrowser<typeof rampContract.rehearse>(
          "/api/projects/{project_id}/ramps/rehearse/",
          { params: { project_id: projectId }, body: plan },
        );
        setRehearsed({ plan, found });
        return undefined;
      } catch (error) {
        if (error instanceof ApiError) return error.message;
        throw error;
      }
    });

  const start = () =>
    withPlan("start", async (plan) => {
      const result = await attempt(() => actions.startRamp(projectId, plan));
      if (heldRequest(result) !== null) onClose();
      if (!result.ok) return problemOf(result);
      toast.success(`The ramp of ${flag.key} has begun`);
      onClose();
      return undefined;
    });

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={
        <>
          Ramp <span className="font-mono text-base">{flag.key}</span>
        </>
      }
      description="Each step is compared with the people whom it has not reached yet. A guardrail that shows harm stops the ramp."
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={rehearse} loading={busy === "rehearse"}>
            Rehearse
          </Button>
          <Button variant="primary" onClick={start} loading={busy === "start"}>
            Start the ramp
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <section aria-label="Steps" className="flex flex-col gap-2">
          <h3 className="font-medium text-sm">Steps</h3>
          <ol className="flex flex-col divide-y rounded-lg border">
            {steps.map((step, i) => (
              <StepFields
                key={step.id}
                place={i + 1}
                step={step}
                parts={partsOf(flag.filters)}
                onChange={(changed) => change({ steps: replace(steps, changed) })}
                onRemove={
                  steps.length > 1
                    ? () => change({ steps: steps.filter(({ id }) => id !== step.id) })
                    : undefined
                }
              />
            ))}
          </ol>
          <Button
            size="sm"
            variant="ghost"
            icon={Plus}
            className="self-start"
            onClick={() => change({ steps: [...steps, nextStep(steps)] })}
          >
            Add a step
          </Button>
        </section>
        <section aria-label="Guardrails" className="flex flex-col gap-2">
          <h3 className="font-medium text-sm">Guardrails</h3>
          {guardrails.length === 0 ? (
            <p className="text-muted text-sm">Without a guardrail, only people stop this ramp.</p>
          ) : null}
          {guardrails.map((guardrail, i) => (
            <GuardrailFields
              key={guardrail.id}
              projectId={projectId}
              flagKey={flag.key}
              place={i + 1}
              guardrail={guardrail}
              onChange={(changed) => change({ guardrails: replace(guardrails, changed) })}
              onRemove={() => change({ guardrails: guardrails.filter(({ id }) => id !== guardrail.id) })}
            />
          ))}
          <Button
            size="sm"
            variant="ghost"
            icon={Plus}
            className="self-start"
            onClick={() =>
              change({
                guardrails: [
                  ...guardrails,
                  newGuardrail(1 + Math.max(-1, ...guardrails.map(({ id }) => id))),
                ],
              })
            }
          >
            Add a guardrail
          </Button>
        </section>
        {rehearsed ? (
          <Rehearsal
            found={rehearsed.found}
            names={
              new Map(
                (rehearsed.plan.guardrails ?? []).map(({ name }, i) => [`guardrail-${i + 1}`, name ?? ""]),
              )
            }
          />
        ) : null}
        {problem ? (
          <Callout tone="danger" live>
            {problem}
          </Callout>
        ) : null}
      </div>
    </Dialog>
  );
}

type StepProps = {
  place: number;
  step: StepDraft;
  parts: ReturnType<typeof partsOf>;
  onChange: (step: StepDraft) => void;
  onRemove: (() => void) | undefined;
};

function StepFields({ place, step, parts, onChange, onRemove }: StepProps) {
  return (
    <li className="flex flex-wrap items-end gap-x-3 gap-y-2 px-3 py-2.5">
      {parts.length > 1 ? (
        <Field label={`Step ${place}`} className="min-w-36 flex-1">
          <Select value={step.what} options={parts} onValueChange={(what) => onChange({ ...step, what })} />
        </Field>
      ) : (
        <p className="w-14 self-center font-medium text-sm">Step {place}</p>
      )}
      <Field label="Share" className="w-20">
        <NumberInput
          label={`Share of step ${place}`}
          value={step.share}
          onValueChange={(share) => onChange({ ...step, share })}
        />
      </Field>
      <Field label="Hours" className="w-20">
        <Input
          aria-label={`Hours of step ${place}`}
          inputMode="decimal"
          value={step.hours}
          onChange={(event) => onChange({ ...step, hours: event.target.value })}
        />
      </Field>
      <Field label="People" className="w-24">
        <Input
          aria-label={`People of step ${place}`}
          inputMode="numeric"
          value={step.people}
          onChange={(event) => onChange({ ...step, people: event.target.value })}
        />
      </Field>
      <Checkbox
        className="pb-1.5"
        label="Approval"
        checked={step.approval}
        onCheckedChange={(checked) => onChange({ ...step, approval: checked === true })}
      />
      {onRemove ? (
        <IconButton icon={Trash2} label={`Remove step ${place}`} variant="ghost" onClick={onRemove} />
      ) : null}
    </li>
  );
}
