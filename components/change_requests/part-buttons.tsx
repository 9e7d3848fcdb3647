"use client";

import { Pencil, X } from "lucide-react";
import type { Route } from "next";
import { useState } from "react";
import type { RequestActions } from "#app/project/[project_id]/change_requests/request-actions.ts";
import { findProblem } from "#components/kit/action.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";

type Props = {
  projectId: string;
  request: { id: string; updated_at: string };
  /** The place of the change in the request, and how many there are. */
  place: number;
  parts: number;
  /** Where it can be edited; null: nowhere. */
  editor: string | null;
  name: string;
  actions: RequestActions;
};

/** Revises one change of a request, or takes it out. */
export function PartButtons({ projectId, request, place, parts, editor, name, actions }: Props) {
  const [removing, setRemoving] = useState(false);

  async function remove(): Promise<string | undefined> {
    const changes = Array.from({ length: parts }, (_, keep) => ({ keep })).filter(
      ({ keep }) => keep !== place,
    );
    const { id, updated_at } = request;
    const problem = await findProblem(() => actions.revise(projectId, id, { changes, updated_at }));
    if (problem === undefined) toast.success(`${name} was removed from the request`);
    return problem;
  }
  return (
    <div className="flex flex-wrap gap-1">
      {editor ? (
        <ButtonLink size="sm" variant="ghost" icon={Pencil} href={editor as Route}>
          Edit…<span className="sr-only"> {name}</span>
        </ButtonLink>
      ) : null}
      {parts > 1 ? (
        <Button size="sm" variant="ghost" icon={X} onClick={() => setRemoving(true)}>
          Remove…<span className="sr-only"> {name}</span>
        </Button>
      ) : null}
      {removing ? (
        <ConfirmDialog
          open
          onOpenChange={setRemoving}
          title={`Remove ${name} from this request?`}
          description="The other changes stay in it. Approvals that it has are void."
          confirmLabel="Remove"
          danger
          onConfirm={remove}
        />
      ) : null}
    </div>
  );
}
