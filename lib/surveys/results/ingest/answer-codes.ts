import { ruledBy } from "#lib/engines/branching/answers.ts";
import { nextStep, rangeOf, stepByKey } from "#lib/engines/branching/branching.ts";
import { ratingOf } from "#lib/engines/branching/ratings.ts";
import {
  type ChoiceReader,
  choiceReader,
  formerChoices,
  listedChoices,
  type RecordedQuestion,
  readingOf,
} from "#lib/surveys/surveys/questions/choices.ts";
import { textsOf } from "#lib/surveys/surveys/questions/question_kinds/choices.ts";
import { kindOf } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";

export { textsOf } from "#lib/surveys/surveys/questions/question_kinds/choices.ts";
export { OFF_SCALE, OTHER } from "#lib/surveys/surveys/questions/question_kinds/kind.ts";

/** A question whose answers are encoded. */
export type CodedQuestion = RecordedQuestion;

/** Non-blank answers by the rest of the property name after "$survey_response_" ("" for none). */
export type Answers = Record<string, unknown>;

/** The code of no answer. */
export const NONE = "";

/** The lowest and the highest answer of a rating; null if it is not a rating on a known scale. */
export function rangeOfRating(question: CodedQuestion): readonly [number, number] | null {
  const range = kindOf(question).figures(question) === "rating" ? rangeOf(question.scale) : null;
  return range && [range.first, range.last];
}

export const isChoice = (question: CodedQuestion): boolean => kindOf(question).figures(question) === "choice";

/** The texts of the choices except the open one, each once, in order. */
export const choicesOf = (question: CodedQuestion): string[] =>
  listedChoices(question).map(({ text }) => text);

/** Former choices of the question, by slot. */
export const formersOf = (question: CodedQuestion): { slot: string; text: string; label: string }[] =>
  formerChoices(question).map(({ text }, i) => ({ slot: `f${i}`, text, label: `${text} (former choice)` }));

/** The key that older SDKs use for the answer to a question, by its place. */
export const placeKey = (index: number): string => (index === 0 ? "" : String(index));

/** The answer to a question: by its id, or (older SDKs) by its place; undefined if there is none. */
export const answerTo = (question: CodedQuestion, index: number, answers: Answers): unknown =>
  (typeof question.id === "string" && Object.hasOwn(answers, question.id)
    ? answers[question.id]
    : undefined) ?? (Object.hasOwn(answers, placeKey(index)) ? answers[placeKey(index)] : undefined);

/** The slots that texts mean now, and the texts that no choice has or had. */
export function slotsFor(
  question: CodedQuestion,
  texts: readonly string[],
): { slots: string[]; own: string[] } {
  const read = choiceReader(question);
  const found = texts.map((text) => ({ text: text.trim(), slot: read(text, Number.MAX_SAFE_INTEGER) }));
  return {
    slots: found.flatMap(({ slot }) => slot ?? []),
    own: found.flatMap(({ text, slot }) => (slot === null ? [text] : [])),
  };
}

/** The slots of former choices with some texts. */
export const formerSlots = (question: CodedQuestion, texts: readonly string[]): string[] => {
  const wanted = new Set(texts.map((text) => text.trim()));
  return formersOf(question).flatMap(({ slot, text }) => (wanted.has(text) ? [slot] : []));
};

/** The current text of each slot. */
function labelsOf(question: CodedQuestion): Map<string, string> {
  const listed = choicesOf(question).map((text, i): [string, string] => [String(i), text]);
  return new Map([
    ...listed,
    ...formersOf(question).map(({ slot, label }): [string, string] => [slot, label]),
  ]);
}

/** The slots of choices whose current texts contain some text. */
export function slotsContaining(question: CodedQuestion, texts: readonly string[]): string[] {
  const wanted = texts.map((text) => text.toLowerCase());
  const holds = (label: string) => wanted.some((text) => label.toLowerCase().includes(text));
  const listed = choicesOf(question).flatMap((text, i) => (holds(text) ? [String(i)] : []));
  return [...listed, ...formersOf(question).flatMap(({ slot, text }) => (holds(text) ? [slot] : []))];
}

type Wording = { read: ChoiceReader; labels: ReadonlyMap<string, string> };

/** Made once for many answers to a question. */
const wordings = new WeakMap<CodedQuestion, Wording>();

function wordingOf(question: CodedQuestion): Wording {
  const wording = wordings.get(question) ?? { read: choiceReader(question), labels: labelsOf(question) };
  wordings.set(question, wording);
  return wording;
}

/**
 * An answer with the current texts of its choices, as it is counted; other answers unchanged.
 *
 * @param at when the answer was recorded, in milliseconds since the epoch
 */
