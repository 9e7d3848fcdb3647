"use client";

import type { ConfirmDialogProps } from "./overlay/parts/confirm-box.tsx";
import { useParts } from "./overlay/use-parts.ts";

/** Confirms an action that affects others. The safe choice has the focus. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const parts = useParts(props.open);
  return parts ? <parts.ConfirmBox {...props} /> : null;
}
