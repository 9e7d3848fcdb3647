"use client";

import { useCallback, useDeferredValue, useMemo, useRef, useState } from "react";
import { type QuestionDraft, questionsOf } from "#components/surveys/draft/draft.ts";
import type { FieldProblem, Part } from "#components/surveys/draft/problems.ts";
import { type Given, replay, shortestWayTo } from "#components/surveys/draft/replay.ts";
import type { SurveyDraft } from "#components/surveys/draft/survey-draft.ts";
import { checkPaths, type PathReport, type PlayStep } from "#lib/engines/branching/paths.ts";
import type { Json } from "#lib/engines/json.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import type { Building } from "./builder-context.tsx";

/** The members that are set; null if none is left of a record that had none. */
function withMembers(json: Json | null, members: Json): Json | null {
  const next = Object.fromEntries(
    Object.entries({ ...json, ...members }).filter(([, value]) => value !== undefined),
  );
  return json === null && Object.keys(next).length === 0 ? null : next;
}

/** The draft of a survey with its changes. */
export function useDraft(start: () => SurveyDraft) {
  const [draft, setDraft] = useState(start);
  const change = useCallback(
    (next: (draft: SurveyDraft) => SurveyDraft) => setDraft((before) => next(before)),
    [],
  );
  const changes = useMemo(
    () => ({
      change,
      putFields: (fields: Partial<SurveyDraft["fields"]>) =>
        change((each) => ({ ...each, fields: { ...each.fields, ...fields } })),
      putMembers: (of: "conditions" | "appearance", members: Json) =>
        change((each) => ({ ...each, [of]: withMembers(each[of], members) })),
      changeQuestions: (next: (questions: QuestionDraft[]) => QuestionDraft[]) =>
        change((each) => ({ ...each, questions: next(each.questions) })),
    }),
    [change],
  );
  return { draft, ...changes };
}

/** The path report of the current questions; deferred while typing. */
export function useReport(draft: SurveyDraft) {
  const questions = useDeferredValue(draft.questions);
  const shuffled = draft.appearance?.shuffleQuestions === true;
  return useMemo(() => checkPaths(questionsOf(questions), { shuffled }), [questions, shuffled]);
}

/** The preview's answers, replayed whenever the survey changes. */
export function usePreview(
  draft: SurveyDraft,
  { outcomes }: PathReport,
): Pick<Building, "replay" | "answer" | "play" | "jumpTo"> {
  const [log, answer] = useState<Given[]>([]);
  const found = useMemo(() => replay(draft.questions, log), [draft.questions, log]);
  const play = (steps: readonly PlayStep[]) =>
    answer(
      steps.flatMap(({ question, response }) => {
        const uid = draft.questions[question]?.uid;
        return uid === undefined ? [] : [{ uid, response }];
      }),
    );
  function jumpTo(uid: string): boolean {
    const way = shortestWayTo(
      outcomes,
      draft.questions.findIndex((question) => question.uid === uid),
    );
    if (way) play(way);
    return way !== null;
  }
  return { replay: found, answer, play, jumpTo };
}

/** The selected question and part of the builder; the part is in the URL. */
export function useLooking(
  draft: SurveyDraft,
  first: Part,
): Pick<Building, "selected" | "select" | "part" | "show"> {
  const [wanted, select] = useState<string | null>(draft.questions[0]?.uid ?? null);
  const [part, setPart] = useState(first);
  const place = useRef(0);
  const at = draft.questions.findIndex((question) => question.uid === wanted);
  if (at >= 0) place.current = at;
  // The chosen one was deleted: its neighbour takes its place.
  const near = draft.questions[Math.min(place.current, draft.questions.length - 1)]?.uid ?? null;
  function show(next: Part) {
    setPart(next);
    const url = new URL(window.location.href);
    url.searchParams.set("tab", next);
    window.history.replaceState(window.history.state, "", url);
  }
  return { selected: at >= 0 ? wanted : near, select, part, show };
}

/** Names of flags and cohorts, including those picked while editing. */
export function useNames(known: Required<Names>): Pick<Building, "names" | "learn"> {
  const [names, setNames] = useState(known);
  return {
    names,
    learn: (kind, id, name) =>
      setNames((before) => ({ ...before, [kind]: new Map([...before[kind], [id, name]]) })),
  };
}

/** The first problem of each field: the API's takes precedence. */
export const firstProblems = (...lists: readonly FieldProblem[][]): FieldProblem[] => {
  const found = new Map<string, FieldProblem>();
  for (const problem of lists.flat()) {
    const key = `${problem.uid ?? ""} ${problem.field}`;
    if (!found.has(key)) found.set(key, problem);
  }
  return [...found.values()];
};
