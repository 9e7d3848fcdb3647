"use client";

import { Pause, Play, RotateCw, X } from "lucide-react";
import { useState } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import type { Proposed } from "#components/conditions/who_changes/use-who-changes.ts";
import { attempt, findProblem, problemOf } from "#components/kit/action.ts";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";

const ChangeDialog = later(
  async () => (await import("#components/feature_flags/changes/change-dialog.tsx")).ChangeDialog,
);

type Props = {
  projectId: string;
  flag: { id: number; key: string };
  schedule: {
    id: number;
    /** What it does. */
    words: string;
    recurs: boolean;
    isPaused: boolean;
    isFinished: boolean;
    /** What it would save; null where that depends on the flag as it is then. */
    proposed: Proposed | null;
  };
  actions: FlagActions;
};

/** What can be done about a schedule. */
export function ScheduleActions(props: Props) {
  const { projectId, schedule, actions } = props;
  const { id, recurs, isPaused, isFinished } = schedule;
  const [asks, setAsks] = useState(false);

  async function pause() {
    const problem = await findProblem(() =>
      actions.updateSchedule(projectId, id, { is_recurring: isPaused }),
    );
    if (problem) toast.error("The schedule was not changed", { description: problem });
  }

  async function cancel() {
    const problem = await findProblem(() => actions.cancelSchedule(projectId, id));
    if (problem) toast.error("The schedule was not cancelled", { description: problem });
    else
      toast.withUndo(
        "The schedule was cancelled",
        () => findProblem(() => actions.updateSchedule(projectId, id, { deleted: false })),
        "The schedule is back",
      );
  }

  return (
    <div className="flex flex-wrap gap-2">
      <Button size="sm" icon={Play} onClick={() => setAsks(true)}>
        Run now…
      </Button>
      {recurs && !isFinished ? (
        <Button size="sm" variant="ghost" icon={isPaused ? RotateCw : Pause} onClick={pause}>
          {isPaused ? "Resume" : "Pause"}
        </Button>
      ) : null}
      {isFinished ? null : (
        <Button size="sm" variant="ghost" icon={X} onClick={cancel}>
          Cancel
        </Button>
      )}
      {asks ? <RunDialog {...props} onClose={() => setAsks(false)} /> : null}
    </div>
  );
}

/** Asks before a scheduled change is made now, in the name of whoever asks. */
function RunDialog({ projectId, flag, schedule, actions, onClose }: Props & { onClose: () => void }) {
  const { proposed } = schedule;
  async function run(): Promise<string | undefined> {
    const result = await attempt(() => actions.runSchedule(projectId, schedule.id));
    if (!result.ok) return problemOf(result);
    toast.success(`${flag.key} was changed`);
    return undefined;
  }
  return (
    <ChangeDialog
      projectId={projectId}
      flagKey={flag.key}
      proposed={proposed ?? { id: flag.id }}
      counts={proposed !== null}
      instead={proposed ? undefined : null}
      heading="Whose value changes"
      title="Run this change now?"
      description={
        schedule.recurs
          ? "It still runs at its next scheduled time."
          : "The change is made now and does not run again."
      }
      confirmLabel="Run now"
      onClose={onClose}
      onConfirm={run}
    >
      <p className="font-medium text-sm">{schedule.words}</p>
    </ChangeDialog>
  );
}
