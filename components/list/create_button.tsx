"use client";

import { Plus } from "lucide-react";
import type { Route } from "next";
import { ButtonLink } from "#components/ui/button.tsx";
import { useShortcut } from "#components/ui/shortcuts.tsx";
import { useGuardedPush } from "#components/ui/unsaved-guard.tsx";

/** Makes a new one of what is listed, by a press of `c` too; `group` is where the list of shortcuts shows it. */
export function CreateButton({ href, label, group }: { href: string; label: string; group: string }) {
  const push = useGuardedPush();
  useShortcut("c", label, () => push(href), { group });
  return (
    <ButtonLink href={href as Route} variant="primary" icon={Plus}>
      {label}
    </ButtonLink>
  );
}
