import { nextStep } from "#lib/surveys/branching.ts";
import { ratingOf } from "#lib/surveys/ratings.ts";

/** What coding reads of a question; nothing about it was checked when it was stored. */
export type CodedQuestion = {
  id?: unknown;
  question?: unknown;
  type?: unknown;
  scale?: unknown;
  choices?: unknown;
  hasOpenChoice?: unknown;
  branching?: unknown;
};

/** Non-blank answers by what follows "$survey_response_" in the name of their property; "" where nothing does. */
export type Answers = Record<string, unknown>;

/** Codes beside numbers: no answer; an answer that is no number on the scale; a text of a person's own. */
export const NONE = "";
export const OFF_SCALE = "?";
export const OTHER = "o";
/** Of a question that is neither a rating nor a choice: there is an answer. */
const SOME = "1";

const SCALES: Record<number, readonly [first: number, last: number]> = {
  2: [1, 2],
  3: [1, 3],
  5: [1, 5],
  7: [1, 7],
  10: [0, 10],
};

/** The lowest and the highest answer of a rating; null for what is no rating on a known scale. */
export const rangeOfRating = ({ type, scale }: CodedQuestion): readonly [number, number] | null =>
  type === "rating" && typeof scale === "number" ? (SCALES[scale] ?? null) : null;

export const isChoice = ({ type }: CodedQuestion): boolean =>
  type === "single_choice" || type === "multiple_choice";

/** The choices that can be picked as they stand: all but the open one, each once, in their order. */
export function choicesOf({ choices, hasOpenChoice }: CodedQuestion): string[] {
  const listed = Array.isArray(choices) ? choices.map(String) : [];
  return [...new Set(hasOpenChoice ? listed.slice(0, -1) : listed)];
}

/** Texts of an answer to a choice. */
export const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value])
    .filter((item) => typeof item === "string" || typeof item === "number" || typeof item === "boolean")
    .map((item) => String(item).trim())
    .filter((text) => text !== "");

/** The name that older SDKs give the answer to a question, by its place. */
export const placeKey = (index: number): string => (index === 0 ? "" : String(index));

/** The answer to a question: by its id; by its place, of older SDKs; undefined where there is none. */
export const answerTo = (question: CodedQuestion, index: number, answers: Answers): unknown =>
  (typeof question.id === "string" && Object.hasOwn(answers, question.id)
    ? answers[question.id]
    : undefined) ?? (Object.hasOwn(answers, placeKey(index)) ? answers[placeKey(index)] : undefined);

function codeOf(question: CodedQuestion, answer: unknown, places: ReadonlyMap<string, number>): string {
  if (answer === undefined) return NONE;
  const range = rangeOfRating(question);
  if (range) {
    const rating = ratingOf(answer);
    return rating !== null && rating >= range[0] && rating <= range[1] ? String(rating) : OFF_SCALE;
  }
  if (!isChoice(question)) return SOME;
  const texts = textsOf(answer);
  const picked = new Set<number>();
  let other = false;
  for (const text of texts) {
    const place = places.get(text);
    if (place === undefined) other = true;
    else picked.add(place);
  }
  const codes = [...picked].sort((a, b) => a - b).map(String);
  return texts.length === 0 ? NONE : [...codes, ...(other ? [OTHER] : [])].join(",");
}

/** A survey's questions, made ready for coding many responses. */
export type Coder = { questions: readonly CodedQuestion[]; places: readonly ReadonlyMap<string, number>[] };

export const coderOf = (questions: readonly CodedQuestion[]): Coder => ({
  questions,
  places: questions.map((question) => new Map(choicesOf(question).map((choice, i) => [choice.trim(), i]))),
});

/**
 * The codes of a response's answers, one a question: "" for none; a rating's number, "?" off the scale; the places
 * of the choices picked, separated by commas, "o" for a text of the person's own; "1" for any other answer.
 */
export const codesOf = ({ questions, places }: Coder, answers: Answers): string[] =>
  questions.map((question, i) => codeOf(question, answerTo(question, i, answers), places[i] ?? new Map()));

/** Where an answer leads; a rule that cannot be followed goes on to the next question, as on the phones. */
function stepAfter(questions: readonly CodedQuestion[], at: number, answer: unknown): number | "end" {
  try {
    const rating = ratingOf(answer);
    return nextStep(questions, at, questions[at]?.type === "rating" && rating !== null ? rating : answer);
  } catch {
    return at + 1 < questions.length ? at + 1 : "end";
  }
}

/**
 * The questions that a respondent saw, in order: the way on which branching leads from answer to answer. An
 * unfinished response ends at the question that waits for its answer. Where the answers are on no such way
 * (shuffled questions, a survey changed since), the questions that were answered, in the survey's order.
 */
export function pathOf({ questions }: Coder, answers: Answers, completed: boolean): number[] {
  const given = questions.map((question, i) => answerTo(question, i, answers));
  const waiting = new Set(given.flatMap((answer, i) => (answer === undefined ? [] : [i])));
  const answered = [...waiting];
  const path: number[] = [];
  const seen = new Set<number>();
  let at: number | "end" = questions.length > 0 ? 0 : "end";
  while (at !== "end" && !seen.has(at)) {
    path.push(at);
    seen.add(at);
    if (!completed && waiting.size === 0) break;
    waiting.delete(at);
    at = stepAfter(questions, at, given[at] ?? null);
  }
  return waiting.size === 0 ? path : answered;
}

/** The steps of a path, from "start" to "end", or to "left" where it was not finished. */
export function edgesOf(path: readonly number[], completed: boolean): string[] {
  if (path.length === 0) return [];
  const stops = ["start", ...path, completed ? "end" : "left"];
  return stops.slice(1).map((stop, i) => `${stops[i]}>${stop}`);
}

/** The question that an unfinished response left without an answer; null where it is finished or has them all. */
export function waitingAt(of: { codes: readonly string[]; path: readonly number[]; completed: boolean }) {
  const last = of.completed ? undefined : of.path.at(-1);
  return last !== undefined && of.codes[last] === NONE ? last : null;
}

/** What of questions decides codes and paths, as text: equal texts, equal codings. */
export const codingOf = (questions: readonly CodedQuestion[]): string =>
  JSON.stringify(
    questions.map(({ id, type, scale, choices, hasOpenChoice, branching }) => [
      id,
      type,
      scale,
      choices,
      hasOpenChoice,
      branching,
    ]),
  );
