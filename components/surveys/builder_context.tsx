"use client";

import { createContext, type ReactNode, useContext } from "react";
import type { Names } from "#lib/feature_flags/words.ts";
import type { PathReport, PlayStep } from "#lib/surveys/paths_types.ts";
import type { SurveyWritten } from "#lib/surveys/schema.ts";
import type { Json, QuestionDraft } from "./draft.ts";
import type { Given, Replay } from "./preview/replay.ts";
import type { FieldProblem, Part } from "./problems.ts";
import type { Fields, SurveyDraft } from "./survey_draft.ts";
import type { Effects } from "./use_edit_effects.ts";

/** What the parts of the builder share. */
export type Building = {
  projectId: string;
  /** The survey as stored; null for a new one. */
  survey: SurveyWritten | null;
  draft: SurveyDraft;
  change: (next: (draft: SurveyDraft) => SurveyDraft) => void;
  putFields: (fields: Partial<Fields>) => void;
  /** Sets members of the conditions or the appearance; undefined removes one. */
  putMembers: (of: "conditions" | "appearance", members: Json) => void;
  changeQuestions: (next: (questions: QuestionDraft[]) => QuestionDraft[]) => void;
  /** Identity of the question that is looked at. */
  selected: string | null;
  select: (uid: string | null) => void;
  part: Part;
  show: (part: Part) => void;
  report: PathReport;
  /** What saving would do to stored answers. */
  effects: Effects;
  problems: readonly FieldProblem[];
  names: Required<Names>;
  learn: (kind: "cohorts" | "flags", id: string, name: string) => void;
  readOnly: boolean;
  /** Says to screen readers what has happened. */
  announce: (news: string) => void;
  /** The answers given in the preview, and where they lead. */
  replay: Replay;
  answer: (log: Given[]) => void;
  /** Plays a way through the survey in the preview. */
  play: (steps: readonly PlayStep[]) => void;
  /** Answers what leads to a question; false where no answers do. */
  jumpTo: (uid: string) => boolean;
};

const BuildingContext = createContext<Building | null>(null);

export function BuilderProvider({ value, children }: { value: Building; children: ReactNode }) {
  return <BuildingContext value={value}>{children}</BuildingContext>;
}

/** The survey that is built around here. */
export function useBuilder(): Building {
  const building = useContext(BuildingContext);
  if (!building) throw new Error("useBuilder needs a BuilderProvider");
  return building;
}

/** The problem of a field of the survey, or (with `uid`) of one of its questions. */
export function useProblem(field: string, uid?: string): string | undefined {
  return useBuilder().problems.find((each) => each.field === field && each.uid === uid)?.message;
}
