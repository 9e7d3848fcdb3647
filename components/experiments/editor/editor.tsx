"use client";

import { Check } from "lucide-react";
import type { Route } from "next";
import { useRouter, useSearchParams } from "next/navigation";
import { useEffect, useMemo, useRef, useState } from "react";
import type { ExperimentActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import {
  type Conflict,
  callOf,
  findFieldConflicts,
  listDifferences,
  withVersion,
} from "#components/experiments/changes.ts";
import { ExperimentConflictDialog } from "#components/experiments/conflict-dialog.tsx";
import {
  buildCreation,
  createDraft,
  type Draft,
  listChanges,
  readDraft,
  rebaseDraft,
} from "#components/experiments/draft.ts";
import { keyFrom } from "#components/experiments/variants.ts";
import type { Access } from "#components/kit/access.tsx";
import { attempt, isConflict } from "#components/kit/action.ts";
import { ChangedMeanwhile } from "#components/kit/editor/changed-meanwhile.tsx";
import { useUnsavedGuard } from "#components/kit/editor/unsaved-guard.tsx";
import { useSaving } from "#components/kit/editor/use-saving.ts";
import { readCurrent, useNewerVersion } from "#components/kit/editor/use-versions.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { FieldError } from "#components/ui/form/field.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { experimentContract } from "#lib/experiments/experiments/contract.ts";
import type {
  ExperimentChange,
  ExperimentRecord,
  HoldoutRecord,
} from "#lib/experiments/experiments/schema.ts";
import { ExposureStep } from "./exposure-step.tsx";
import { HypothesisStep } from "./hypothesis-step.tsx";
import { LaunchStep } from "./launch-step.tsx";
import { MetricsStep } from "./metrics-step.tsx";
import { PlanStep } from "./plan-step.tsx";
import { StatisticsStep } from "./statistics-step.tsx";
import { isDone, nextStep, STEPS, type StepId, type StepProps, stepOf } from "./steps.ts";
import { VariantsStep } from "./variants-step.tsx";

type Props = {
  projectId: string;
  /** null: a new one. */
  experiment: ExperimentRecord | null;
  holdouts: readonly HoldoutRecord[];
  /** How many live experiments use its flag, itself included. */
  onFlag: number;
  access: Access;
  actions: ExperimentActions;
};

/** The plan of an experiment, step by step; each step is saved on the server before the next. */
export function Editor(props: Props) {
  const { projectId } = props;
  const state = useEditor(props);
  const { draft, step, change, experiment } = state;
  const shared: StepProps = { projectId, experiment, draft, change };
  const current = STEPS.find((each) => each.id === step);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-8 gap-y-5 lg:grid-cols-[13rem_minmax(0,1fr)]">
      <StepList
        draft={draft}
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
          state.submit();
        }}
      >
        <div>
          <h2 className="font-semibold text-lg">{current?.label}</h2>
          <p className="text-muted text-sm">{current?.help}</p>
        </div>
        {step === "hypothesis" ? <HypothesisStep {...shared} /> : null}
        {step === "variants" ? (
          <VariantsStep {...shared} holdouts={props.holdouts} onFlag={props.onFlag} actions={props.actions} />
        ) : null}
        {step === "exposure" ? <ExposureStep {...shared} /> : null}
        {step === "metrics" ? <MetricsStep {...shared} actions={props.actions} /> : null}
        {step === "statistics" ? <StatisticsStep {...shared} /> : null}
        {step === "plan" ? <PlanStep {...shared} /> : null}
        {step === "launch" && experiment ? (
          <LaunchStep
            {...shared}
            experiment={experiment}
            actions={props.actions}
            dirty={state.dirty}
            go={state.go}
          />
        ) : null}
        <FieldError>{state.problem}</FieldError>
        {state.newer ? (
          <ChangedMeanwhile noun="experiment" newer={state.newer} onLoad={state.loadNewer} />
        ) : null}
        <SaveBar {...props} state={state} />
      </form>
      {state.conflict ? (
        <ExperimentConflictDialog
          conflict={state.conflict}
          saving={state.saving}
          onKeepEditing={state.keepEditing}
          onTakeTheirs={state.takeTheirs}
          onSave={state.saveOver}
        />
      ) : null}
    </div>
  );
}

