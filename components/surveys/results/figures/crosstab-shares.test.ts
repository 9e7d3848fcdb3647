import { expect, it } from "vitest";
import type { Crosstab } from "#lib/surveys/results/readings-schema.ts";
import { crosstabCsv, shareIn } from "./crosstab-shares.ts";

const cell = {
  count: 3,
  rows: {},
  expected: 2.5,
  row_share: 0.75,
  column_share: 0.5,
  small: true,
  p_value: null,
  direction: "none" as const,
};
const side = (question_id: string, question: string) => ({ question_id, question, multiple: false });
const category = (key: string, count: number) => ({ key, label: key, count, rows: {} });
const crosstab: Crosstab = {
  as_of: "2026-01-01T00:00:00Z",
  total: 12,
  row_question: side("a", "How likely?"),
  column_question: side("b", "Which, exactly?"),
  row_categories: [category("promoters", 4)],
  column_categories: [category("=1+1", 6)],
  cells: [[cell]],
  test: null,
  notes: [],
};

it.each([
  ["row", 0.75],
  ["column", 0.5],
  ["total", 0.25],
] as const)("the share of a cell is of its %s", (shares, share) => {
  expect(shareIn(crosstab, cell, shares)).toBe(share);
});

it("a table of nothing has no shares of the total", () => {
  expect(shareIn({ ...crosstab, total: 0 }, cell, "total")).toBeNull();
});

it("a table is a file with a line for each cell, in which nothing is a formula", () => {
  expect(crosstabCsv(crosstab)).toBe(
    'How likely?,"Which, exactly?",responses,share_of_row,share_of_column,share_of_all,expected,corrected_p_value\r\n' +
      "Promoters,'=1+1,3,0.75,0.5,0.25,2.5,\r\n",
  );
});
