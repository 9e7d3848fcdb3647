"use client";

import { CircleCheck, CircleX, Rocket, TriangleAlert } from "lucide-react";
import { useState } from "react";
import type { ExperimentActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { WhoChanges } from "#components/conditions/who_changes/who-changes.tsx";
import { proposalOf } from "#components/experiments/experiment-proposal.ts";
import { bodyOf, useExperimentActions } from "#components/experiments/running/use-experiment-actions.ts";
import { ProposeButton } from "#components/kit/propose/propose-button.tsx";
import { ProposeDialog } from "#components/kit/propose/propose-dialog.tsx";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { FieldError } from "#components/ui/form/field.tsx";
import type { experimentContract } from "#lib/experiments/experiments/contract.ts";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import type { propertyDefinitionContract } from "#lib/people/property_definitions/contract.ts";
import { type Check, runChecks } from "./readiness.ts";
import type { StepId, StepProps } from "./steps.ts";

type Props = StepProps & {
  experiment: ExperimentRecord;
  actions: ExperimentActions;
  dirty: boolean;
  may_write: boolean;
  go: (step: StepId) => void;
};

const LOOKS = {
  ok: { icon: CircleCheck, tone: "text-success-text", word: "Ready" },
  warn: { icon: TriangleAlert, tone: "text-warning-text", word: "Warning" },
  stop: { icon: CircleX, tone: "text-danger-text", word: "Missing" },
} as const;

/** The checklist, who the launch affects, and the launch itself. */
export function LaunchStep(props: Props) {
  const { projectId, experiment, go } = props;
  const checks = useChecks(props);
  const blocked = checks.some(({ state }) => state === "stop");
  const { feature_flag: flag } = experiment;
  if (experiment.status !== "draft")
    return <Callout>This experiment is already launched. Its progress is on the results page.</Callout>;
  return (
    <>
      <Card title="Checklist">
        <ul className="flex flex-col divide-y">
          {checks.map((check) => (
            <Point key={check.id} check={check} go={go} />
          ))}
        </ul>
      </Card>
      <Card
        title="Who the launch affects"
        description={
          flag.active
            ? "The flag is already on: launching starts the counting and changes nobody's value."
            : "Launching turns the flag on. Effect on the people stored so far:"
        }
      >
        <WhoChanges projectId={projectId} proposed={{ id: flag.id, active: true }} />
      </Card>
      {props.may_write ? <Launch {...props} blocked={blocked} /> : null}
    </>
  );
}

function useChecks({ projectId, experiment, values, dirty }: Props): Check[] {
  const params = { project_id: projectId };
  const events = useEndpoint<typeof propertyDefinitionContract.events>(
    "/api/projects/{project_id}/event_definitions/",
    { params, query: { limit: "10000" } },
    { staleTime: 30_000, retry: false },
  );
  const carries = useEndpoint<typeof experimentContract.requires_flag_implementation>(
    "/api/projects/{project_id}/experiments/requires_flag_implementation/",
    { params, query: { events: JSON.stringify([{ id: null }]) } },
    { staleTime: 30_000, retry: false },
  );
  return runChecks(experiment, values, {
    seen: events.data ? new Set(events.data.results.map(({ name }) => name)) : null,
    implemented: carries.data ? !carries.data.result : null,
    saved: !dirty,
  });
}

function Point({ check, go }: { check: Check; go: (step: StepId) => void }) {
  const { icon: Icon, tone, word } = LOOKS[check.state];
  const { step } = check;
  return (
    <li className="flex items-start gap-2.5 py-2 first:pt-0 last:pb-0">
      <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${tone}`} />
      <div className="min-w-0 flex-1 text-sm">
        <p className="font-medium">
          <span className="sr-only">{word}: </span>
          {check.title}
        </p>
        <p className="break-words text-muted text-xs">{check.detail}</p>
      </div>
      {step && check.state !== "ok" ? (
        <Button size="sm" variant="ghost" onClick={() => go(step)}>
          Go to step<span className="sr-only">: {check.title}</span>
        </Button>
      ) : null}
    </li>
  );
}

function Launch({ projectId, experiment, actions, blocked }: Props & { blocked: boolean }) {
  const { launch } = useExperimentActions({ projectId, experiment, actions });
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [proposing, setProposing] = useState(false);
  async function run() {
    setBusy(true);
    setProblem(await launch());
    setBusy(false);
  }
  return (
    <div className="flex flex-wrap items-center gap-3 border-t pt-4">
      <Button variant="primary" icon={Rocket} loading={busy} disabled={blocked} onClick={run}>
        Launch the experiment
      </Button>
      <ProposeButton disabled={blocked} onClick={() => setProposing(true)} />
      <p className="text-muted text-xs">
        {blocked ? "Complete the missing items first." : "It starts right away. You can undo this."}
      </p>
      <FieldError>{problem}</FieldError>
      {proposing ? (
        <ProposeDialog
          {...proposalOf({ projectId, experiment, actions }, "launch", () => bodyOf.launch(experiment))}
          onClose={() => setProposing(false)}
        />
      ) : null}
    </div>
  );
}
