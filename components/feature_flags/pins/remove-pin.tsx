"use client";

import { PinOff } from "lucide-react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import { findProblem } from "#components/kit/action.ts";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";

type Props = {
  projectId: string;
  flag: { id: number; key: string };
  pin: { id: string; name: string };
  actions: FlagActions;
};

export function RemovePin({ projectId, flag, pin, actions }: Props) {
  return (
    <ConfirmDialog
      trigger={
        <Button size="sm" variant="ghost" icon={PinOff} className="ml-auto">
          Remove<span className="sr-only"> the pin of {pin.name}</span>
        </Button>
      }
      title={`Remove the pin of ${pin.name}?`}
      description={`From then on, the targeting of ${flag.key} decides what they get.`}
      confirmLabel="Remove pin"
      onConfirm={() => findProblem(() => actions.unpin(projectId, flag.id, pin.id))}
    />
  );
}
