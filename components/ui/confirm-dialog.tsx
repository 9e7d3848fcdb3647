"use client";

import type { ReactNode } from "react";
import type { ConfirmBoxProps } from "./confirm-box.tsx";
import { Opening, useOpen, useOpener } from "./overlay/trigger.tsx";
import { useParts } from "./use-parts.ts";

type ConfirmDialogProps = Omit<ConfirmBoxProps, "open" | "onOpenChange"> & {
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** The element that opens it, when it is not opened by state. */
  trigger?: ReactNode;
};

/** Confirms an action that affects others. The safe choice has the focus. */
export function ConfirmDialog({ trigger, ...props }: ConfirmDialogProps) {
  const [open, setOpen] = useOpen(props);
  const opener = useOpener();
  const parts = useParts(open);
  return (
    <>
      {trigger ? (
        <Opening opener={opener} kind="dialog" open={open} setOpen={setOpen}>
          {trigger}
        </Opening>
      ) : null}
      {parts ? <parts.ConfirmBox {...props} open={open} onOpenChange={setOpen} /> : null}
    </>
  );
}
