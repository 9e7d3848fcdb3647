"use client";

import type { Json } from "#lib/engines/json.ts";
import { useBuilder } from "./builder-context.tsx";

/** The appearance and a setter; undefined removes a member. */
export function useAppearance(): { appearance: Json; put: (members: Json) => void; readOnly: boolean } {
  const { draft, putMembers, readOnly } = useBuilder();
  return {
    appearance: draft.appearance ?? {},
    put: (members) => putMembers("appearance", members),
    readOnly,
  };
}
