import { type BranchingQuestion, rulesOf } from "./branching.ts";
import { outcomesOf } from "./paths.ts";
import type { Outcome } from "./paths_types.ts";

/** A rule that says for each answer where it leads, as the survey means it. */
function spelledOut(question: BranchingQuestion, outcomes: readonly Outcome[]): Record<string, unknown> {
  const values = outcomes.flatMap(({ answer, to }) => {
    // Skipping is looked up as the choice before the first one; with an open choice it counts as that.
    const skips = answer.kind === "skipped" && to === "end" && !question.hasOpenChoice;
    const key = answer.rule_key ?? (skips ? "-1" : null);
    return key === null || to === "stuck" ? [] : [[key, to] as const];
  });
  return { ...rulesOf(question), responseValues: Object.fromEntries(values) };
}

function settled<Q extends BranchingQuestion>(question: Q, outcomes: readonly Outcome[], isLast: boolean): Q {
  const { type, index } = rulesOf(question);
  const ends = outcomes.some(({ to }) => to === "end");
  if (type === "response_based") {
    const skips = outcomes.some(({ answer, to }) => answer.kind === "skipped" && to === "stuck");
    const ruled = ends ? { ...question, branching: spelledOut(question, outcomes) } : question;
    if (ends && outcomes.every(({ answer }) => answer.rule_key === null))
      return { ...question, branching: { type: "end" } };
    return skips ? { ...ruled, optional: false } : ruled;
  }
  if (type === "specific_question" && ends && index !== "end")
    return { ...question, branching: { type: "end" } };
  return isLast && type !== undefined && type !== "end" && ends
    ? { ...question, branching: { type: "end" } }
    : question;
}

/**
 * The questions as the public SDKs must get them to ask what the survey means. Left alone they look for a question
 * after the last one where a rule says "next" there or points outside, and stop where an optional rating that has
 * rules is skipped: such rules are written out as the end, and such a question is not offered to be skipped.
 */
export const settledQuestions = <Q extends BranchingQuestion>(questions: readonly Q[]): Q[] => {
  const byQuestion = questions.map(() => [] as Outcome[]);
  for (const outcome of outcomesOf(questions)) byQuestion[outcome.from]?.push(outcome);
  return questions.map((question, index) =>
    settled(question, byQuestion[index] ?? [], index === questions.length - 1),
  );
};
