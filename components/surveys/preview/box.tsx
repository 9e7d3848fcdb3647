"use client";

import { X } from "lucide-react";
import { useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { boxStyle, themeOf } from "./theme.ts";

/** The box of a survey, painted by its appearance. */
export function Box({ children, label }: { children: React.ReactNode; label: string }) {
  const { draft } = useBuilder();
  return (
    <fieldset
      aria-label={label}
      style={boxStyle(draft.appearance)}
      className="relative flex w-full min-w-0 flex-col gap-3 border text-left text-base"
    >
      <Cross />
      {children}
    </fieldset>
  );
}

/** The cross at the corner, with which people send a survey away. */
function Cross() {
  const { draft } = useBuilder();
  const { type } = draft.fields;
  if ((type !== "popover" && type !== "widget") || draft.appearance?.hideCancelButton === true) return null;
  const theme = themeOf(draft.appearance);
  return (
    <span
      aria-hidden="true"
      style={{ backgroundColor: theme.background, borderColor: theme.border, color: theme.text }}
      className="absolute -top-3 -right-3 grid size-7 place-items-center rounded-full border"
    >
      <X className="size-3.5" />
    </span>
  );
}
