import { type ClassValue, clsx } from "clsx";
import { extendTailwindMerge } from "tailwind-merge";

const merge = extendTailwindMerge({
  extend: {
    classGroups: {
      "font-size": [{ text: ["2xs", "xs", "sm", "base", "touch", "lg", "xl", "2xl"] }],
      shadow: [{ shadow: ["xs", "card", "pop", "modal"] }],
    },
  },
});

/** Joins class names; a later Tailwind class replaces an earlier one of the same kind. */
export function cn(...classes: ClassValue[]): string {
  return merge(clsx(classes));
}
