"use client";

import { useShortcut } from "#components/ui/shortcuts.tsx";
import { useGuardedPush } from "#components/ui/unsaved-guard.tsx";

/** `c` plans a new experiment while experiments are listed. */
export function CreateShortcut({ href }: { href: string }) {
  const push = useGuardedPush();
  useShortcut("c", "New experiment", () => push(href), { group: "Experiments" });
  return null;
}
