"use client";

import { putRaw } from "#components/surveys/draft/edit-draft.ts";
import { useBuilder } from "./builder-context.tsx";

/** Sets members of a question's record; undefined removes one. */
export function usePut(uid: string) {
  const { changeQuestions } = useBuilder();
  return (members: Record<string, unknown>) => changeQuestions((each) => putRaw(each, uid, members));
}

/** A member of a raw record as text to edit. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
