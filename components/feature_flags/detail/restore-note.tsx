"use client";

import { useState } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { attempt, reportProblem } from "#components/kit/action.ts";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";

type Props = { projectId: string; id: number; flagKey: string; access: Access; actions: FlagActions };

/** Shown above a deleted flag, with a way to restore it. */
export function RestoreNote({ projectId, id, flagKey, access, actions }: Props) {
  const [pending, setPending] = useState(false);
  async function restore() {
    setPending(true);
    const result = await attempt(() => actions.update(projectId, id, { deleted: false }));
    setPending(false);
    if (result.ok) toast.success(`${flagKey} is back`);
    else reportProblem(`${flagKey} was not restored`, result);
  }
  return (
    <Callout
      tone="warning"
      className="mb-5"
      title="This flag is deleted"
      actions={
        access.may_write ? (
          <Button size="sm" loading={pending} onClick={restore}>
            Restore
          </Button>
        ) : null
      }
    >
      It is not served and does not appear in the list.
    </Callout>
  );
}
