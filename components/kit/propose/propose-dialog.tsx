"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import type { RequestActions } from "#app/project/[project_id]/change_requests/request-actions.ts";
import { attempt, problemOf } from "#components/kit/action.ts";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { Textarea } from "#components/ui/form/textarea.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { changeRequestContract } from "#lib/approvals/change_requests/contract.ts";
import type { ChangeRequest, ProposedChange, RevisedChange } from "#lib/approvals/change_requests/schema.ts";
import type { Difference } from "#lib/flags/feature_flags/history/differences.ts";
import type { Revision } from "./revision.ts";

export type ProposeActions = Pick<RequestActions, "propose" | "revise">;

/** What is proposed instead of done. */
export type Proposal = {
  projectId: string;
  /** What would be done: "Delete Paying teams". */
  title: ReactNode;
  /** The calls of the API that would be made. */
  changes: () => readonly ProposedChange[];
  /** What changes, one by one; absent where the title says it all. */
  differences?: readonly Difference[];
  /** The part of a change request that it takes the place of. */
  revision?: Revision | undefined;
  actions: ProposeActions;
  /** Called when it was proposed, before its page opens. */
  onProposed?: () => void;
};

const NEW = "new";

/** Proposes a change, for others to review before it takes effect: by itself, or with one's own that wait. */
export function ProposeDialog({ onClose, ...proposal }: Proposal & { onClose: () => void }) {
  const { projectId, title, changes, differences, revision, actions, onProposed } = proposal;
  const router = useRouter();
  const [description, setDescription] = useState("");
  const [chosen, setChosen] = useState(NEW);
  const open = useOwnRequests(projectId, revision === undefined);
  const addTo = open.find(({ id }) => id === chosen);

  const send = () => {
    if (revision) {
      const { id, part, parts, updated_at } = revision;
      const places = Array.from({ length: parts }, (_, keep) => keep);
      const revised = places.flatMap((keep): RevisedChange[] =>
        keep === part ? [...changes()] : [{ keep }],
      );
      return actions.revise(projectId, id, { changes: revised, updated_at });
    }
    if (addTo) {
      const kept = addTo.intent.changes.map((_, keep) => ({ keep }));
      const { id, updated_at } = addTo;
      return actions.revise(projectId, id, { changes: [...kept, ...changes()], updated_at });
    }
    return actions.propose(projectId, { description, changes: [...changes()] });
  };
  async function propose(): Promise<string | undefined> {
    const result = await attempt(send);
    if (!result.ok) return problemOf(result);
    onProposed?.();
    toast.success(
      revision ? "The request was revised" : addTo ? "Added to the request" : "The change was proposed",
    );
    router.push(`/project/${projectId}/change_requests/${result.data.id}` as Route);
    return undefined;
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={revision ? <>Revise “{revision.title}”</> : <>Propose: {title}</>}
      description={
        revision
          ? "It replaces what you proposed. Approvals that it has are void."
          : "Nothing changes until somebody else has approved it."
      }
      confirmLabel={revision ? "Revise request" : addTo ? "Add to change request" : "Propose change"}
      onConfirm={propose}
    >
      {differences ? <DifferencesList label="What changes" differences={differences} /> : null}
      {open.length > 0 ? (
        <Field
          label="Add to change request"
          hint={addTo ? "All of it is applied together. Approvals that it has are void." : undefined}
        >
          <Select
            value={chosen}
            onValueChange={setChosen}
            options={[
              { value: NEW, label: "A new one" },
              ...open.map(({ id, title: label }) => ({ value: id, label })),
            ]}
          />
        </Field>
      ) : null}
      {revision || addTo ? null : (
        <Field label="Why" optional>
          <Textarea rows={3} value={description} onChange={(event) => setDescription(event.target.value)} />
        </Field>
      )}
    </ConfirmDialog>
  );
}

const SHOWN = "50";

/** One's own requests that wait. */
function useOwnRequests(projectId: string, enabled: boolean): readonly ChangeRequest[] {
  const { data } = useEndpoint<typeof changeRequestContract.list>(
    "/api/projects/{project_id}/change_requests/",
    {
      params: { project_id: projectId },
      query: { state: "pending,approved", requester: "@me", limit: SHOWN },
    },
    { enabled, retry: false, staleTime: 0 },
  );
  return data?.results ?? [];
}
