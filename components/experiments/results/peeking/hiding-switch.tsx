"use client";

import { useRouter } from "next/navigation";
import { useId, useState, useTransition } from "react";
import type { ResultActions } from "#app/project/[project_id]/experiments/[id]/result-actions.ts";
import { attempt, reportProblem } from "#components/kit/action.ts";
import { Switch } from "#components/ui/form/switch.tsx";

type HidingSwitchProps = {
  projectId: string;
  experimentId: number;
  isOn: boolean;
  mayChange: boolean;
  hide: ResultActions["hide"];
};

/** Keeps the metrics out of sight until the planned sample is there, for everybody. */
export function HidingSwitch({ projectId, experimentId, isOn, mayChange, hide }: HidingSwitchProps) {
  const [shown, setShown] = useState(isOn);
  const [isPending, startTransition] = useTransition();
  const router = useRouter();
  const id = useId();
  function change(next: boolean) {
    setShown(next);
    startTransition(async () => {
      const outcome = await attempt(() => hide(projectId, experimentId, next));
      if (outcome.ok) {
        router.refresh();
        return;
      }
      setShown(!next);
      reportProblem("The setting was not saved.", outcome);
    });
  }
  return (
    <div className="flex items-start gap-3 print:hidden">
      <Switch
        id={id}
        checked={shown}
        onCheckedChange={change}
        pending={isPending}
        disabled={!mayChange}
        aria-labelledby={`${id}-label`}
        className="mt-0.5"
      />
      <label id={`${id}-label`} htmlFor={id} className="min-w-0 text-sm">
        Hide the metrics until the planned sample is reached
        <span className="block text-muted text-xs">
          Applies to everybody, here and in the list. Health and exposures stay visible, and anybody can still
          show the metrics once.
        </span>
      </label>
    </div>
  );
}
