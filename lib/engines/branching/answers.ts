import { bucketOf, bucketsOf, type RatingBucket, rangeOf } from "./buckets.ts";
import type { AnswerClass } from "./paths-types.ts";
import { type Question, type QuestionOf, type QuestionType, rulesOf } from "./question.ts";

/** The rule does not fit the answer, so the next step is undefined. */
export class BranchingError extends Error {
  override name = "BranchingError";
}

/** How rules tell the answers to a question apart. */
interface AnswerRules<Q> {
  /** What a rule names: a bucket of ratings, or the place of a choice. */
  by: "bucket" | "choice";
  /** The answers that a rule can name; none if the question cannot have rules by answer. */
  classes(question: Q): AnswerClass[];
  /** The key of the class of an answer that is not skipped; null for one that the question cannot have. */
  classKey(question: Q, response: unknown): string | null;
  /** The rule key of an answer. @throws BranchingError where there is none */
  ruleKey(question: Q, response: unknown): string;
  /** The texts behind numbered rule keys. */
  texts(question: Q): readonly unknown[];
  /** What a question without classes has not. */
  needs: string;
}

const listOf = (choices: unknown): readonly unknown[] => (Array.isArray(choices) ? choices : []);

const BY_BUCKET: AnswerRules<QuestionOf<"rating">> = {
  by: "bucket",
  classes({ scale }) {
    const range = rangeOf(scale);
    if (!range) return [];
    const answers = Array.from({ length: range.last - range.first + 1 }, (_, i) => range.first + i);
    const of = (bucket: RatingBucket) => answers.filter((answer) => bucketOf(scale, answer) === bucket);
    return bucketsOf(scale).map((bucket) => {
      const [first, last] = [of(bucket)[0], of(bucket).at(-1)];
      const span = first === last ? `${first}` : `${first} to ${last}`;
      return { key: bucket, kind: "bucket", label: `${span} (${bucket})`, response: first, rule_key: bucket };
    });
  },
  classKey: ({ scale }, response) => bucketOf(scale, response),
  ruleKey({ scale }, response) {
    const bucket = bucketOf(scale, response);
    if (bucket) return bucket;
    throw new BranchingError(`${JSON.stringify(response)} is no answer on a scale of ${String(scale)}.`);
  },
  texts: () => [],
  needs: "scale that rules support",
};

/** A sample free text that matches no choice. */
function typedText(choices: readonly unknown[]): string {
  const taken = new Set(choices);
  let text = "Something else";
  while (taken.has(text)) text += "…";
  return text;
}

/** The place of the choice that an answer means: the last one for free text; -1 if there is none. */
function placeOf({ choices, hasOpenChoice }: QuestionOf<"single_choice">, response: unknown): number {
  const list = listOf(choices);
  const place = list.indexOf(String(response));
  return place < 0 && hasOpenChoice ? list.length - 1 : place;
}

const BY_CHOICE: AnswerRules<QuestionOf<"single_choice">> = {
  by: "choice",
  classes({ choices, hasOpenChoice }) {
    const list = listOf(choices);
    const seen = new Set<string>();
    return list.flatMap((choice, index): AnswerClass[] => {
      const isOpen = Boolean(hasOpenChoice) && index === list.length - 1;
      const text = String(choice);
      // Answers are matched by text: a second choice with the same text cannot be distinguished.
      if (!isOpen && seen.has(text)) return [];
      seen.add(text);
      const response = isOpen ? typedText(list) : text;
      const kind = isOpen ? "open_choice" : "choice";
      return [{ key: `choice:${index}`, kind, label: text, response, rule_key: String(index) }];
    });
  },
  classKey: (question, response) => `choice:${placeOf(question, response)}`,
  ruleKey(question, response) {
    if (!Array.isArray(question.choices))
      throw new BranchingError("A question without choices cannot branch on one.");
    return String(placeOf(question, response));
  },
  texts: ({ choices }) => listOf(choices),
  needs: "choices",
};

/** What branching needs to know of a kind of question. */
interface Answers<Q> {
  /** A sample answer, where all answers are alike. */
  sample(question: Q): unknown;
  /** Null if its rules cannot depend on the answer. */
  rules: AnswerRules<Q> | null;
}

const ANSWERS: { [Type in QuestionType]: Answers<QuestionOf<Type>> } = {
  open: { sample: () => "Something", rules: null },
  link: { sample: () => "link clicked", rules: null },
  rating: { sample: ({ scale }) => rangeOf(scale)?.first ?? 1, rules: BY_BUCKET },
  single_choice: { sample: ({ choices }) => listOf(choices)[0] ?? "Something", rules: BY_CHOICE },
  multiple_choice: { sample: ({ choices }) => listOf(choices).slice(0, 1), rules: null },
};

/** The type of a question; null for an unknown one. */
export const typeOf = ({ type }: Question): QuestionType | null =>
  typeof type === "string" && Object.hasOwn(ANSWERS, type) ? type : null;

const UNKNOWN = ANSWERS.open;

function answersOf(question: Question): Answers<Question> {
  const type = typeOf(question);
  return type === null ? UNKNOWN : ANSWERS[type];
}

/** What rules by answer to a question would name; null if it cannot have any. */
export const ruledBy = (question: Question): AnswerRules<Question>["by"] | null =>
  answersOf(question).rules?.by ?? null;

/** How rules by answer tell the answers to a question apart; null if it has no such rules. */
export const answerRulesOf = (question: Question): AnswerRules<Question> | null =>
  rulesOf(question).type === "response_based" ? answersOf(question).rules : null;

const SKIPPED: AnswerClass = {
  key: "skipped",
  kind: "skipped",
  label: "skipped",
  response: null,
  rule_key: null,
};

const anyAnswer = (question: Question): AnswerClass => ({
  key: "answered",
  kind: "answered",
  label: "any answer",
  response: answersOf(question).sample(question),
  rule_key: null,
});

/**
 * The classes of answers that a question's rules can distinguish: a single class unless rules depend on
 * answers. Together they contain every possible answer.
 */
export function classesOf(question: Question): AnswerClass[] {
  const rules = answerRulesOf(question);
  if (!rules) return [anyAnswer(question)];
  const classes = rules.classes(question);
  const answered = classes.length > 0 ? classes : [anyAnswer(question)];
  return question.optional ? [...answered, SKIPPED] : answered;
}

/**
 * The class of a given answer, for counting traffic for `checkPaths`.
 *
 * @returns a key of `classesOf(question)`; null for an answer that the current question cannot have
 */
export function classOf(question: Question, response: unknown): string | null {
  const classes = classesOf(question);
  const known = (key: string | null) => (classes.some((found) => found.key === key) ? key : null);
  if (classes.length === 1 && classes[0]?.kind === "answered") return "answered";
  if (response === null || response === undefined || response === "") return known("skipped");
  if (classes[0]?.kind === "answered") return "answered";
  return known(answerRulesOf(question)?.classKey(question, response) ?? null);
}

/**
 * The rule key of an answer: the index of a choice, the bucket of a rating.
 *
 * @returns null if the rules do not depend on the answer
 * @throws BranchingError where the rule and the answer do not fit together
 */
export const ruleKeyOf = (question: Question, response: unknown): string | null =>
  answerRulesOf(question)?.ruleKey(question, response) ?? null;