export function countedAnswer(question: CodedQuestion, value: unknown, at: number): unknown {
  if (!isChoice(question)) return value;
  const { read, labels } = wordingOf(question);
  const worded = (item: unknown): unknown => {
    const [text] = textsOf(item);
    if (text === undefined || Array.isArray(item)) return item;
    const label = labels.get(read(text, at) ?? "");
    return label === undefined || label.trim() === text ? item : label;
  };
  return Array.isArray(value) ? value.map(worded) : worded(value);
}

/** A survey's questions, prepared for encoding many responses. */
export type Coder = { questions: readonly CodedQuestion[]; readers: readonly ChoiceReader[] };

export const createCoder = (questions: readonly CodedQuestion[]): Coder => ({
  questions,
  readers: questions.map(choiceReader),
});

const NO_READER: ChoiceReader = () => null;

/**
 * The codes of a response's answers, one per question: "" for none; a rating's number, "?" off the scale; the
 * slots of the choices picked, separated by commas: a choice's place, "f" and a number for a former choice,
 * "o" for a free text; "1" for any other answer.
 *
 * @param at when the answers were recorded, in milliseconds since the epoch; see `choiceReader`
 */
export const encodeAnswers = ({ questions, readers }: Coder, answers: Answers, at: number): string[] =>
  questions.map((question, i) => {
    const answer = answerTo(question, i, answers);
    return answer === undefined
      ? NONE
      : kindOf(question).encode(question, answer, readers[i] ?? NO_READER, at);
  });

/** Where an answer to a single choice leads: by the rule of the choice it means, whatever its text was. */
function stepAfterChoice(
  questions: readonly CodedQuestion[],
  index: number,
  answer: unknown,
  slot: string | null,
): number | "end" {
  if (slot === null) return nextStep(questions, index, answer);
  // A former choice has no rule.
  if (slot.startsWith("f")) return stepByKey(questions, index, null);
  const text = choicesOf(questions[index] ?? {})[Number(slot)];
  return nextStep(questions, index, text?.trim() === answer ? answer : text);
}

/** Where an answer leads; a rule that cannot be followed leads to the next question, as in mobile SDKs. */
function stepAfter({ questions, readers }: Coder, index: number, answer: unknown, at: number) {
  const by = ruledBy(questions[index] ?? {});
  try {
    if (by === "choice") {
      const [text, ...others] = textsOf(answer);
      const isPlain = text !== undefined && others.length === 0 && String(answer) === text;
      const slot = isPlain ? (readers[index] ?? NO_READER)(text, at) : null;
      return stepAfterChoice(questions, index, isPlain ? text : answer, slot);
    }
    const rating = ratingOf(answer);
    return nextStep(questions, index, by === "bucket" && rating !== null ? rating : answer);
  } catch {
    return index + 1 < questions.length ? index + 1 : "end";
  }
}

/**
 * The questions that a respondent saw, in order: the path along which branching leads from answer to answer.
 * An unfinished response ends at the unanswered question. If the answers fit no such path (shuffled
 * questions, an edited survey), the answered questions in the survey's order.
 *
 * @param recorded when the answers were recorded, in milliseconds since the epoch
 */
export function tracePath(coder: Coder, answers: Answers, completed: boolean, recorded: number): number[] {
  const { questions } = coder;
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
    at = stepAfter(coder, at, given[at] ?? null, recorded);
  }
  return waiting.size === 0 ? path : answered;
}

/** The slots of an answer that was given. */
export const slotsOf = (code: string): string[] => code.split(",");

/** A step of a path: between questions, from the start, to the end, or to nowhere if unfinished. */
export type Step = { from: number | "start"; to: number | "end" | "left" };

/** The steps of a path. */
export function edgesOf(path: readonly number[], completed: boolean): Step[] {
  if (path.length === 0) return [];
  const ends = completed ? ("end" as const) : ("left" as const);
  const starts = ["start" as const, ...path];
  return starts.map((from, i) => ({ from, to: path[i] ?? ends }));
}

/** The question that an unfinished response left unanswered; null if finished or all are answered. */
export function waitingAt(of: { codes: readonly string[]; path: readonly number[]; completed: boolean }) {
  const last = of.completed ? undefined : of.path.at(-1);
  return last !== undefined && of.codes[last] === NONE ? last : null;
}

/** A fingerprint of the questions: equal fingerprints give equal codes and paths. */
export const codingFingerprint = (questions: readonly CodedQuestion[]): string =>
  JSON.stringify(
    questions.map((question) => {
      const { id, type, scale, choices, hasOpenChoice, branching } = question;
      const reading = isChoice(question) ? readingOf(question) : null;
      return [id, type, scale, choices, hasOpenChoice, branching, reading];
    }),
  );
