import { Check, Pause, Play, SkipForward, Undo2, X } from "lucide-react";
import { useState } from "react";
import type { FlagActions, RampAction } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import { type Access, refused } from "#components/kit/access.tsx";
import { findProblem } from "#components/kit/action.ts";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { Ramp } from "#lib/ramps/schema.ts";

type Props = {
  projectId: string;
  ramp: Ramp;
  access: Access;
  actions: FlagActions;
  onDone: () => void;
};

const QUESTIONS = {
  roll_back: {
    title: "Roll back this ramp?",
    description: "The flag gets the percentages that it had before. The ramp cannot be resumed.",
    confirmLabel: "Roll back",
  },
  cancel: {
    title: "Cancel this ramp?",
    description: "The flag stays as it is now, and nothing is watched any more.",
    confirmLabel: "Cancel the ramp",
  },
  skip: {
    title: "Continue to the next step now?",
    description: "The current step ends early, although it is on hold.",
    confirmLabel: "Go on",
  },
} as const;

/** What can be done about a ramp that goes on. */
export function RampButtons({ projectId, ramp, access, actions, onDone }: Props) {
  const [asks, setAsks] = useState<keyof typeof QUESTIONS>();
  const [busy, setBusy] = useState(false);
  async function act(action: RampAction): Promise<string | undefined> {
    const problem = await findProblem(() => actions.actOnRamp(projectId, ramp.id, action));
    onDone();
    return problem;
  }
  async function actNow(action: RampAction) {
    setBusy(true);
    const problem = await act(action);
    setBusy(false);
    if (problem) toast.error("The ramp was not changed", { description: problem });
  }
  const waitsForApproval = ramp.waits_for.some(({ hold }) => hold === "approval");
  const button = { size: "sm", loading: busy, ...refused(access) } as const;
  if (!access.may_write) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {ramp.status === "paused" ? (
        <Button {...button} icon={Play} onClick={() => actNow("resume")}>
          Resume
        </Button>
      ) : (
        <Button {...button} icon={Pause} onClick={() => actNow("pause")}>
          Pause
        </Button>
      )}
      {ramp.status === "running" && waitsForApproval ? (
        <Button {...button} icon={Check} onClick={() => actNow("next")}>
          Approve
        </Button>
      ) : null}
      {ramp.status === "running" && !waitsForApproval && ramp.waits_for.length > 0 ? (
        <Button {...button} icon={SkipForward} onClick={() => setAsks("skip")}>
          Next step…
        </Button>
      ) : null}
      <Button {...button} icon={Undo2} onClick={() => setAsks("roll_back")}>
        Roll back…
      </Button>
      <Button {...button} variant="ghost" icon={X} onClick={() => setAsks("cancel")}>
        Cancel…
      </Button>
      {asks ? (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && setAsks(undefined)}
          {...QUESTIONS[asks]}
          danger={asks === "roll_back"}
          cancelLabel="Keep it"
          onConfirm={() => act(asks)}
        />
      ) : null}
    </div>
  );
}
