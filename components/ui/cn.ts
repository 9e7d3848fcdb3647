import { type ClassValue, clsx } from "clsx";
import { createTailwindMerge } from "tailwind-merge";
import { CLASS_GROUPS } from "./class-groups.ts";

const merge = createTailwindMerge(() => CLASS_GROUPS);

/** Joins class names; a later Tailwind class replaces an earlier one of the same kind. */
export function cn(...classes: ClassValue[]): string {
  return merge(clsx(classes));
}
