"use client";

import { useEffect, useState } from "react";
import { whenIdle } from "#components/ui/after-page.ts";

type Parts = typeof import("./parts.tsx").PARTS;

let loading: Promise<Parts> | undefined;
let loaded: Parts | undefined;

/** A failed attempt is not kept: the next press tries again. */
function load(): Promise<Parts> {
  loading ??= import("./parts.tsx").then(
    ({ PARTS }) => {
      loaded = PARTS;
      return PARTS;
    },
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/**
 * What menus, dialogs and lists over the page are made of. The code loads once the page is up, or when the first of
 * them opens.
 *
 * @param open whether the box is open now; its parts stay once it has been, so that it can close gently
 */
export function useParts(open: boolean): Parts | undefined {
  const [isUsed, setIsUsed] = useState(open);
  const [, showLoaded] = useState(loaded !== undefined);
  if (open && !isUsed) setIsUsed(true);
  useEffect(() => {
    // They may have arrived since this was rendered: only a state that changes shows them.
    if (open) void load().then(() => showLoaded(true));
  }, [open]);
  return isUsed ? loaded : undefined;
}

/** Loads the parts before anybody opens something. */
export function useEarlyParts(): void {
  useEffect(() => whenIdle(() => void load().catch(() => undefined)), []);
}
