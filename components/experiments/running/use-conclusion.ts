"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import type { ExperimentActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { type Conflict, callOf, findPartConflicts, withVersion } from "#components/experiments/changes.ts";
import { type Conclusion, conclusionWord } from "#components/experiments/status.ts";
import { attempt, findProblem, isConflict, problemOf } from "#components/kit/action.ts";
import { useSaving } from "#components/kit/editor/use-saving.ts";
import { readCurrent } from "#components/kit/editor/use-versions.ts";
import { heldRequest } from "#components/kit/held.ts";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { experimentContract } from "#lib/experiments/experiments/contract.ts";
import type { ExperimentChange, ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import type { experimentResultContract } from "#lib/experiments/results/contract.ts";
import { readVerdict, type Verdict } from "./verdict.ts";

const POLL_MS = 2_000;

/** What the primary metrics support; state "computing" while they are counted. */
export function useVerdict(projectId: string, experiment: ExperimentRecord) {
  const found = useEndpoint<typeof experimentResultContract.results>(
    "/api/projects/{project_id}/experiments/{id}/results/",
    { params: { project_id: projectId, id: String(experiment.id) } },
    {
      retry: false,
      staleTime: 0,
      refetchInterval: (query) => (query.state.data?.state === "computing" ? POLL_MS : false),
    },
  );
  if (found.error) return { problem: found.error.message, verdict: null };
  const ready = found.data && found.data.state !== "computing" ? readVerdict(found.data) : null;
  return { problem: null, verdict: ready };
}

type Options = {
  projectId: string;
  experiment: ExperimentRecord;
  actions: ExperimentActions;
  onClose: () => void;
};

/** What is saved at the end: the conclusion, and the shipped variant, if any. */
type Ending = { conclusion: Conclusion; comment: string; ship: string | null };

const changeOf = (experiment: ExperimentRecord, ending: Ending): ExperimentChange => ({
  conclusion: ending.conclusion,
  conclusion_comment: ending.comment.trim() || null,
  ...(experiment.end_date ? {} : { end_date: new Date().toISOString() }),
  ...(ending.ship !== null && { shipped_variant: ending.ship }),
});

/** Undoes a conclusion, including the flag if a variant was shipped. */
async function takeBack({ projectId, experiment, actions }: Options, made: ExperimentRecord) {
  const { conclusion, conclusion_comment, end_date, shipped_variant, feature_flag: flag } = experiment;
  const shipped = made.shipped_variant !== shipped_variant;
  const back = { conclusion, conclusion_comment, end_date, ...(shipped && { shipped_variant: null }) };
  const undone = await attempt(() => actions.update(projectId, experiment.id, withVersion(made, back)));
  if (!undone.ok) return problemOf(undone);
  if (!shipped) return undefined;
  const { version, ...original_flag } = made.feature_flag;
  const before = { filters: flag.filters, active: flag.active, version, original_flag };
  return findProblem(() => actions.updateFlag(projectId, flag.id, before));
}

/** The state of the dialog: the suggested conclusion applies until another is chosen. */
export function useConclusion(options: Options, verdict: Verdict | null) {
  const { projectId, experiment, actions, onClose } = options;
  const router = useRouter();
  const [chosen, setConclusion] = useState<Conclusion | undefined>(experiment.conclusion ?? undefined);
  const [comment, setComment] = useState(experiment.conclusion_comment ?? "");
  const [ships, setShips] = useState(false);
  const [picked, setVariant] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const saving = useSaving<Conflict>(() => {
    onClose();
    router.refresh();
  });
  const conclusion = chosen ?? verdict?.suggestion;
  const variant = picked ?? verdict?.ship ?? "control";
  async function store(from: ExperimentRecord, body: ExperimentChange) {
    const result = await attempt(() => actions.update(projectId, from.id, withVersion(from, body)));
    const current = isConflict(result)
      ? await readCurrent<typeof experimentContract.retrieve>(
          "/api/projects/{project_id}/experiments/{id}/",
          callOf(projectId, from.id),
        )
      : null;
    // A changed flag offers no choice here: the page is refreshed.
    if (current && findPartConflicts({ base: from, current, body }).length > 0) {
      saving.askAbout({ base: from, current, body });
      return;
    }
    if (heldRequest(result) !== null) return onClose();
    if (!result.ok) {
      setProblem(result.error.detail);
      if (current) router.refresh();
      return;
    }
    const { conclusion: saved, shipped_variant: shipped } = result.data;
    const words = `${experiment.name}: ${saved ? conclusionWord(saved).toLowerCase() : "no conclusion"}`;
    const said = body.shipped_variant ? `${words}; everybody gets ${shipped}` : words;
    toast.withUndo(said, () => takeBack(options, result.data), `${experiment.name} was restored`);
    onClose();
    router.refresh();
  }
  /** What would be saved; null, with the problem shown, while something is missing. */
  function ending(): ExperimentChange | null {
    if (conclusion) return changeOf(experiment, { conclusion, comment, ship: ships ? variant : null });
    setProblem("Choose a conclusion.");
    return null;
  }
  async function save() {
    const body = ending();
    if (body) await saving.exclusively(() => store(experiment, body));
  }
  const fields = { conclusion, setConclusion, comment, setComment, ships, setShips, variant, setVariant };
  return {
    ...fields,
    ...saving,
    ...{ problem, save, ending },
    saveOver: (body: ExperimentChange) => saving.saveOver(({ current }) => store(current, body)),
  };
}

export type ConclusionState = ReturnType<typeof useConclusion>;
