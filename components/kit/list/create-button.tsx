"use client";

import { Plus } from "lucide-react";
import type { Route } from "next";
import { useGuardedPush } from "#components/kit/editor/unsaved-guard.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { useShortcut } from "#components/ui/overlay/shortcuts.tsx";

/** Creates a new item, also with the key `c`; `group` is its section in the list of shortcuts. */
export function CreateButton({ href, label, group }: { href: string; label: string; group: string }) {
  const push = useGuardedPush();
  useShortcut("c", label, () => push(href), { group });
  return (
    <ButtonLink href={href as Route} variant="primary" icon={Plus}>
      {label}
    </ButtonLink>
  );
}
