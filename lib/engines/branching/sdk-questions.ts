import { outcomesOf } from "./paths.ts";
import type { Outcome } from "./paths-types.ts";
import { type Question, rulesOf } from "./question.ts";

/** A rule that spells out the target of each answer. */
function spelledOut(question: Question, outcomes: readonly Outcome[]): Record<string, unknown> {
  const values = outcomes.flatMap(({ answer, to }) => {
    // SDKs look up a skipped answer as choice -1, or as the open choice if there is one.
    const skips = answer.kind === "skipped" && to === "end" && !question.hasOpenChoice;
    const key = answer.rule_key ?? (skips ? "-1" : null);
    return key === null || to === "stuck" ? [] : [[key, to] as const];
  });
  return { ...rulesOf(question), responseValues: Object.fromEntries(values) };
}

function settle<Q extends Question>(question: Q, outcomes: readonly Outcome[]): Q {
  const { type } = rulesOf(question);
  const ends = outcomes.some(({ to }) => to === "end");
  if (type === "response_based") {
    const skips = outcomes.some(({ answer, to }) => answer.kind === "skipped" && to === "stuck");
    const ruled = ends ? { ...question, branching: spelledOut(question, outcomes) } : question;
    if (ends && outcomes.every(({ answer }) => answer.rule_key === null))
      return { ...question, branching: { type: "end" } };
    return skips ? { ...ruled, optional: false } : ruled;
  }
  return ends && type !== undefined && type !== "end"
    ? { ...question, branching: { type: "end" } }
    : question;
}

/**
 * The questions adapted for the public SDKs. These fail if a rule leads past the last question, or an
 * optional rating with rules is skipped: such rules are rewritten to lead to the end, and such a question is
 * sent as required.
 */
export const questionsForSdks = <Q extends Question>(questions: readonly Q[]): Q[] => {
  const outcomes = outcomesOf(questions);
  return questions.map((question, index) => settle(question, outcomes[index] ?? []));
};
