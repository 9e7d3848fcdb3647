"use client";

import { useShortcut } from "#components/ui/shortcuts.tsx";
import { useGuardedPush } from "#components/ui/unsaved-guard.tsx";

/** `c` makes a new survey while surveys are listed. */
export function CreateShortcut({ href }: { href: string }) {
  const push = useGuardedPush();
  useShortcut("c", "New survey", () => push(href), { group: "Surveys" });
  return null;
}
