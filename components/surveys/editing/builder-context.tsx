"use client";

import { createContext, type ReactNode, useContext } from "react";
import type { PlacedProblem } from "#components/kit/editor/json.ts";
import type { QuestionDraft } from "#components/surveys/draft/draft.ts";
import { putRaw } from "#components/surveys/draft/edit-draft.ts";
import type { Part } from "#components/surveys/draft/problems.ts";
import type { SurveyDraft } from "#components/surveys/draft/survey-draft.ts";
import type { Json } from "#lib/engines/json.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";
import type { Effects } from "./use-edit-effects.ts";
import type { Playing } from "./use-preview.ts";
import type { Undo } from "./use-undo.ts";

/** What the parts of the builder share. */
export type Building = Playing & {
  projectId: string;
  /** The survey as stored; null for a new one. */
  survey: SurveyWritten | null;
  /** The values of the form. */
  draft: SurveyDraft;
  put: (values: Partial<SurveyDraft>) => void;
  /** Sets members of the conditions or the appearance; undefined removes one. */
  putMembers: (of: "conditions" | "appearance", members: Json) => void;
  /** Changes the present questions; several changes in a row build on one another. */
  changeQuestions: (next: (questions: QuestionDraft[]) => QuestionDraft[]) => void;
  undo: Undo;
  /** Identity of the selected question. */
  selected: string | null;
  /** Selects a question; a new one gets the focus. */
  select: (uid: string | null, isNew?: boolean) => void;
  /** Identity of the question that was added last, while it is selected. */
  added: string | null;
  part: Part;
  show: (part: Part) => void;
  /** What saving would do to stored answers. */
  effects: Effects;
  /** At their places in the form. */
  problems: readonly PlacedProblem[];
  /** Whether what is written as JSON is in the form, and how often the form was filled again. */
  json: { isReadable: boolean; report: (isReadable: boolean) => void; begun: number };
  names: Required<Names>;
  learn: (kind: "cohorts" | "flags", id: string, name: string) => void;
  readOnly: boolean;
  /** Announces to screen readers. */
  announce: (announcement: string) => void;
};

const BuildingContext = createContext<Building | null>(null);

export function BuilderProvider({ value, children }: { value: Building; children: ReactNode }) {
  return <BuildingContext value={value}>{children}</BuildingContext>;
}

/** The survey being edited. */
export function useBuilder(): Building {
  const building = useContext(BuildingContext);
  if (!building) throw new Error("useBuilder needs a BuilderProvider");
  return building;
}

/** The problem at a place of the form, or (with `uid`) of one of its questions. */
export function useProblem(place: string, uid?: string): string | undefined {
  const { problems, draft } = useBuilder();
  const inside =
    uid === undefined ? "" : `questions.${draft.questions.findIndex((each) => each.uid === uid)}.`;
  return problems.find(({ path }) => path.join(".") === inside + place)?.message;
}

/** The appearance and a setter; undefined removes a member. */
export function useAppearance() {
  const { draft, putMembers, readOnly } = useBuilder();
  const appearance: Json = draft.appearance ?? {};
  return { appearance, put: (members: Json) => putMembers("appearance", members), readOnly };
}

/** Sets members of a question's record; undefined removes one. */
export function usePut(uid: string) {
  const { changeQuestions } = useBuilder();
  return (members: Record<string, unknown>) => changeQuestions((each) => putRaw(each, uid, members));
}

/** A member of a raw record as text to edit. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
