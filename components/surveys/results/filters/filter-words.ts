import type { StoredQuestion } from "#lib/engines/branching/question.ts";
import { type Names, rowTokens, type Token } from "#lib/people/conditions/words.ts";
import { formatFullDay } from "#lib/platform/format.ts";
import type { AnswerCondition, FieldCondition } from "#lib/surveys/results/filters-schema.ts";
import type { ResultsQuery } from "./results-query.ts";

const word = (text: string): Token => ({ text, kind: "word" });
const value = (text: string): Token => ({ text, kind: "value" });

/** Operators of answer conditions in words. */
export const ANSWER_WORDS: Record<AnswerCondition["operator"], string> = {
  exact: "is",
  is_not: "is not",
  icontains: "contains",
  not_icontains: "does not contain",
  gte: "is at least",
  lte: "is at most",
  is_set: "was answered",
  is_not_set: "was not answered",
  bucket: "is among",
  former: "is the former choice",
  other: "is free text",
  off_scale: "is not on the scale",
  reached: "was reached",
  skipped: "was skipped",
  left: "was where they stopped",
};

/** Operators of conditions on hidden fields in words. */
export const FIELD_WORDS: Record<FieldCondition["operator"], string> = {
  exact: ANSWER_WORDS.exact,
  is_not: ANSWER_WORDS.is_not,
  icontains: ANSWER_WORDS.icontains,
  not_icontains: ANSWER_WORDS.not_icontains,
  is_set: "is set",
  is_not_set: "is not set",
};

const LONGEST = 48;
const LONGEST_LIST = 4;

export const shortened = (text: string, longest = LONGEST): string =>
  text.length > longest ? `${text.slice(0, longest - 1).trimEnd()}…` : text;

/** What a question is called in a sentence. */
const questionName = (questions: readonly StoredQuestion[], id: string): string => {
  const found = questions.find((question) => question.id === id);
  return found ? shortened(found.question) : "a deleted question";
};

/** The values of a condition, one of which must match. */
function valueTokens(values: readonly string[]): Token[] {
  const shown = values.slice(0, LONGEST_LIST).map((each) => shortened(each));
  const rest = values.length - shown.length;
  return shown.length > 0 ? [value(`${shown.join(" or ")}${rest > 0 ? ` or ${rest} more` : ""}`)] : [];
}

/** A condition on an answer as a sentence. */
const answerTokens = (condition: AnswerCondition, questions: readonly StoredQuestion[]): Token[] => [
  value(`“${questionName(questions, condition.question_id)}”`),
  word(ANSWER_WORDS[condition.operator]),
  ...valueTokens(condition.value),
];

/** A condition on a hidden field as a sentence. */
const fieldTokens = ({ name, operator, value: values }: FieldCondition): Token[] => [
  value(shortened(name)),
  word(FIELD_WORDS[operator]),
  ...valueTokens(values),
];

export const dayInWords = (day: string): string => formatFullDay(Date.parse(`${day}T00:00:00Z`));

/** The dates of a filter in words; null if it has none. */
export function datesInWords({
  date_from,
  date_to,
}: Pick<ResultsQuery, "date_from" | "date_to">): string | null {
  if (date_from && date_to)
    return date_from === date_to
      ? `on ${dayInWords(date_from)}`
      : `from ${dayInWords(date_from)} to ${dayInWords(date_to)}`;
  if (date_from) return `since ${dayInWords(date_from)}`;
  return date_to ? `until ${dayInWords(date_to)}` : null;
}

const iterationInWords = (iteration: string): string =>
  iteration === "0" ? "outside any iteration" : `of iteration ${iteration}`;

/** A part of the filter, and the query without it. */
export type FilterPart = { key: string; tokens: Token[]; without: Partial<ResultsQuery> };

/** The filter in words, part by part. */
export function filterParts(
  query: ResultsQuery,
  questions: readonly StoredQuestion[],
  names: Names,
): FilterPart[] {
  const dates = datesInWords(query);
  return [
    ...(dates ? [{ key: "dates", tokens: [word(dates)], without: { date_from: "", date_to: "" } }] : []),
    ...(query.iteration
      ? [{ key: "iteration", tokens: [word(iterationInWords(query.iteration))], without: { iteration: "" } }]
      : []),
    ...query.people.map((row, place) => ({
      key: `people ${place}`,
      tokens: rowTokens(row, names),
      without: { people: query.people.filter((_, each) => each !== place) },
    })),
    ...query.answers.map((condition, place) => ({
      key: `answer ${place}`,
      tokens: answerTokens(condition, questions),
      without: { answers: query.answers.filter((_, each) => each !== place) },
    })),
    ...query.fields.map((condition, place) => ({
      key: `field ${place}`,
      tokens: fieldTokens(condition),
      without: { fields: query.fields.filter((_, each) => each !== place) },
    })),
  ];
}
