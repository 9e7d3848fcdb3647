"use client";

import { useParts } from "#components/ui/use-parts.ts";
import type { DialogProps } from "./parts/dialog-box.tsx";

/** A modal dialog. Escape and the scrim close it; focus returns to where it was. */
export function Dialog(props: DialogProps) {
  const parts = useParts(props.open);
  return parts ? <parts.DialogBox {...props} /> : null;
}
