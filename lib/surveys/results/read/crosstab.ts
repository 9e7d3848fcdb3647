import { bucketOf, bucketsOf } from "#lib/engines/branching/branching.ts";
import type { TableQuestion } from "#lib/surveys/results/count/tables.ts";
import {
  choicesOf,
  formersOf,
  isChoice,
  OTHER,
  rangeOfRating,
} from "#lib/surveys/results/ingest/answer-codes.ts";
import type { Crosstab } from "#lib/surveys/results/readings-schema.ts";
import { kindOf } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";
import { cellProbability, corrected, SMALL_EXPECTED, testAssociation } from "./association.ts";

/** Responses by the codes of two questions. */
export type PairCount = { a: string; b: string; n: number };

type Category = {
  key: string;
  label: string;
  /** Whether a code belongs to it. */
  holds: (parts: ReadonlySet<string>) => boolean;
  condition: { operator: string; value?: string[] };
  /** Omitted from tables if empty: it cannot be chosen now. */
  isGone?: boolean;
};

/** Cells with fewer responses are marked. */
const SMALL = 5;
const SIGNIFICANT = 0.05;

/** The categories of a question's answers, including former choices; null if it has none. */
export function categoriesOf(question: TableQuestion, ratings: "buckets" | "values"): Category[] | null {
  const range = rangeOfRating(question);
  if (range && ratings === "buckets")
    return bucketsOf(question.scale).map((bucket) => ({
      key: bucket,
      label: bucket,
      holds: (parts) => [...parts].some((part) => bucketOf(question.scale, Number(part)) === bucket),
      condition: { operator: "bucket", value: [bucket] },
    }));
  if (range)
    return Array.from({ length: range[1] - range[0] + 1 }, (_, i) => String(range[0] + i)).map((value) => ({
      key: value,
      label: value,
      holds: (parts) => parts.has(value),
      condition: { operator: "exact", value: [value] },
    }));
  if (!isChoice(question)) return null;
  const listed = choicesOf(question).map((choice, i) => ({
    key: choice,
    label: choice,
    holds: (parts: ReadonlySet<string>) => parts.has(String(i)),
    condition: { operator: "exact", value: [choice] },
  }));
  const former = formersOf(question).map(({ slot, text, label }) => ({
    key: `<former> ${text}`,
    label,
    holds: (parts: ReadonlySet<string>) => parts.has(slot),
    condition: { operator: "former", value: [text] },
    isGone: true,
  }));
  const other = {
    key: "<other>",
    label: "Other",
    holds: (parts: ReadonlySet<string>) => parts.has(OTHER),
    condition: { operator: "other" },
    isGone: question.hasOpenChoice !== true,
  };
  return [...listed, ...former, other];
}

const partsOf = (code: string): ReadonlySet<string> => new Set(code.split(","));

type Sided = { question: TableQuestion; categories: Category[] };

const conditionOf = ({ question }: Sided, { condition }: Category) => ({
  question_id: question.id,
  ...condition,
});
const rowsFor = (...conditions: object[]) => ({ figure: JSON.stringify(conditions) });

type Counts = { cells: number[][]; rows: number[]; columns: number[]; total: number };

/** The categories of a code. */
function placesOf({ categories }: Sided, code: string): number[] {
  const parts = partsOf(code);
  return categories.flatMap((category, i) => (category.holds(parts) ? [i] : []));
}

/** Counts by category of both questions; multiple answers count in several categories. */
function countsOf(pairs: readonly PairCount[], row: Sided, column: Sided): Counts {
  const cells = row.categories.map(() => column.categories.map(() => 0));
  const rows = row.categories.map(() => 0);
  const columns = column.categories.map(() => 0);
  let total = 0;
  for (const { a, b, n } of pairs) {
    const inRows = placesOf(row, a);
    const inColumns = placesOf(column, b);
    if (inRows.length === 0 || inColumns.length === 0) continue;
    total += n;
    for (const i of inRows) rows[i] = (rows[i] ?? 0) + n;
    for (const j of inColumns) columns[j] = (columns[j] ?? 0) + n;
    for (const i of inRows) {
      const cellsOfRow = cells[i] ?? [];
      for (const j of inColumns) cellsOfRow[j] = (cellsOfRow[j] ?? 0) + n;
    }
  }
  return { cells, rows, columns, total };
}

