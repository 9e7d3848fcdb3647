"use client";

import { RotateCcw } from "lucide-react";
import { useState } from "react";
import type { DestinationActions } from "#app/project/[project_id]/settings/notifications/destination-actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { findProblem } from "#components/kit/action.ts";
import { Button } from "#components/ui/button.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { DeliveryRecord } from "#lib/notifications/deliveries/schema.ts";

type Props = {
  projectId: string;
  delivery: Pick<DeliveryRecord, "id" | "payload">;
  access: Access;
  actions: DestinationActions;
};

/** Sends a message again that was given up. */
export function ReplayButton({ projectId, delivery: { id, payload }, access, actions }: Props) {
  const [saving, setSaving] = useState(false);
  async function replay() {
    if (!access.may_write) return;
    setSaving(true);
    const problem = await findProblem(() => actions.replay(projectId, id));
    setSaving(false);
    if (problem) toast.error(problem);
    else toast.success("It is sent again");
  }
  return (
    <Permit access={access}>
      <Button
        size="sm"
        icon={RotateCcw}
        loading={saving}
        aria-label={`Send again: ${payload.data.title}`}
        {...refused(access)}
        onClick={replay}
      >
        Send again
      </Button>
    </Permit>
  );
}
