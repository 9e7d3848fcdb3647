"use client";

import { Check } from "lucide-react";
import { useState } from "react";
import type { InboxActions } from "#app/project/[project_id]/inbox/inbox-actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { findProblem } from "#components/kit/action.ts";
import { Button } from "#components/ui/button.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { InboxRecord } from "#lib/notifications/inbox/schema.ts";

type Props = {
  projectId: string;
  item: Pick<InboxRecord, "key" | "version" | "title">;
  access: Access;
  actions: InboxActions;
};

/** Sets an item of the inbox aside until it changes. */
export function DismissButton({ projectId, item: { key, version, title }, access, actions }: Props) {
  const [saving, setSaving] = useState(false);
  async function dismiss() {
    if (!access.may_write) return;
    setSaving(true);
    const problem = await findProblem(() => actions.dismiss(projectId, { key, version }));
    setSaving(false);
    if (problem) toast.error(problem);
  }
  return (
    <Permit access={access}>
      <Button
        size="sm"
        variant="ghost"
        icon={Check}
        loading={saving}
        aria-label={`Done for now: ${title}`}
        {...refused(access)}
        onClick={dismiss}
      >
        Done for now
      </Button>
    </Permit>
  );
}
