import { BranchingError, nextStep } from "#lib/engines/branching/branching.ts";
import type { Outcome, PlayStep } from "#lib/engines/branching/paths-types.ts";
import { type QuestionDraft, questionsOf } from "./draft.ts";

/** An answer as it was given in the preview: null if the question was skipped. */
export type Given = { uid: string; response: unknown };

/** The position of a respondent: at a question, at the end, or where public SDKs stop with an error. */
type Standing = { at: "question"; uid: string } | { at: "end" } | { at: "stuck"; message: string };

export type Replay = {
  /** Answers that still apply. */
  given: Given[];
  standing: Standing;
};

/**
 * Replays answers on a survey that may have changed: up to the first whose question is no longer next, or no
 * longer accepts the answer.
 */
export function replay(drafts: readonly QuestionDraft[], log: readonly Given[]): Replay {
  const questions = questionsOf(drafts);
  const given: Given[] = [];
  let place: number | "end" = drafts.length > 0 ? 0 : "end";
  for (const answer of log) {
    if (place === "end" || drafts[place]?.uid !== answer.uid) break;
    try {
      place = nextStep(questions, place, answer.response);
    } catch (error) {
      if (!(error instanceof BranchingError)) throw error;
      return { given: [...given, answer], standing: { at: "stuck", message: error.message } };
    }
    given.push(answer);
  }
  const uid = place === "end" ? undefined : drafts[place]?.uid;
  return { given, standing: uid === undefined ? { at: "end" } : { at: "question", uid } };
}

/** The questions seen, in order, including the current one. */
export const seenOf = ({ given, standing }: Replay): string[] => [
  ...given.map((answer) => answer.uid),
  ...(standing.at === "question" ? [standing.uid] : []),
];

/** The fewest answers that lead to a question; null if none do. */
export function shortestWayTo(outcomes: readonly Outcome[], target: number): PlayStep[] | null {
  const ways = new Map<number, PlayStep[]>([[0, []]]);
  const waiting = [0];
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    const way = ways.get(at) ?? [];
    if (at === target) return way;
    for (const { from, answer, to } of outcomes) {
      if (from !== at || typeof to !== "number" || ways.has(to)) continue;
      ways.set(to, [...way, { question: from, answer, response: answer.response }]);
      waiting.push(to);
    }
  }
  return null;
}
