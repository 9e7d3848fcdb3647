"use client";

import { useState } from "react";
import type { InboxActions } from "#app/project/[project_id]/inbox/inbox-actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { findProblem } from "#components/kit/action.ts";
import { Button } from "#components/ui/button.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";

type Props = { projectId: string; access: Access; actions: InboxActions };

/** Shows everything again that was set aside. */
export function RestoreButton({ projectId, access, actions }: Props) {
  const [saving, setSaving] = useState(false);
  async function restore() {
    if (!access.may_write) return;
    setSaving(true);
    const problem = await findProblem(() => actions.restore(projectId));
    setSaving(false);
    if (problem) toast.error(problem);
  }
  return (
    <Permit access={access}>
      <Button size="sm" variant="ghost" loading={saving} {...refused(access)} onClick={restore}>
        Show them again
      </Button>
    </Permit>
  );
}
