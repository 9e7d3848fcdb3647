"use client";

import type { Route } from "next";
import { useRouter, useSearchParams } from "next/navigation";
import { useMemo, useState } from "react";
import { type FieldErrors, useForm, useWatch } from "react-hook-form";
import type { ExperimentActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import {
  type Conflict,
  callOf,
  findPartConflicts,
  listDifferences,
  listOwnDifferences,
  withVersion,
} from "#components/experiments/changes.ts";
import { creationProposalOf, proposalOf } from "#components/experiments/experiment-proposal.ts";
import { keyFrom } from "#components/experiments/variants.ts";
import { attempt, isConflict } from "#components/kit/action.ts";
import { changedFields } from "#components/kit/editor/changes.ts";
import { useKeptDraft } from "#components/kit/editor/use-kept-draft.ts";
import { useSaving } from "#components/kit/editor/use-saving.ts";
import { readCurrent, useNewerVersion } from "#components/kit/editor/use-versions.ts";
import { heldRequest } from "#components/kit/held.ts";
import type { Revision } from "#components/kit/propose/revision.ts";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { ActionResult } from "#lib/app/session/action-result.ts";
import type { experimentContract } from "#lib/experiments/experiments/contract.ts";
import type {
  ExperimentChange,
  ExperimentCreation,
  ExperimentRecord,
} from "#lib/experiments/experiments/schema.ts";
import {
  changesOf,
  creationOf,
  type ExperimentForm,
  fieldOfError,
  formOf,
  formOfCreation,
  mergeForms,
  newForm,
  resolverFor,
} from "./form-values.ts";
import { nextStep, pageOf, type StepId, stepOf } from "./steps.ts";

/** An edit that was not saved, and the version that it began with. */
type KeptForm = { values: ExperimentForm; base: ExperimentRecord | null };

const isObjectWith = (value: unknown, members: object): boolean =>
  typeof value === "object" && value !== null && Object.keys(members).every((name) => name in value);

function readKept(stored: unknown): KeptForm | null {
  const { values, base = null } = (stored ?? {}) as Partial<KeptForm>;
  const isReadable = isObjectWith(values, newForm()) && (base === null || isObjectWith(base, { version: 0 }));
  return values && isReadable ? { values, base } : null;
}

/** What a kept draft and somebody else have both changed, in words. */
function changedByBoth({ values, base }: KeptForm, current: ExperimentRecord): string[] {
  if (!base) return [];
  return findPartConflicts({ base, current, body: changesOf(values, base) }).map(({ what }) => what);
}

type Options = {
  projectId: string;
  experiment: ExperimentRecord | null;
  actions: ExperimentActions;
  /** A proposed change that is opened again; its fields are in the form. */
  revision?: Revision | undefined;
};

/** What is stored with what is proposed in it, a proposed experiment, or an empty form. */
function startingValues(given: ExperimentRecord | null, revision: Revision | undefined): ExperimentForm {
  if (given) return formOf({ ...given, ...(revision?.body as Partial<ExperimentRecord>) });
  return revision ? formOfCreation(revision.body as ExperimentCreation) : newForm();
}

/** The form of an experiment: its values on all pages, the page that is shown, and saving. */
export function useExperimentForm({ projectId, experiment: given, actions, revision }: Options) {
  const router = useRouter();
  const requested = stepOf(useSearchParams().get("step") ?? "");
  // Nothing is stored before there is a flag: a new experiment has its first two pages only.
  const [proposing, setProposing] = useState(false);
  const [fresh, setFresh] = useState<StepId>("hypothesis");
  // The version that the form is based on: newer versions are not adopted silently.
  const [experiment, setBase] = useState(given);
  const step = experiment ? requested : fresh;
  const form = useForm<ExperimentForm>({
    defaultValues: useState(() => startingValues(given, revision))[0],
    resolver: useMemo(() => resolverFor(experiment), [experiment]),
  });
  const { errors, isSubmitted } = form.formState;
  const values = useWatch({ control: form.control }) as ExperimentForm;
  const changes = useMemo(() => (experiment ? changesOf(values, experiment) : null), [values, experiment]);
  const dirty = changes ? Object.keys(changes).length > 0 : values.name !== "" || values.description !== "";
  const { offer, leave } = useKeptDraft<KeptForm>({
    record: `project/${projectId}/experiments/${given?.id ?? "new"}${revision ? `/${revision.id}` : ""}`,
    value: useMemo(() => ({ values, base: experiment }), [values, experiment]),
    dirty,
    read: readKept,
    onTake: (kept) =>
      form.reset(
        experiment && kept.base
          ? mergeForms(kept.values, formOf(kept.base), formOf(experiment))
          : kept.values,
      ),
  });
  const saving = useSaving<Conflict>(({ current }) => adopt(current));
  const newer = useNewerVersion<typeof experimentContract.retrieve>(
    "/api/projects/{project_id}/experiments/{id}/",
    callOf(projectId, experiment?.id ?? 0),
    experiment,
    (before, after) => listDifferences(before, after).length > 0,
  );
  const base = `/project/${projectId}/experiments`;
  const hrefOf = (id: number, next: StepId) => `${base}/${id}/edit?step=${next}` as Route;

  function go(next: StepId) {
    // All pages are here already: the address changes without asking the server.
    if (experiment) window.history.pushState(null, "", hrefOf(experiment.id, next));
    else if (next === "hypothesis" || next === "variants") setFresh(next);
  }
  function change(part: Partial<ExperimentForm>) {
    for (const [name, value] of Object.entries(part))
      form.setValue(name as keyof ExperimentForm, value as never, {
        shouldDirty: true,
        shouldValidate: isSubmitted,
      });
  }
  /** Goes on from a version: everything is as the server has it, uuids and shares filled in. */
  function adopt(record: ExperimentRecord) {
    setBase(record);
    form.reset(formOf(record));
  }
  /** Goes on from what was saved, with what has been typed since it was sent. */
  function goOnFrom(saved: ExperimentRecord, sent: ExperimentForm) {
    const next = formOf(saved);
    const typed = mergeForms(form.getValues(), sent, next);
    setBase(saved);
    form.reset(next);
    change(Object.fromEntries(changedFields(next, typed).map((field) => [field, typed[field]])));
  }
  /** What was edited is in a change request now. */
  function leaveForRequest() {
    leave();
    if (experiment) adopt(experiment);
  }
  function showPage(field: keyof ExperimentForm | "root") {
    if (field !== "root" && pageOf(field) !== step) go(pageOf(field));
  }
  /** The record of a write; an error is shown at its field. What a policy holds is in a change request then. */
  function dataOf(result: ActionResult<ExperimentRecord>): ExperimentRecord | null {
    if (result.ok) return result.data;
    if (heldRequest(result) !== null) {
      leaveForRequest();
      return null;
    }
    const field = fieldOfError(result.error);
    form.setError(field, { type: "api", message: result.error.detail });
    showPage(field);
    return null;
  }
  async function update(
    from: ExperimentRecord,
    body: ExperimentChange,
    goOn: (stored: ExperimentRecord) => void,
  ): Promise<ExperimentRecord | null> {
    const result = await attempt(() => actions.update(projectId, from.id, withVersion(from, body)));
    const current = isConflict(result)
      ? await readCurrent<typeof experimentContract.retrieve>(
          "/api/projects/{project_id}/experiments/{id}/",
          callOf(projectId, from.id),
        )
      : null;
    if (current) {
      saving.askAbout({ base: from, current, body });
      return null;
    }
    const record = dataOf(result);
    if (record) goOn(record);
    return record;
  }
  /** Creating an experiment does not change an existing flag, so its holdout is written afterwards. */
  async function create(): Promise<ExperimentRecord | null> {
    const { flag, holdout_id } = values;
    return dataOf(
      await attempt(async () => {
        const made = await actions.create(projectId, creationOf(values));
        if (!made.ok || flag === "new" || holdout_id === null) return made;
        return actions.update(projectId, made.data.id, { holdout_id });
      }),
    );
  }
  /** Saves the form and continues; with a problem on any page, that page is shown instead. */
  const saveAnd = (leadOn: (saved: ExperimentRecord) => void) =>
    form.handleSubmit(
      async () => {
        const saved = await saving.exclusively(async () => {
          if (!experiment || !changes) return create();
          return dirty ? update(experiment, changes, (stored) => goOnFrom(stored, values)) : experiment;
        });
        if (!saved) return;
        if (!experiment) leave();
        if (dirty) toast.success(experiment ? "Saved" : `${saved.name} is saved as a draft`);
        leadOn(saved);
      },
      (found: FieldErrors<ExperimentForm>) => {
        const [first] = Object.keys(found) as (keyof ExperimentForm)[];
        if (first) showPage(first);
      },
    );
  const propose = form.handleSubmit(
    () => {
      if (experiment || values.flag === "new" || values.holdout_id === null) return setProposing(true);
      // A holdout of an existing flag is written to the experiment once it is there.
      const message = "Choose the holdout of an existing flag once the experiment has been created.";
      form.setError("holdout_id", { type: "proposal", message });
    },
    (found: FieldErrors<ExperimentForm>) => {
      const [first] = Object.keys(found) as (keyof ExperimentForm)[];
      if (first) showPage(first);
    },
  );
  const close = ({ id }: ExperimentRecord) => router.push(`${base}/${id}/setup` as Route);
  const saveAndGoOn = saveAnd((saved) => {
    if (step === "plan" && saved.status !== "draft") close(saved);
    else if (experiment) go(nextStep(step));
    else router.push(hrefOf(saved.id, nextStep(step)), { scroll: false });
  });
  async function nameFlag() {
    if (!(await form.trigger("name", { shouldFocus: true }))) return;
    if (values.key === "" && values.flag === "new") change({ key: keyFrom(values.name) });
    go("variants");
  }
  const [problem] = Object.values(errors);
  return {
    ...saving,
    ...{ form, experiment, values, change, step, go, dirty, newer, offer },
    /** Parts that the kept draft and somebody else have both changed. */
    changedByBoth: offer && experiment ? changedByBoth(offer.value, experiment) : [],
    problem: problem?.message as string | undefined,
    problemOf: (field: keyof ExperimentForm) => errors[field]?.message as string | undefined,
    /** The edits, or the new experiment, as a proposal, while that is open. */
    proposed: proposing
      ? {
          ...(experiment && changes
            ? {
                ...proposalOf({ projectId, experiment, actions }, "change", () => changes),
                differences: listOwnDifferences({ base: experiment, current: experiment, body: changes }),
              }
            : creationProposalOf({ projectId, actions }, creationOf(values, revision?.body))),
          revision,
          onProposed: leaveForRequest,
          onClose: () => setProposing(false),
        }
      : null,
    propose,
    submit: revision ? propose : !experiment && step === "hypothesis" ? nameFlag : saveAndGoOn,
    saveAndClose: saveAnd(close),
    discard: experiment ? () => adopt(experiment) : undefined,
    /** Rebases the edits on a newer version; asks about parts that both changed. */
    loadNewer() {
      if (!newer || !experiment || !changes) return;
      const conflict = { base: experiment, current: newer, body: changes };
      if (findPartConflicts(conflict).length > 0) saving.askAbout(conflict);
      else {
        form.reset(mergeForms(values, formOf(experiment), formOf(newer)));
        setBase(newer);
      }
    },
    saveOver: (body: ExperimentChange) =>
      saving.saveOver(async ({ current }) => {
        if (Object.keys(body).length === 0) adopt(current);
        else if (await update(current, body, (stored) => goOnFrom(stored, values))) toast.success("Saved");
      }),
  };
}
