"use client";

import { type ComponentProps, useState } from "react";
import { later } from "#components/ui/after-page.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import type { Proposal } from "./propose-dialog.tsx";

const ProposeDialog = later(async () => (await import("./propose-dialog.tsx")).ProposeDialog);

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
