"use client";

import { useShortcut } from "#components/ui/shortcuts.tsx";
import { useGuardedPush } from "#components/ui/unsaved-guard.tsx";
import { allPlaces, placeHref } from "./destinations.ts";
import { useMay } from "./frame-context.tsx";

/** The keys that work on every page: one for each place, `/` for the search box, `c` to create. */
export function FrameShortcuts({ projectId }: { projectId: number }) {
  useShortcut("/", "Search this page", focusSearch, { group: "Anywhere" });
  const push = useGuardedPush();
  useShortcut("c", "Create a feature flag", () => push(placeHref(projectId, "feature_flags/new")), {
    group: "Anywhere",
    enabled: useMay("feature_flag:write"),
  });
  return allPlaces.map((place) =>
    place.keys ? (
      <GoTo key={place.path} keys={place.keys} label={place.label} href={placeHref(projectId, place.path)} />
    ) : null,
  );
}

function GoTo({ keys, label, href }: { keys: string; label: string; href: string }) {
  const push = useGuardedPush();
  useShortcut(keys, label, () => push(href), { group: "Go to" });
  return null;
}

function focusSearch() {
  const box = document.querySelector<HTMLInputElement>("main [data-shortcut-search]");
  box?.focus();
  box?.select();
}
