import type { TableShares } from "#components/surveys/results/filters/results-query.ts";
import { BUCKET_WORDS } from "#components/surveys/results/words.ts";
import { writeCsvLine } from "#lib/platform/csv.ts";
import type { Crosstab } from "#lib/surveys/results/readings-schema.ts";

type Cell = Crosstab["cells"][number][number];

/** What the shares of a table are of, in words. */
export const SHARES_OF: Record<TableShares, string> = {
  row: "of the row",
  column: "of the column",
  total: "of all responses",
};

/** The share of a cell; null if there is nothing that it could be of. */
export const shareIn = ({ total }: Crosstab, cell: Cell, shares: TableShares): number | null => {
  if (shares === "total") return total > 0 ? cell.count / total : null;
  return shares === "row" ? cell.row_share : cell.column_share;
};

export const categoryName = (label: string): string => BUCKET_WORDS[label] ?? label;

/** A table as CSV: one line for each cell, with its counts, shares and test. */
export function crosstabCsv(crosstab: Crosstab): string {
  const { row_question, column_question, row_categories, column_categories, cells } = crosstab;
  const lines = row_categories.flatMap((row, at) =>
    column_categories.map((column, place) => {
      const cell = cells[at]?.[place];
      return [
        categoryName(row.label),
        categoryName(column.label),
        cell?.count ?? 0,
        cell?.row_share ?? null,
        cell?.column_share ?? null,
        cell ? shareIn(crosstab, cell, "total") : null,
        cell?.expected ?? null,
        cell?.p_value ?? null,
      ];
    }),
  );
  const head = [
    row_question.question,
    column_question.question,
    "responses",
    "share_of_row",
    "share_of_column",
    "share_of_all",
    "expected",
    "corrected_p_value",
  ];
  return [head, ...lines].map(writeCsvLine).join("");
}
