import { createHash } from "node:crypto";
import { BranchingError, nextStep, type Step } from "#lib/engines/branching/branching.ts";
import type { Question } from "#lib/engines/branching/question.ts";
import type { Json } from "#lib/engines/json.ts";
import type { Shuffle } from "./card/control.ts";
import { isStraight } from "./card/progress.ts";
import type { FormState, Place } from "./form-state.ts";

/** How many questions one person can answer, so that loops end. */
const PATH_MAX = 500;

const digest = (seed: string, name: string) => createHash("sha256").update(`${seed} ${name}`).digest("hex");

/** A random order, the same for the same seed. */
export const shuffleBy =
  (seed: string): Shuffle =>
  (items) => {
    const ranked = items.map((item, at) => ({ item, rank: digest(seed, String(at)) }));
    return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ item }) => item);
  };

/**
 * The questions in the order in which a person gets them. They are shuffled where the survey asks for
 * that, but not where rules lead from one to another or answers are sent one by one.
 */
export function orderFor(
  survey: { questions: readonly Question[]; appearance: Json; enable_partial_responses: boolean | null },
  submission: string,
): Question[] {
  const { questions, appearance } = survey;
  const mixes =
    appearance.shuffleQuestions === true && !survey.enable_partial_responses && isStraight(questions);
  return mixes ? shuffleBy(submission)(questions) : [...questions];
}

export const placeOf = (questions: readonly Question[], index: number): Place => ({
  index,
  id: String(questions[index]?.id),
});

/** The current place of a question; -1 if it is gone. */
export function find(questions: readonly Question[], { index, id }: Place): number {
  if (String(questions[index]?.id) === id) return index;
  return questions.findIndex((question) => String(question.id) === id);
}

/** Where an answer leads; a rule that does not fit is ignored. */
function stepFrom(questions: readonly Question[], index: number, response: unknown): Step {
  try {
    return nextStep(questions, index, response);
  } catch (error) {
    if (!(error instanceof BranchingError)) throw error;
    return index + 1 < questions.length ? index + 1 : "end";
  }
}

/** The next question of a person, or the end. */
export function nextOf(questions: readonly Question[], state: FormState): Step {
  if (state.path.length >= PATH_MAX) return "end";
  const last = state.path.findLast((place) => find(questions, place) >= 0);
  if (!last) return questions.length > 0 ? 0 : "end";
  return stepFrom(questions, find(questions, last), state.answers[last.id] ?? null);
}
