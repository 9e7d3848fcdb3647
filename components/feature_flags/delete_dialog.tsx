"use client";

import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { DependentsNote } from "./dependents_note.tsx";
import type { ListItem } from "./list_item.ts";
import { WhoChanges } from "./who_changes.tsx";

type DeleteProps = {
  projectId: string;
  flag: Pick<ListItem, "id" | "key">;
  onClose: () => void;
  onConfirm: () => Promise<string | undefined>;
};

/** Asks before a flag is deleted, and says what depends on it. */
export function DeleteDialog({ projectId, flag, onClose, onConfirm }: DeleteProps) {
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        <>
          Delete <span className="font-mono text-base">{flag.key}</span>?
        </>
      }
      description="It stops being served at once: SDKs get no answer for it, and code falls back to its default. You can undo this."
      confirmLabel="Delete flag"
      danger
      onConfirm={onConfirm}
    >
      <WhoChanges projectId={projectId} proposed={{ id: flag.id, deleted: true }} />
      <DependentsNote projectId={projectId} id={flag.id} />
    </ConfirmDialog>
  );
}
