"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { attempt } from "#components/feature_flags/flag_actions.ts";
import { toast } from "#components/ui/toaster.tsx";
import { useEndpoint } from "#components/use-endpoint.ts";
import { experimentResultContract } from "#lib/experiment_results/contract.ts";
import type { ExperimentRecord } from "#lib/experiments/schema.ts";
import { shippedFilters } from "#lib/experiments/ship.ts";
import type { ExperimentActions } from "./experiment_actions.ts";
import { type Conclusion, conclusionWord } from "./status.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

const POLL_MS = 2_000;

/** What the primary metrics support; state "computing" while they are counted. */
export function useVerdict(projectId: string, experiment: ExperimentRecord) {
  const found = useEndpoint(
    experimentResultContract.results,
    { params: { project_id: projectId, id: String(experiment.id) } },
    {
      retry: false,
      staleTime: 0,
      refetchInterval: (query) => (query.state.data?.state === "computing" ? POLL_MS : false),
    },
  );
  if (found.error) return { problem: found.error.message, verdict: null };
  const ready = found.data && found.data.state !== "computing" ? verdictOf(found.data) : null;
  return { problem: null, verdict: ready };
}

type Options = {
  projectId: string;
  experiment: ExperimentRecord;
  actions: ExperimentActions;
  onClose: () => void;
};

/** What is written at the end: the conclusion, and the variant that is shipped, if any. */
type Ending = { conclusion: Conclusion; comment: string; ship: string | null };

/** Writes the ending: the conclusion first, so that a flag that cannot be changed leaves the experiment concluded. */
async function end({ projectId, experiment, actions }: Options, ending: Ending): Promise<string | undefined> {
  const { feature_flag: flag } = experiment;
  const done = await attempt(() =>
    actions.update(projectId, experiment.id, {
      conclusion: ending.conclusion,
      conclusion_comment: ending.comment.trim() || null,
      ...(experiment.end_date ? {} : { end_date: new Date().toISOString() }),
    }),
  );
  if (!done.ok) return done.error.detail;
  if (ending.ship === null) return undefined;
  const filters = shippedFilters(flag.filters, ending.ship);
  const body = { active: true, filters, version: flag.version, original_flag: { ...flag } };
  const shipped = await attempt(() => actions.updateFlag(projectId, flag.id, body));
  return shipped.ok ? undefined : `Concluded, but ${flag.key} was not changed: ${shipped.error.detail}`;
}

/** Takes an ending back, the flag included. */
async function takeBack({ projectId, experiment, actions }: Options, shipped: boolean) {
  const { conclusion, conclusion_comment, end_date, feature_flag: flag } = experiment;
  const undone = await attempt(() =>
    actions.update(projectId, experiment.id, { conclusion, conclusion_comment, end_date }),
  );
  if (!undone.ok) return undone.error.detail;
  if (!shipped) return undefined;
  const before = { filters: flag.filters, active: flag.active };
  const restored = await attempt(() => actions.updateFlag(projectId, flag.id, before));
  return restored.ok ? undefined : restored.error.detail;
}

/** The state of the dialog: what the results support stands until something else is chosen. */
export function useConclusion(options: Options, verdict: Verdict | null) {
  const { experiment, onClose } = options;
  const router = useRouter();
  const [chosen, setConclusion] = useState<Conclusion | undefined>(experiment.conclusion ?? undefined);
  const [comment, setComment] = useState(experiment.conclusion_comment ?? "");
  const [ships, setShips] = useState(false);
  const [picked, setVariant] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const conclusion = chosen ?? verdict?.suggestion;
  const variant = picked ?? verdict?.ship ?? "control";
  async function save() {
    if (!conclusion) {
      setProblem("Choose a conclusion.");
      return;
    }
    setBusy(true);
    const failed = await end(options, { conclusion, comment, ship: ships ? variant : null });
    setBusy(false);
    setProblem(failed);
    if (failed) return;
    const words = `${experiment.name}: ${conclusionWord(conclusion).toLowerCase()}`;
    const said = ships ? `${words}; everybody gets ${variant}` : words;
    toast.withUndo(said, () => takeBack(options, ships), `${experiment.name} is as it was`);
    onClose();
    router.refresh();
  }
  const fields = { conclusion, setConclusion, comment, setComment, ships, setShips, variant, setVariant };
  return { ...fields, busy, problem, save };
}

export type ConclusionState = ReturnType<typeof useConclusion>;
