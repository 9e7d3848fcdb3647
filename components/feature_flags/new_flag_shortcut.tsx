"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useShortcut } from "#components/ui/shortcuts.tsx";

/** `c` makes a new flag. */
export function NewFlagShortcut({ href }: { href: Route }) {
  const router = useRouter();
  useShortcut("c", "New flag", () => router.push(href), { group: "Feature flags" });
  return null;
}
