import {
  type BranchingQuestion,
  bucketOf,
  bucketsOf,
  type RatingBucket,
  rangeOf,
  rulesOf,
} from "./branching.ts";
import type { AnswerClass } from "./paths-types.ts";

const SKIPPED: AnswerClass = {
  key: "skipped",
  kind: "skipped",
  label: "skipped",
  response: null,
  rule_key: null,
};

/** A sample answer of the question type, if all answers are alike. */
function someAnswer({ type, scale, choices }: BranchingQuestion): unknown {
  const texts = Array.isArray(choices) ? choices : [];
  if (type === "rating") return rangeOf(scale)?.first ?? 1;
  if (type === "multiple_choice") return texts.slice(0, 1);
  if (type === "single_choice") return texts[0] ?? "Something";
  return type === "link" ? "link clicked" : "Something";
}

const anyAnswer = (question: BranchingQuestion): AnswerClass => ({
  key: "answered",
  kind: "answered",
  label: "any answer",
  response: someAnswer(question),
  rule_key: null,
});

function bucketClasses(scale: unknown): AnswerClass[] {
  const range = rangeOf(scale);
  if (!range) return [];
  const answers = Array.from({ length: range.last - range.first + 1 }, (_, i) => range.first + i);
  const of = (bucket: RatingBucket) => answers.filter((answer) => bucketOf(scale, answer) === bucket);
  return bucketsOf(scale).map((bucket) => {
    const [first, last] = [of(bucket)[0], of(bucket).at(-1)];
    const span = first === last ? `${first}` : `${first} to ${last}`;
    return { key: bucket, kind: "bucket", label: `${span} (${bucket})`, response: first, rule_key: bucket };
  });
}

/** A sample free text that matches no choice. */
function typedText(choices: readonly unknown[]): string {
  const taken = new Set(choices);
  let text = "Something else";
  while (taken.has(text)) text += "…";
  return text;
}

function choiceClasses({ choices, hasOpenChoice }: BranchingQuestion): AnswerClass[] {
  if (!Array.isArray(choices)) return [];
  const seen = new Set<string>();
  const classes: AnswerClass[] = [];
  choices.forEach((choice: unknown, index) => {
    const isOpen = Boolean(hasOpenChoice) && index === choices.length - 1;
    const text = String(choice);
    // Answers are matched by text: a second choice with the same text cannot be distinguished.
    if (!isOpen && seen.has(text)) return;
    seen.add(text);
    classes.push({
      key: `choice:${index}`,
      kind: isOpen ? "open_choice" : "choice",
      label: text,
      response: isOpen ? typedText(choices) : text,
      rule_key: String(index),
    });
  });
  return classes;
}

const ruledKinds = new Set<unknown>(["rating", "single_choice"]);

/**
 * The classes of answers that a question's rules can distinguish: a single class unless rules depend on
 * answers. Together they contain every possible answer.
 */
export function classesOf(question: BranchingQuestion): AnswerClass[] {
  if (rulesOf(question).type !== "response_based" || !ruledKinds.has(question.type))
    return [anyAnswer(question)];
  const classes = question.type === "rating" ? bucketClasses(question.scale) : choiceClasses(question);
  const answered = classes.length > 0 ? classes : [anyAnswer(question)];
  return question.optional ? [...answered, SKIPPED] : answered;
}

/**
 * The class of a given answer, for counting traffic for `checkPaths`.
 *
 * @returns a key of `classesOf(question)`; null for an answer that the current question cannot have
 */
export function classOf(question: BranchingQuestion, response: unknown): string | null {
  const classes = classesOf(question);
  const known = (key: string) => (classes.some((found) => found.key === key) ? key : null);
  if (classes.length === 1 && classes[0]?.kind === "answered") return "answered";
  if (response === null || response === undefined || response === "") return known("skipped");
  if (classes[0]?.kind === "answered") return "answered";
  if (question.type === "rating") return bucketOf(question.scale, response);
  const choices = Array.isArray(question.choices) ? question.choices : [];
  const index = choices.indexOf(String(response));
  return known(`choice:${index < 0 && question.hasOpenChoice ? choices.length - 1 : index}`);
}
