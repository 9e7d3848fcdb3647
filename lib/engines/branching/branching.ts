/** The fields of a question that branching uses; unvalidated when stored. */
import { isObject } from "#lib/engines/json.ts";
export type BranchingQuestion = {
  question?: unknown;
  type?: unknown;
  optional?: unknown;
  scale?: unknown;
  choices?: unknown;
  hasOpenChoice?: unknown;
  branching?: unknown;
};

/** Where an answer leads: the index of a question, or the end of the survey. */
export type Step = number | "end";

/** The rating buckets that rules branch on, in order. */
export type RatingBucket = "negative" | "neutral" | "positive" | "detractors" | "passives" | "promoters";

/** The rule does not fit the answer, so the next step is undefined. */
export class BranchingError extends Error {
  override name = "BranchingError";
}

/** Upper ends of the buckets by scale. Scale 2 is a pair of thumbs, the first one up. */
const BUCKETS: Record<number, { from: number; buckets: [to: number, bucket: RatingBucket][] }> = {
  2: {
    from: 1,
    buckets: [
      [1, "positive"],
      [2, "negative"],
    ],
  },
  3: {
    from: 1,
    buckets: [
      [1, "negative"],
      [2, "neutral"],
      [3, "positive"],
    ],
  },
  5: {
    from: 1,
    buckets: [
      [2, "negative"],
      [3, "neutral"],
      [5, "positive"],
    ],
  },
  7: {
    from: 1,
    buckets: [
      [3, "negative"],
      [4, "neutral"],
      [7, "positive"],
    ],
  },
  10: {
    from: 0,
    buckets: [
      [6, "detractors"],
      [8, "passives"],
      [10, "promoters"],
    ],
  },
};

/** The buckets of a scale from low to high; empty if it has none. */
export const bucketsOf = (scale: unknown): RatingBucket[] =>
  (typeof scale === "number" ? BUCKETS[scale]?.buckets : undefined)?.map(([, bucket]) => bucket) ?? [];

/** The lowest and the highest answer of a scale; null if it has no buckets. */
export function rangeOf(scale: unknown): { first: number; last: number } | null {
  const found = typeof scale === "number" ? BUCKETS[scale] : undefined;
  const last = found?.buckets.at(-1)?.[0];
  return found && last !== undefined ? { first: found.from, last } : null;
}

/**
 * The bucket of an answer to a rating.
 *
 * @returns null if the scale has no buckets, or the answer is not a whole number on it
 */
export function bucketOf(scale: unknown, answer: unknown): RatingBucket | null {
  const found = typeof scale === "number" ? BUCKETS[scale] : undefined;
  if (!found || typeof answer !== "number" || !Number.isInteger(answer) || answer < found.from) return null;
  return found.buckets.find(([to]) => answer <= to)?.[1] ?? null;
}

type Rules = { type?: unknown; index?: unknown; responseValues?: unknown };

/** The rule key of an answer to a choice: its place in the list; the last one for free text. */
function choiceKey(question: BranchingQuestion, response: unknown): string {
  const { choices } = question;
  if (!Array.isArray(choices)) throw new BranchingError("A question without choices cannot branch on one.");
  const place = choices.indexOf(String(response));
  return String(place < 0 && question.hasOpenChoice ? choices.length - 1 : place);
}

function ratingKey(question: BranchingQuestion, response: unknown): string {
  const bucket = bucketOf(question.scale, response);
  if (bucket) return bucket;
  throw new BranchingError(
    `${JSON.stringify(response)} is no answer on a scale of ${String(question.scale)}.`,
  );
}

/** The branching of a question, unvalidated. */
export const rulesOf = ({ branching }: BranchingQuestion): Rules => (isObject(branching) ? branching : {});

/** The target of a rule key; undefined if there is no rule. */
function targetOf(rules: Rules, key: string | null): unknown {
  if (rules.type === "specific_question") return rules.index;
  const values = rules.responseValues;
  if (rules.type !== "response_based" || key === null || !isObject(values)) return undefined;
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

/**
 * The rule key of an answer: the index of a choice, the bucket of a rating.
 *
 * @returns null if the rules do not depend on the answer
 * @throws BranchingError where the rule and the answer do not fit together
 */
function ruleKeyOf(question: BranchingQuestion, response: unknown): string | null {
  if (rulesOf(question).type !== "response_based") return null;
  if (question.type === "single_choice") return choiceKey(question, response);
  return question.type === "rating" ? ratingKey(question, response) : null;
}

/**
 * The next step after an answer with a rule key; see `nextStep`.
 *
 * @throws BranchingError where there is no such question, or a rule points before the first one
 */
export function stepByKey(questions: readonly BranchingQuestion[], index: number, key: string | null): Step {
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
export function nextStep(questions: readonly BranchingQuestion[], index: number, response: unknown): Step {
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
export function walk(
  questions: readonly BranchingQuestion[],
  responses: readonly unknown[],
  limit = 1000,
): Walk {
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
