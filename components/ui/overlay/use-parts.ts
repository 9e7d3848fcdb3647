"use client";

import { useEffect, useState } from "react";

type Parts = typeof import("./parts.tsx");

let loading: Promise<Parts> | undefined;
let loaded: Parts | undefined;

/** A failed attempt is not kept: the next press tries again. */
function load(): Promise<Parts> {
  loading ??= import("./parts.tsx").then(
    (parts) => {
      loaded = parts;
      return parts;
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
    if (open && !loaded) void load().then(() => showLoaded(true));
  }, [open]);
  return isUsed ? loaded : undefined;
}

/** Runs something when the page has loaded and the browser has nothing more urgent to do. */
export function whenIdle(run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    timer = setTimeout(run, 200);
  };
  if (document.readyState === "complete") soon();
  else window.addEventListener("load", soon, { once: true });
  return () => {
    window.removeEventListener("load", soon);
    clearTimeout(timer);
  };
}

/** Loads the parts before anybody opens something. */
export function useEarlyParts(): void {
  useEffect(() => whenIdle(() => void load().catch(() => undefined)), []);
}