function notesOf(counts: Counts, multiple: boolean, test: Crosstab["test"]): string[] {
  const { cells, rows, columns, total } = counts;
  const tested = rows.flatMap((row) => columns.map((column) => (total > 0 ? (row * column) / total : 0)));
  const small = tested.filter((expected) => expected > 0 && expected < SMALL_EXPECTED).length;
  const notes: string[] = [];
  if (total === 0) notes.push("No response answers both questions.");
  if (multiple)
    notes.push(
      "A multiple-choice question puts one response into several cells: the table as a whole is not tested, only each cell.",
    );
  if (test?.name === "fisher") notes.push("Few responses: Fisher's exact test instead of chi-square.");
  if (test?.name === "chi_square" && small > 0)
    notes.push(
      `${small} of ${tested.length} cells expect fewer than ${SMALL_EXPECTED} responses: the chi-square test is approximate.`,
    );
  if (cells.some((row) => row.some((count) => count < SMALL)))
    notes.push(`Cells with fewer than ${SMALL} responses are marked: interpret them with care.`);
  notes.push("p-values of cells are corrected by Holm's method for the number of cells.");
  return notes;
}

/** Parameters of the rows of a category: responses that answer both questions. */
const marginal = (own: Sided, category: Category, other: Sided) =>
  rowsFor(conditionOf(own, category), ...answeredOf(other));

/** Conditions for an answer in some category. */
const answeredOf = ({ question }: Sided) =>
  rangeOfRating(question)
    ? [{ question_id: question.id, operator: "exact", value: valuesOf(question) }]
    : [{ question_id: question.id, operator: "is_set" }];

function valuesOf(question: TableQuestion): string[] {
  const [first, last] = rangeOfRating(question) ?? [0, -1];
  return Array.from({ length: last - first + 1 }, (_, i) => String(first + i));
}

const direct = (count: number, expected: number | null, p: number | null) =>
  p === null || p >= SIGNIFICANT || expected === null ? "none" : count > expected ? "more" : "fewer";

/** A question without the categories that can no longer be chosen and occur in no code. */
function withoutUnused(side: Sided, codes: readonly string[]): Sided {
  const isUsed = ({ isGone, holds }: Category) =>
    isGone !== true || codes.some((code) => holds(partsOf(code)));
  return { ...side, categories: side.categories.filter(isUsed) };
}

/** The cross-tabulation of two questions, with its tests and notes. */
export function buildCrosstab(
  pairs: readonly PairCount[],
  rowSide: Sided,
  columnSide: Sided,
  as_of: string,
): Crosstab {
  const row = withoutUnused(
    rowSide,
    pairs.map(({ a }) => a),
  );
  const column = withoutUnused(
    columnSide,
    pairs.map(({ b }) => b),
  );
  const counts = countsOf(pairs, row, column);
  const { cells, rows, columns, total } = counts;
  const isMultiple = (side: Sided) => kindOf(side.question).isMultiple;
  const multiple = isMultiple(row) || isMultiple(column);
  const test = multiple ? null : testAssociation(cells);
  const pValues = corrected(
    cells.flatMap((list, i) =>
      list.map((count, j) => cellProbability(count, rows[i] ?? 0, columns[j] ?? 0, total)),
    ),
  );
  const side = ({ question }: Sided) => ({ question_id: question.id, question: question.question });
  const categories = (own: Sided, sums: readonly number[], other: Sided) =>
    own.categories.map((category, i) => ({
      key: category.key,
      label: category.label,
      count: sums[i] ?? 0,
      rows: marginal(own, category, other),
    }));
  return {
    as_of,
    total,
    row_question: { ...side(row), multiple: isMultiple(row) },
    column_question: { ...side(column), multiple: isMultiple(column) },
    row_categories: categories(row, rows, column),
    column_categories: categories(column, columns, row),
    cells: cells.map((list, i) =>
      list.map((count, j) => {
        const [ofRow, ofColumn] = [rows[i] ?? 0, columns[j] ?? 0];
        const expected = total > 0 ? (ofRow * ofColumn) / total : null;
        const p_value = pValues[i * columns.length + j] ?? null;
        const [left, right] = [row.categories[i], column.categories[j]];
        return {
          count,
          rows: left && right ? rowsFor(conditionOf(row, left), conditionOf(column, right)) : {},
          expected,
          row_share: ofRow > 0 ? count / ofRow : null,
          column_share: ofColumn > 0 ? count / ofColumn : null,
          small: count < SMALL,
          p_value,
          direction: direct(count, expected, p_value),
        };
      }),
    ),
    test,
    notes: notesOf(counts, multiple, test),
  };
}
