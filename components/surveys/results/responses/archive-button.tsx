"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Archive, ArchiveRestore } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { ResponseActions } from "#app/project/[project_id]/surveys/[id]/response-actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { attempt, problemOf } from "#components/kit/action.ts";
import { Button } from "#components/ui/button.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";

type Props = {
  projectId: string;
  surveyId: string;
  uuid: string;
  archived: boolean;
  access: Access;
  actions: ResponseActions;
};

/** Archives a response, which excludes it from all figures, or restores it. */
export function ArchiveButton({ projectId, surveyId, uuid, archived, access, actions }: Props) {
  const router = useRouter();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  async function set(away: boolean): Promise<string | undefined> {
    const act = away ? actions.archive : actions.unarchive;
    const outcome = await attempt(() => act(projectId, surveyId, uuid));
    if (!outcome.ok) return problemOf(outcome);
    await queries.invalidateQueries();
    router.refresh();
    return undefined;
  }
  async function press() {
    setBusy(true);
    const problem = await set(!archived);
    setBusy(false);
    if (problem) toast.error(problem);
    else
      toast.withUndo(archived ? "Response restored" : "Response archived and excluded from all figures", () =>
        set(archived),
      );
  }
  return (
    <Permit access={access}>
      <Button
        size="sm"
        variant="ghost"
        icon={archived ? ArchiveRestore : Archive}
        loading={busy}
        {...refused(access)}
        onClick={access.may_write ? press : undefined}
      >
        {archived ? "Restore" : "Archive"}
      </Button>
    </Permit>
  );
}
