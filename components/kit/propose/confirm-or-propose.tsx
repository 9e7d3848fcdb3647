"use client";

import { type ComponentProps, useState } from "react";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { type Proposal, ProposeDialog } from "./propose-dialog.tsx";

type Props = Omit<ComponentProps<typeof ConfirmDialog>, "trigger" | "open" | "onOpenChange"> & {
  /** The same as a proposal; absent where it cannot be one. */
  proposal?: Proposal | undefined;
  onClose: () => void;
};

/** Confirms what changes things for others, or proposes it. */
export function ConfirmOrPropose({ proposal, onClose, ...confirm }: Props) {
  const [proposing, setProposing] = useState(false);
  if (proposal && proposing) return <ProposeDialog {...proposal} onClose={onClose} />;
  return (
    <ConfirmDialog
      {...confirm}
      open
      onOpenChange={(open) => !open && onClose()}
      {...(proposal && { onPropose: () => setProposing(true) })}
    />
  );
}
