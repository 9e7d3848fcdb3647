"use client";

import { createContext, useContext } from "react";

/**
 * The element that floating boxes are put into: the page's main landmark, or the dialog they were opened from. So
 * they belong to a landmark, and a modal dialog does not cut them off.
 */
export const LayerContext = createContext<HTMLElement | null>(null);

/** `container` for Radix portals. */
export function useLayer(): HTMLElement | undefined {
  return useContext(LayerContext) ?? undefined;
}
