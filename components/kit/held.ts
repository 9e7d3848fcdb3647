"use client";

import { useEffect } from "react";
import type { ActionResult } from "#lib/app/session/action-result.ts";

type Lead = (requestId: string) => void;

let lead: Lead | undefined;

/** The change request that was made of a write because a policy holds it; null: it was not held. */
export const heldRequest = (result: ActionResult<unknown>): string | null =>
  result.ok ? null : (result.error.extra?.change_request_id ?? null);

/** Leads to the request where a write is held, whatever made it. */
export function followHeld(result: ActionResult<unknown>): void {
  const request = heldRequest(result);
  if (request !== null) lead?.(request);
}

/** Says where writes lead that are held: once for a page, in the frame. */
export function useHeldWrites(go: Lead): void {
  useEffect(() => {
    lead = go;
    return () => {
      lead = undefined;
    };
  }, [go]);
}
