"use client";

import type { ListItem } from "#components/feature_flags/list-item.ts";
import type { ProposeActions } from "#components/kit/propose/propose-dialog.tsx";
import { ChangeDialog } from "./change-dialog.tsx";
import { DependentsNote } from "./dependents-note.tsx";
import { proposalOf } from "./flag-proposal.tsx";

type DeleteProps = {
  projectId: string;
  flag: Pick<ListItem, "id" | "key">;
  actions: ProposeActions;
  onClose: () => void;
  onConfirm: () => Promise<string | undefined>;
};

/** Asks before a flag is deleted, and says what depends on it. */
export function DeleteDialog({ projectId, flag, actions, onClose, onConfirm }: DeleteProps) {
  return (
    <ChangeDialog
      projectId={projectId}
      flagKey={flag.key}
      proposed={{ id: flag.id, deleted: true }}
      title={
        <>
          Delete <span className="font-mono text-base">{flag.key}</span>?
        </>
      }
      description="It is no longer served: SDKs get no value, and your code falls back to its default. You can undo this."
      confirmLabel="Delete flag"
      danger
      proposal={proposalOf({ projectId, flag, actions }, "delete", { deleted: true })}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <DependentsNote projectId={projectId} id={flag.id} />
    </ChangeDialog>
  );
}
