"use client";

import { later } from "#components/ui/after-page.ts";
import { Skeleton } from "#components/ui/display/skeleton.tsx";

/** Code that evaluates a flag; see `snippets-view.tsx`. */
export const Snippets = later(
  async () => (await import("./snippets-view.tsx")).Snippets,
  () => <Skeleton className="h-40 w-full" />,
);
