"use client";

import { useBuilder } from "../builder_context.tsx";
import { boxStyle } from "./theme.ts";

/** The box of a survey, painted by its appearance. */
export function Box({ children, label }: { children: React.ReactNode; label: string }) {
  const { draft } = useBuilder();
  return (
    <fieldset
      aria-label={label}
      style={boxStyle(draft.appearance)}
      className="flex w-full min-w-0 flex-col gap-3 border px-4 py-4 text-left text-base shadow-pop"
    >
      {children}
    </fieldset>
  );
}
