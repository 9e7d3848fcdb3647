import { isObject } from "#lib/engines/json.ts";
import { BranchingError, ruleKeyOf } from "./answers.ts";
import { type Question, type Rules, rulesOf, type Step } from "./question.ts";

export { BranchingError } from "./answers.ts";
export * from "./buckets.ts";
export type { Step } from "./question.ts";

/** The target of a rule key; undefined if there is no rule. */
function targetOf(rules: Rules, key: string | null): unknown {
  if (rules.type === "specific_question") return rules.index;
  const values = rules.responseValues;
  if (rules.type !== "response_based" || key === null || !isObject(values)) return undefined;
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

/**
 * The next step after an answer with a rule key; see `nextStep`.
 *
 * @throws BranchingError where there is no such question, or a rule points before the first one
 */
export function stepByKey(questions: readonly Question[], index: number, key: string | null): Step {
  const question = questions[index];
  if (!question) throw new BranchingError(`There is no question at index ${index}.`);
  const rules = rulesOf(question);
  if (rules.type === "end") return "end";
  const target = targetOf(rules, key);
  if (target === "end" && rules.type === "response_based") return "end";
  const next = typeof target === "number" && Number.isInteger(target) ? target : index + 1;
  if (next < 0) throw new BranchingError(`Question ${index} leads to index ${next}.`);
  return next < questions.length ? next : "end";
}

/**
 * The next step after an answer, by the same rules as the public SDKs. A target past the last question
 * ends the survey; a rule that is missing, unknown or does not name the answer goes to the next question.
 *
 * @param questions in the order of the survey
 * @param index of the question that was answered
 * @param response a rating's number, a choice's text; null or undefined if the question was skipped
 * @returns an index from 0 to the last question's, or "end"
 * @throws BranchingError where there is no such question, a rule points before the first one, or a rule by
 *   rating meets an answer that is not on the scale (a skipped question too)
 */
export function nextStep(questions: readonly Question[], index: number, response: unknown): Step {
  const question = questions[index];
  return stepByKey(questions, index, question ? ruleKeyOf(question, response) : null);
}

/** A path through a survey: the questions in order, and how it ended. */
export type Walk = { path: number[]; end: "end" | "error" | "limit" };

/**
 * Answers a survey from its first question.
 *
 * @param responses by step, not by question; null once they run out
 * @param limit number of steps after which a loop is aborted
 */
export function walk(questions: readonly Question[], responses: readonly unknown[], limit = 1000): Walk {
  const path: number[] = [];
  let at: Step = questions.length > 0 ? 0 : "end";
  while (at !== "end") {
    if (path.length >= limit) return { path, end: "limit" };
    path.push(at);
    try {
      at = nextStep(questions, at, responses[path.length - 1] ?? null);
    } catch (error) {
      if (error instanceof BranchingError) return { path, end: "error" };
      throw error;
    }
  }
  return { path, end: "end" };
}
