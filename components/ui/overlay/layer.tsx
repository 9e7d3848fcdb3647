"use client";

import { createContext, useContext } from "react";

/** The dialog that something was opened from. */
export const LayerContext = createContext<HTMLElement | null>(null);

/**
 * `container` for Radix portals: the dialog that a floating box is opened from, or the page's main landmark. So boxes
 * belong to a landmark, and a modal dialog does not cut them off.
 *
 * The landmark is looked up rather than provided: a context that changes as the page mounts makes React render again
 * what is still arriving from the server.
 */
export function useLayer(): HTMLElement | undefined {
  const dialog = useContext(LayerContext);
  if (dialog || typeof document === "undefined") return dialog ?? undefined;
  return document.getElementById("main") ?? undefined;
}
