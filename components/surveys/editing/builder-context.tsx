"use client";

import { createContext, type ReactNode, useContext } from "react";
import type { QuestionDraft } from "#components/surveys/draft/draft.ts";
import type { FieldProblem, Part } from "#components/surveys/draft/problems.ts";
import type { Given, Replay } from "#components/surveys/draft/replay.ts";
import type { Fields, SurveyDraft } from "#components/surveys/draft/survey-draft.ts";
import type { PathReport, PlayStep } from "#lib/engines/branching/paths-types.ts";
import type { Json } from "#lib/engines/json.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";
import type { Effects } from "./use-edit-effects.ts";

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
  /** Identity of the selected question. */
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
  /** Announces to screen readers. */
  announce: (announcement: string) => void;
  /** The answers given in the preview, and where they lead. */
  replay: Replay;
  answer: (log: Given[]) => void;
  /** Plays a path through the survey in the preview. */
  play: (steps: readonly PlayStep[]) => void;
  /** Answers up to a question; false if no answers lead to it. */
  jumpTo: (uid: string) => boolean;
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

/** The problem of a field of the survey, or (with `uid`) of one of its questions. */
export function useProblem(field: string, uid?: string): string | undefined {
  return useBuilder().problems.find((each) => each.field === field && each.uid === uid)?.message;
}
