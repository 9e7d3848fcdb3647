"use client";

import { later } from "#components/ui/after-page.ts";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import type { ChipsInputProps } from "./use-chips.ts";

/** Several values, see `chips-input-view.tsx`. */
export const ChipsInput = later<ChipsInputProps>(
  async () => (await import("./chips-input-view.tsx")).ChipsInput,
  () => <Skeleton className="h-8 w-full" />,
);
