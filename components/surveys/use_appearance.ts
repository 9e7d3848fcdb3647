"use client";

import { useBuilder } from "./builder_context.tsx";
import type { Json } from "./draft.ts";

/** The appearance with a way to set its members; undefined takes one out. */
export function useAppearance(): { appearance: Json; put: (members: Json) => void; readOnly: boolean } {
  const { draft, putMembers, readOnly } = useBuilder();
  return {
    appearance: draft.appearance ?? {},
    put: (members) => putMembers("appearance", members),
    readOnly,
  };
}
