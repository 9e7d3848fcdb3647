"use client";

import { Check } from "lucide-react";
import { useEffect, useRef } from "react";
import { FormProvider } from "react-hook-form";
import type { ExperimentActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { ChangedMeanwhile } from "#components/kit/editor/changed-meanwhile.tsx";
import { DraftNote } from "#components/kit/editor/draft-note.tsx";
import { SaveBar } from "#components/kit/editor/save-bar.tsx";
import { ProposeButton } from "#components/kit/propose/propose-button.tsx";
import type { Revision } from "#components/kit/propose/revision.ts";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import type { ExperimentRecord, HoldoutRecord } from "#lib/experiments/experiments/schema.ts";
import type { ExperimentForm } from "./form-values.ts";
import { HypothesisStep } from "./hypothesis-step.tsx";
import { isDone, STEPS, type StepId, type StepProps } from "./steps.ts";
import { useExperimentForm } from "./use-experiment-form.ts";

const ExperimentConflictDialog = later(
  async () => (await import("#components/experiments/conflict-dialog.tsx")).ExperimentConflictDialog,
);

const ProposeDialog = later(
  async () => (await import("#components/kit/propose/propose-dialog.tsx")).ProposeDialog,
);

const VariantsStep = later(async () => (await import("./variants-step.tsx")).VariantsStep);

const ExposureStep = later(async () => (await import("./exposure-step.tsx")).ExposureStep);

const LaunchStep = later(async () => (await import("./launch-step.tsx")).LaunchStep);

const StatisticsStep = later(async () => (await import("./statistics-step.tsx")).StatisticsStep);

const MetricsStep = later(async () => (await import("./metrics-step.tsx")).MetricsStep);

const PlanStep = later(async () => (await import("./plan-step.tsx")).PlanStep);

type Props = {
  projectId: string;
  /** null: a new one. */
  experiment: ExperimentRecord | null;
  holdouts: readonly HoldoutRecord[];
  /** How many live experiments use its flag, itself included. */
  onFlag: number;
  access: Access;
  actions: ExperimentActions;
  /** A proposed change that is opened again. */
  revision?: Revision | undefined;
};

/** The plan of an experiment: one form, page by page. */
export function Editor(props: Props) {
  const { projectId, access, actions } = props;
  const state = useExperimentForm(props);
  const { values, step, change, experiment, problemOf, dirty } = state;
  const shared: StepProps = { projectId, experiment, values, change, problemOf };
  const current = STEPS.find((each) => each.id === step);
  return (
    <FormProvider {...state.form}>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-8 gap-y-5 lg:grid-cols-[13rem_minmax(0,1fr)]">
        <StepList
          values={values}
          step={step}
          isNew={experiment === null}
          launched={experiment !== null && experiment.status !== "draft"}
          go={state.go}
        />
        <form
          noValidate
          className="flex min-w-0 max-w-3xl flex-col gap-6"
          onSubmit={(event) => {
            event.preventDefault();
            if (access.may_write) void state.submit();
          }}
        >
          <DraftNote offer={state.offer}>
            {state.changedByBoth.length > 0
              ? `The experiment was changed since. Restoring replaces with yours: ${state.changedByBoth.join(", ")}.`
              : null}
          </DraftNote>
          <div>
            <h2 className="font-semibold text-lg">{current?.label}</h2>
            <p className="text-muted text-sm">{current?.help}</p>
          </div>
          {step === "hypothesis" ? <HypothesisStep {...shared} /> : null}
          {step === "variants" ? (
            <VariantsStep {...shared} holdouts={props.holdouts} onFlag={props.onFlag} actions={actions} />
          ) : null}
          {step === "exposure" ? <ExposureStep {...shared} /> : null}
          {step === "metrics" ? <MetricsStep {...shared} actions={actions} /> : null}
          {step === "statistics" ? <StatisticsStep {...shared} /> : null}
          {step === "plan" ? <PlanStep {...shared} /> : null}
          {step === "launch" && experiment ? (
            <LaunchStep
              {...shared}
              experiment={experiment}
              actions={actions}
              dirty={dirty}
              may_write={access.may_write}
              go={state.go}
            />
          ) : null}
          {state.newer ? (
            <ChangedMeanwhile noun="experiment" newer={state.newer} onLoad={state.loadNewer} />
          ) : null}
          {access.may_write && (step !== "launch" || dirty) ? (
            <EditorBar state={state} revises={props.revision !== undefined} />
          ) : null}
        </form>
        {state.proposed ? <ProposeDialog {...state.proposed} /> : null}
        {state.conflict ? (
          <ExperimentConflictDialog conflict={state.conflict} saving={state} onSave={state.saveOver} />
        ) : null}
      </div>
    </FormProvider>
  );
}

type BarProps = { state: ReturnType<typeof useExperimentForm>; revises: boolean };

function EditorBar({ state, revises }: BarProps) {
  const { experiment, step, dirty } = state;
  const label = dirty ? "Save and continue" : "Continue";
  return (
    <SaveBar
      isNew={experiment === null}
      dirty={dirty}
      saving={state.saving}
      mayContinue
      label={
        revises
          ? "Revise request…"
          : experiment
            ? label
            : step === "hypothesis"
              ? "Continue"
              : "Save draft and continue"
      }
      shortcut={{ label: "Save the experiment", group: "Experiments" }}
      refusal={state.problem}
      onDiscard={state.discard}
    >
      {(experiment ? dirty : step === "variants") && !revises ? (
        <ProposeButton onClick={() => void state.propose()} />
      ) : null}
      {experiment && !revises ? (
        <Button variant="ghost" onClick={() => void state.saveAndClose()} disabled={state.saving}>
          {dirty ? "Save and close" : "Close"}
        </Button>
      ) : null}
    </SaveBar>
  );
}

type StepListProps = {
  values: ExperimentForm;
  step: StepId;
  isNew: boolean;
  launched: boolean;
  go: (step: StepId) => void;
};

function StepList({ values, step, isNew, launched, go }: StepListProps) {
  const steps = STEPS.filter(({ id }) => !launched || id !== "launch");
  const current = useRef<HTMLButtonElement>(null);
  // On a phone the steps form a row that is wider than the window.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another step is shown
  useEffect(() => {
    // What it gives back in newer browsers is no clean-up.
    current.current?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [step]);
  return (
    <nav
      aria-label="Steps"
      className="max-lg:-mx-1 max-lg:overflow-x-auto max-lg:px-1 max-lg:[mask-image:linear-gradient(to_right,black_calc(100%-3rem),transparent)] scroll-thin lg:sticky lg:top-4"
    >
      <ol className="flex gap-1 max-lg:w-max max-lg:pr-10 lg:flex-col">
        {steps.map((each, index) => {
          const done = isDone(each.id, values);
          const locked = isNew && index > 1;
          return (
            <li key={each.id} className="shrink-0">
              <button
                type="button"
                ref={each.id === step ? current : undefined}
                disabled={locked}
                aria-current={each.id === step ? "step" : undefined}
                title={locked ? "Name the experiment and choose its flag first" : undefined}
                onClick={() => go(each.id)}
                className={cn(
                  "relative flex min-h-8 w-full items-center gap-2.5 whitespace-nowrap rounded-md px-2 text-left text-muted text-sm hover:bg-hover hover:text-ink disabled:pointer-events-none disabled:text-faint",
                  each.id === step && "bg-hover font-medium text-ink",
                )}
              >
                <span
                  aria-hidden="true"
                  className={cn(
                    "tabular grid size-5 shrink-0 place-items-center rounded-full border font-semibold text-2xs",
                    done && !locked && "border-transparent bg-accent-soft text-accent-text",
                  )}
                >
                  {done && !locked ? <Check className="size-3" /> : index + 1}
                </span>
                {each.label}
                {done && !locked ? <span className="sr-only">, complete</span> : null}
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
