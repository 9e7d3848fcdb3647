import { createHash } from "node:crypto";
import { BranchingError, nextStep, type Step } from "#lib/engines/branching/branching.ts";
import type { Json } from "#lib/engines/json.ts";
import type { FormState, Place } from "./form-state.ts";
import type { QuestionView } from "./view.ts";

/** How many questions one person can answer, so that loops end. */
const PATH_MAX = 500;

const digest = (seed: string, name: string) => createHash("sha256").update(`${seed} ${name}`).digest("hex");

/** A random order, the same for the same seed. */
function shuffled<T>(items: readonly T[], seed: string): T[] {
  const ranked = items.map((item, at) => ({ item, rank: digest(seed, String(at)) }));
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ item }) => item);
}

const isRuled = (question: Json) => question.branching !== null && question.branching !== undefined;

/**
 * The questions in the order in which a person gets them. They are shuffleChoices where the survey asks for
 * that, but not where rules lead from one to another or answers are sent one by one.
 */
export function orderFor(
  survey: { questions: readonly Json[]; appearance: Json; enable_partial_responses: boolean | null },
  submission: string,
): Json[] {
  const { questions, appearance } = survey;
  const mixes =
    appearance.shuffleQuestions === true && !survey.enable_partial_responses && !questions.some(isRuled);
  return mixes ? shuffled(questions, submission) : [...questions];
}

/** The question with its choices in the order in which a person gets them; the open one stays last. */
export function shuffleChoices(view: QuestionView, question: Json, submission: string): QuestionView {
  if (view.kind !== "choice" || question.shuffleOptions !== true) return view;
  const listed = view.choices.filter((choice) => !choice.isOpen);
  const own = view.choices.filter((choice) => choice.isOpen);
  return { ...view, choices: [...shuffled(listed, `${submission} ${view.id}`), ...own] };
}

export const placeOf = (questions: readonly Json[], index: number): Place => ({
  index,
  id: String(questions[index]?.id),
});

/** The current place of a question; -1 if it is gone. */
export function find(questions: readonly Json[], { index, id }: Place): number {
  if (String(questions[index]?.id) === id) return index;
  return questions.findIndex((question) => String(question.id) === id);
}

/** Where an answer leads; a rule that does not fit is ignored. */
function stepFrom(questions: readonly Json[], index: number, response: unknown): Step {
  try {
    return nextStep(questions, index, response);
  } catch (error) {
    if (!(error instanceof BranchingError)) throw error;
    return index + 1 < questions.length ? index + 1 : "end";
  }
}

/** The next question of a person, or the end. */
export function nextOf(questions: readonly Json[], state: FormState): Step {
  if (state.path.length >= PATH_MAX) return "end";
  const last = state.path.findLast((place) => find(questions, place) >= 0);
  if (!last) return questions.length > 0 ? 0 : "end";
  return stepFrom(questions, find(questions, last), state.answers[last.id] ?? null);
}

/** Every place that some answer leads to. */
function targetsOf(questions: readonly Json[], index: number): Set<number> {
  const rules = questions[index]?.branching as Json | null | undefined;
  const past = index + 1;
  if (!rules) return new Set([past]);
  if (rules.type === "end") return new Set([questions.length]);
  const named =
    rules.type === "specific_question" ? [rules.index] : Object.values(rules.responseValues ?? {});
  const targets = named.map((target) => (target === "end" ? questions.length : target));
  const isWhole = (target: unknown): target is number => Number.isInteger(target);
  const falls = rules.type !== "specific_question" || !isWhole(rules.index);
  return new Set([...targets.filter(isWhole).filter((target) => target >= 0), ...(falls ? [past] : [])]);
}

/** The maximum number of remaining questions, including this one; a loop counts once. */
export function remaining(questions: readonly Json[], index: number): number {
  const known = new Map<number, number>();
  const longest = (at: number): number => {
    if (at >= questions.length) return 0;
    const found = known.get(at);
    if (found !== undefined) return found;
    known.set(at, 0);
    const length = 1 + Math.max(...[...targetsOf(questions, at)].map(longest), 0);
    known.set(at, length);
    return length;
  };
  return longest(index);
}

/** Whether every person gets every question. */
export const isStraight = (questions: readonly Json[]): boolean => !questions.some(isRuled);
