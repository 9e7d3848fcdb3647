import type { AnswerCondition } from "#lib/survey_results/filters_schema.ts";
import { bucketsOf, rangeOf } from "#lib/surveys/branching.ts";
import type { Question } from "#lib/surveys/questions.ts";

type Operator = AnswerCondition["operator"];

const ATTENDED: Operator[] = ["is_set", "is_not_set", "reached", "skipped", "left"];

const BY_TYPE: Record<string, Operator[]> = {
  rating: ["bucket", "exact", "is_not", "gte", "lte", "off_scale", ...ATTENDED],
  single_choice: ["exact", "is_not", "former", "other", ...ATTENDED],
  multiple_choice: ["exact", "is_not", "former", "other", ...ATTENDED],
  open: ["icontains", "not_icontains", "exact", ...ATTENDED],
  link: ["is_set", "is_not_set", "reached", "skipped", "left"],
};

/** What can be asked of the answers to a question. */
export function operatorsFor(question: Question | undefined): Operator[] {
  const known = BY_TYPE[String(question?.type)] ?? ["exact", "is_not", ...ATTENDED];
  return bucketsOf(question?.scale).length > 0 ? known : known.filter((each) => each !== "bucket");
}

const ALONE: ReadonlySet<Operator> = new Set([
  "is_set",
  "is_not_set",
  "other",
  "off_scale",
  "reached",
  "skipped",
  "left",
]);

export const needsValue = (operator: Operator): boolean => !ALONE.has(operator);

/** The values that a question offers, in their order; none where people write freely. */
export function valuesFor(question: Question | undefined, operator: Operator): string[] {
  // The question does not know what its former choices were called.
  if (!question || operator === "former") return [];
  if (operator === "bucket") return bucketsOf(question.scale);
  const range = question.type === "rating" ? rangeOf(question.scale) : null;
  if (range)
    return Array.from({ length: range.last - range.first + 1 }, (_, place) => String(range.first + place));
  const choices = Array.isArray(question.choices) ? question.choices.map(String) : [];
  return question.hasOpenChoice ? choices.slice(0, -1) : choices;
}

/** A condition to begin with. */
export function newCondition(question: Question): AnswerCondition {
  return { question_id: question.id, operator: operatorsFor(question)[0] ?? "is_set", value: [] };
}

export const isWhole = ({ operator, value }: AnswerCondition): boolean =>
  !needsValue(operator) || (value.length > 0 && value.every((each) => each.trim() !== ""));
