"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import type { ExperimentActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { withVersion } from "#components/experiments/changes.ts";
import { attempt, findProblem, isConflict, problemOf } from "#components/kit/action.ts";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { ActionResult } from "#lib/app/session/action-result.ts";
import type { ExperimentChange, ExperimentRecord } from "#lib/experiments/experiments/schema.ts";

type Options = { projectId: string; experiment: ExperimentRecord; actions: ExperimentActions };

type Body = ExperimentChange;

/** What each action writes. */
export const bodyOf = {
  launch({ end_date }: ExperimentRecord): Body {
    const now = new Date().toISOString();
    // A draft may hold an end that is over: launched, it has none.
    const over = end_date !== null && Date.parse(end_date) <= Date.parse(now);
    return { start_date: now, ...(over && { end_date: null }) };
  },
  stop: (): Body => ({ end_date: new Date().toISOString() }),
  resume: (): Body => ({ end_date: null }),
  reset: (): Body => ({
    start_date: null,
    end_date: null,
    conclusion: null,
    conclusion_comment: null,
    shipped_variant: null,
  }),
  archive: (): Body => ({ archived: true }),
  unarchive: (): Body => ({ archived: false }),
  delete: (): Body => ({ deleted: true }),
};

/** What can be done with an experiment as a whole: each action reports what it did and can be undone. */
export function useExperimentActions({ projectId, experiment, actions }: Options) {
  const router = useRouter();
  const { id, name } = experiment;
  const base = `/project/${projectId}/experiments`;

  /** Changes the experiment as it was seen; a conflict is reported, and the page shows what it is now. */
  async function put(
    from: ExperimentRecord,
    body: ExperimentChange,
  ): Promise<ActionResult<ExperimentRecord>> {
    const result = await attempt(() => actions.update(projectId, id, withVersion(from, body)));
    if (isConflict(result)) router.refresh();
    return result;
  }
  /** Undoes a change, from the version that it made. */
  const undoing = (made: ExperimentRecord, back: ExperimentChange) => async () => {
    const result = await put(made, back);
    return problemOf(result);
  };
  async function apply(body: ExperimentChange, done: string, back: ExperimentChange, undone: string) {
    const result = await put(experiment, body);
    if (!result.ok) return problemOf(result);
    toast.withUndo(`${name} ${done}`, undoing(result.data, back), `${name} ${undone}`);
    router.refresh();
    return undefined;
  }
  /** Undoing a launch turns the flag off, too, if it was off before. */
  async function unlaunch(made: ExperimentRecord): Promise<string | undefined> {
    const result = await put(made, { start_date: null });
    if (!result.ok) return problemOf(result);
    if (experiment.feature_flag.active) return undefined;
    return findProblem(() => actions.updateFlag(projectId, experiment.feature_flag.id, { active: false }));
  }
  return {
    async launch(): Promise<string | undefined> {
      const result = await put(experiment, bodyOf.launch(experiment));
      if (!result.ok) return problemOf(result);
      toast.withUndo(`${name} is running`, () => unlaunch(result.data), `${name} is a draft again`);
      router.push(`${base}/${id}` as Route);
      return undefined;
    },
    stop: () =>
      apply(bodyOf.stop(), "was stopped; its flag is still served", { end_date: null }, "is running again"),
    resume: () => apply(bodyOf.resume(), "is running again", { end_date: experiment.end_date }, "is stopped"),
    reset: () =>
      apply(
        bodyOf.reset(),
        "is a draft again",
        {
          start_date: experiment.start_date,
          end_date: experiment.end_date,
          conclusion: experiment.conclusion,
          conclusion_comment: experiment.conclusion_comment,
          shipped_variant: experiment.shipped_variant,
        },
        "was restored",
      ),
    archive: () => apply(bodyOf.archive(), "was archived", { archived: false }, "was restored"),
    unarchive: () => apply(bodyOf.unarchive(), "was unarchived", { archived: true }, "is archived"),
    async remove(): Promise<string | undefined> {
      const result = await put(experiment, bodyOf.delete());
      if (!result.ok) return problemOf(result);
      toast.withUndo(`${name} was deleted`, undoing(result.data, { deleted: false }), `${name} was restored`);
      router.push(base as Route);
      return undefined;
    },
    async duplicate(body: { name?: string; feature_flag_key?: string }): Promise<string | undefined> {
      const made = await attempt(() => actions.duplicate(projectId, id, body));
      if (!made.ok) return problemOf(made);
      toast.success(`${made.data.name} is a draft`);
      router.push(`${base}/${made.data.id}/edit` as Route);
      return undefined;
    },
    async makeCohort(): Promise<string | undefined> {
      const made = await attempt(() => actions.makeCohort(projectId, id));
      if (!made.ok) return problemOf(made);
      toast.success("The cohort was created and is being counted", { description: made.data.name });
      router.push(`/project/${projectId}/cohorts/${made.data.id}` as Route);
      return undefined;
    },
  };
}
