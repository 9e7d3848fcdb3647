import type { Row } from "#lib/surveys/results/count/responses-store.ts";
import type { TableQuestion } from "#lib/surveys/results/count/tables.ts";
import {
  answerTo,
  OTHER,
  rangeOfRating,
  slotsFor,
  textsOf,
} from "#lib/surveys/results/ingest/answer-codes.ts";
import { formerChoices, listedChoices } from "#lib/surveys/surveys/questions/choices.ts";
import { kindOf } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";

type Cell = string | number | null;

/** What a value of a column means; "" for any value. */
type Meaning = { value: Cell; meaning: string };

/** A column of a file for analysis: named for good, whatever its question says. */
export type CodedColumn = {
  name: string;
  question: TableQuestion;
  cellOf: (row: Row) => Cell;
  values: Meaning[];
};

type Choice = { slot: string; id: string; text: string };

/** The choices of a question, former ones included. */
const choicesOf = (question: TableQuestion): Choice[] => [
  ...listedChoices(question).map(({ id, text }, place) => ({ slot: String(place), id, text })),
  ...formerChoices(question).map(({ text, ids }, place) => ({
    slot: `f${place}`,
    id: ids[0] ?? "",
    text: `${text} (former choice)`,
  })),
];

const partsOf = (row: Row, index: number): string[] =>
  (row.codes[index] ?? "").split(",").filter((part) => part !== "");

const textAt = (question: TableQuestion, index: number, row: Row): string[] =>
  textsOf(answerTo(question, index, row.answers));

/** The texts that no choice has. */
function ownTexts(name: string, question: TableQuestion, index: number): CodedColumn {
  return {
    name: `${name}_text`,
    question,
    cellOf: (row) =>
      partsOf(row, index).includes(OTHER)
        ? slotsFor(question, textAt(question, index, row)).own.join("; ")
        : null,
    values: [{ value: "", meaning: "The answer in own words" }],
  };
}

function severalColumns(name: string, question: TableQuestion, index: number): CodedColumn[] {
  const all = [...choicesOf(question), { slot: OTHER, id: "other", text: "Another answer" }];
  const columns = all.map(({ slot, id, text }) => ({
    name: `${name}_${id}`,
    question,
    cellOf: (row: Row) => {
      const parts = partsOf(row, index);
      return parts.length === 0 ? null : Number(parts.includes(slot));
    },
    values: [
      { value: 1, meaning: text },
      { value: 0, meaning: `Not: ${text}` },
    ],
  }));
  return [...columns, ownTexts(name, question, index)];
}

function choiceColumns(name: string, question: TableQuestion, index: number): CodedColumn[] {
  const choices = choicesOf(question);
  const ids = new Map([...choices.map(({ slot, id }) => [slot, id] as const), [OTHER, "other"]]);
  const chosen = {
    name,
    question,
    cellOf: (row: Row) =>
      partsOf(row, index)
        .map((part) => ids.get(part) ?? part)
        .join("; ") || null,
    values: [
      ...choices.map(({ id, text }) => ({ value: id, meaning: text })),
      { value: "other", meaning: "Another answer" },
    ],
  };
  return [chosen, ownTexts(name, question, index)];
}

function ratingColumn(
  name: string,
  question: TableQuestion,
  index: number,
  range: readonly [number, number],
): CodedColumn {
  const [first, last] = range;
  const label = (value: number) =>
    String(
      (value === first && question.lowerBoundLabel) || (value === last && question.upperBoundLabel) || value,
    );
  return {
    name,
    question,
    cellOf: (row) => {
      const [part] = partsOf(row, index);
      return part !== undefined && /^\d+$/.test(part) ? Number(part) : null;
    },
    values: Array.from({ length: last - first + 1 }, (_, step) => ({
      value: first + step,
      meaning: label(first + step),
    })),
  };
}

/** The columns of a question, in the order of a file. */
function columnsFor(question: TableQuestion, index: number): CodedColumn[] {
  const name = `q${index + 1}`;
  const range = rangeOfRating(question);
  if (range) return [ratingColumn(name, question, index, range)];
  const kind = kindOf(question);
  if (kind.figures(question) === "choice")
    return kind.isMultiple ? severalColumns(name, question, index) : choiceColumns(name, question, index);
  const cellOf = (row: Row) => textAt(question, index, row).join("; ") || null;
  return [{ name, question, cellOf, values: [{ value: "", meaning: "The answer as it was given" }] }];
}

/** The columns of a survey's questions in a file for analysis. */
export const codedColumns = (questions: readonly TableQuestion[]): CodedColumn[] =>
  questions.flatMap(columnsFor);

export const CODEBOOK_HEAD = ["column", "question_id", "question", "type", "value", "meaning"] as const;

/** What each column and value means, a line each. */
export const codebookLines = (columns: readonly CodedColumn[]): Cell[][] =>
  columns.flatMap(({ name, question, values }) =>
    values.map(({ value, meaning }) => [
      name,
      question.id,
      question.question,
      typeof question.type === "string" ? question.type : "",
      value,
      meaning,
    ]),
  );
