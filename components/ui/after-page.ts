"use client";

import dynamic from "next/dynamic";
import type { ComponentType, ReactNode } from "react";

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

const pageLoaded = () =>
  document.readyState === "complete"
    ? undefined
    : new Promise<void>((resolve) => window.addEventListener("load", () => resolve(), { once: true }));

/**
 * A component whose code loads after the page, when it is first shown.
 *
 * @param waiting what stands in its place until then
 */
export const later = <P extends object>(
  load: () => Promise<ComponentType<P>>,
  waiting: () => ReactNode = () => null,
): ComponentType<P> =>
  dynamic<P>(
    async () => {
      await pageLoaded();
      return load();
    },
    { ssr: false, loading: waiting },
  );
