"use client";

import type { DialogProps } from "./parts/dialog-box.tsx";
import { useParts } from "./use-parts.ts";

/** A modal dialog. Escape and the scrim close it; focus returns to where it was. */
export function Dialog(props: DialogProps) {
  const parts = useParts(props.open);
  return parts ? <parts.DialogBox {...props} /> : null;
}
