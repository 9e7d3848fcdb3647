"use client";

import dynamic from "next/dynamic";
import { useEffect, useState } from "react";
import type { toast as Sonner } from "sonner";
import { whenIdle } from "#components/ui/after-page.ts";

const View = dynamic(async () => (await import("./toaster-view.tsx")).ToasterView, { ssr: false });

type Show = (sonner: typeof Sonner) => void;

/** Messages from before the toaster could show them. */
let waiting: Show[] = [];
let ready: typeof Sonner | undefined;
let wake: (() => void) | undefined;

function withSonner(show: Show): void {
  if (ready) show(ready);
  else {
    waiting.push(show);
    wake?.();
  }
}

function showWaiting(sonner: typeof Sonner): void {
  ready = sonner;
  const shown = waiting;
  waiting = [];
  for (const show of shown) show(sonner);
}

/** Where toasts appear. Mounted once, in the providers; its code loads after the page. */
export function Toaster() {
  const [isWanted, setIsWanted] = useState(false);
  useEffect(() => {
    wake = () => setIsWanted(true);
    if (waiting.length > 0) wake();
    return whenIdle(wake);
  }, []);
  return isWanted ? <View onReady={showWaiting} /> : null;
}

/** How often it was said that something asked for has not happened yet. */
let postponed = 0;

type ToastOptions = { description?: string; id?: string | number };

/** Short messages at the edge of the page. Never the only place of an error that belongs to a field. */
export const toast = {
  success: (message: string, options?: ToastOptions) =>
    withSonner((sonner) => sonner.success(message, options)),
  info: (message: string, options?: ToastOptions) => withSonner((sonner) => sonner.info(message, options)),
  warning: (message: string, options?: ToastOptions) =>
    withSonner((sonner) => sonner.warning(message, options)),
  error: (message: string, options?: ToastOptions) =>
    withSonner((sonner) => sonner.error(message, { duration: 10_000, ...options })),
  /** Says that what was just asked for has not happened yet: an undo that asked for it does not say that it worked. */
  notYet(message: string) {
    postponed += 1;
    withSonner((sonner) => sonner.info(message, { id: "not-yet" }));
  },
  dismiss: (id?: string | number) => withSonner((sonner) => sonner.dismiss(id)),

  /**
   * Says what was done and offers to undo it for ten seconds.
   *
   * @param undo reverts the action; a returned text is the problem that stopped it
   * @param undone said when it has worked
   */
  withUndo(message: string, undo: () => Promise<string | undefined>, undone = "Undone") {
    withSonner((sonner) =>
      sonner.success(message, {
        duration: 10_000,
        action: {
          label: "Undo",
          onClick: async () => {
            const id = sonner.loading("Undoing…");
            const before = postponed;
            const problem = await undo().catch(
              () => "That could not be undone. Reload to see the current state.",
            );
            if (postponed > before) sonner.dismiss(id);
            else if (problem === undefined) sonner.success(undone, { id });
            else sonner.error(problem, { id, duration: 10_000 });
          },
        },
      }),
    );
  },
};