function useEditor({ projectId, experiment: given, actions }: Props) {
  const router = useRouter();
  const requested = stepOf(useSearchParams().get("step") ?? "");
  // Nothing is stored before there is a flag: a new experiment has its first two steps only.
  const [fresh, setFresh] = useState<StepId>("hypothesis");
  // The version that the draft is based on: newer versions are not adopted silently.
  const [experiment, setBase] = useState(given);
  const step = experiment ? requested : fresh;
  const [draft, setDraft] = useState<Draft>(() => (experiment ? readDraft(experiment) : createDraft()));
  const [problem, setProblem] = useState<string>();
  const saving = useSaving<Conflict>(({ current }) => adopt(current));
  const changes = useMemo(() => (experiment ? listChanges(draft, experiment) : null), [draft, experiment]);
  const dirty = changes ? Object.keys(changes).length > 0 : draft.name !== "" || draft.description !== "";
  const release = useUnsavedGuard(dirty);
  const newer = useNewerVersion(
    experimentContract.retrieve,
    callOf(projectId, experiment?.id ?? 0),
    experiment,
    (before, after) => listDifferences(before, after).length > 0,
  );
  const base = `/project/${projectId}/experiments`;
  const hrefOf = (id: number, next: StepId) => `${base}/${id}/edit?step=${next}` as Route;

  function go(next: StepId) {
    setProblem(undefined);
    if (experiment) router.push(hrefOf(experiment.id, next), { scroll: false });
    else if (next === "hypothesis" || next === "variants") setFresh(next);
  }
  /** Goes on from a version: everything is as the server has it, uuids and shares filled in. */
  function adopt(record: ExperimentRecord) {
    setBase(record);
    setDraft(readDraft(record));
    setProblem(undefined);
  }
  async function update(from: ExperimentRecord, body: ExperimentChange): Promise<ExperimentRecord | null> {
    const result = await attempt(() => actions.update(projectId, from.id, withVersion(from, body)));
    const current = isConflict(result)
      ? await readCurrent(experimentContract.retrieve, callOf(projectId, from.id))
      : null;
    if (current) {
      saving.askAbout({ base: from, current, body });
      return null;
    }
    if (!result.ok) {
      setProblem(result.error.detail);
      return null;
    }
    release();
    adopt(result.data);
    return result.data;
  }
  async function create(): Promise<ExperimentRecord | null> {
    const result = await attempt(() => createWhole(projectId, draft, actions));
    if (!result.ok) {
      setProblem(result.error.detail);
      return null;
    }
    release();
    setProblem(undefined);
    return result.data;
  }
  const save = () =>
    saving.exclusively(async () => {
      if (!experiment || !changes) return create();
      return dirty ? update(experiment, changes) : experiment;
    });
  async function submit() {
    if (!experiment && step === "hypothesis") {
      if (draft.name.trim() === "") setProblem("Give the experiment a name.");
      else {
        if (draft.key === "" && draft.flag === "new") change({ key: keyFrom(draft.name) });
        go("variants");
      }
      return;
    }
    const saved = await save();
    if (!saved) return;
    if (dirty) toast.success(experiment ? "Saved" : `${saved.name} is saved as a draft`);
    const last = step === "plan" && saved.status !== "draft";
    if (last) router.push(`${base}/${saved.id}/setup` as Route);
    else router.push(hrefOf(saved.id, nextStep(step)), { scroll: false });
  }
  async function saveAndLeave() {
    const saved = await save();
    if (saved) router.push(`${base}/${saved.id}/setup` as Route);
  }
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  return {
    ...saving,
    ...{ experiment, draft, change, step, go, submit, saveAndLeave, dirty, problem, newer },
    /** Rebases the edits on a newer version; asks about fields that both changed. */
    loadNewer() {
      if (!newer || !experiment || !changes) return;
      const meets = findFieldConflicts({ base: experiment, current: newer, body: changes }).length > 0;
      if (meets) saving.askAbout({ base: experiment, current: newer, body: changes });
      else {
        setDraft(rebaseDraft(draft, experiment, newer));
        setBase(newer);
      }
    },
    saveOver: (body: ExperimentChange) =>
      saving.saveOver(async ({ current }) => {
        if (Object.keys(body).length === 0) adopt(current);
        else if (await update(current, body)) toast.success("Saved");
      }),
  };
}

/** Creating an experiment does not change an existing flag, so its holdout is written afterwards. */
async function createWhole(projectId: string, draft: Draft, actions: ExperimentActions) {
  const made = await actions.create(projectId, buildCreation(draft));
  if (!made.ok || draft.flag === "new" || draft.holdout_id === null) return made;
  return actions.update(projectId, made.data.id, { holdout_id: draft.holdout_id });
}

type State = ReturnType<typeof useEditor>;

function SaveBar({ access, state }: Props & { state: State }) {
  const { step, saving, experiment } = state;
  if (!access.may_write) return null;
  if (step === "launch") return null;
  const first = !experiment && step === "hypothesis";
  const label = first
    ? "Continue"
    : experiment
      ? state.dirty
        ? "Save and continue"
        : "Continue"
      : "Save draft and continue";
  return (
    <div className="flex flex-wrap items-center gap-2 border-t pt-4">
      <Button type="submit" variant="primary" loading={saving}>
        {label}
      </Button>
      {experiment ? (
        <Button variant="ghost" onClick={state.saveAndLeave} disabled={saving}>
          {state.dirty ? "Save and close" : "Close"}
        </Button>
      ) : null}
      <p className="ml-auto text-faint text-xs" aria-live="polite">
        {state.dirty ? "Unsaved changes" : experiment ? "All changes saved" : ""}
      </p>
    </div>
  );
}

type StepListProps = {
  draft: Draft;
  step: StepId;
  isNew: boolean;
  launched: boolean;
  go: (step: StepId) => void;
};

function StepList({ draft, step, isNew, launched, go }: StepListProps) {
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
      className="max-lg:-mx-1 max-lg:overflow-x-auto max-lg:px-1 scroll-thin lg:sticky lg:top-4"
    >
      <ol className="flex gap-1 lg:flex-col">
        {steps.map((each, index) => {
          const done = isDone(each.id, draft);
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
                    "tabular grid size-5 shrink-0 index-items-center rounded-full border font-semibold text-2xs",
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
