import { writeCsvLine } from "#lib/platform/csv.ts";
import { formatValue } from "#lib/platform/format.ts";

/** A table: what a chart shows, cell by cell. Numbers stay numbers, in full precision. */
export type TableData = {
  columns: readonly {
    label: string;
    numeric?: boolean;
    /** Stays in one line: a date. */
    short?: boolean;
  }[];
  rows: readonly (readonly TableCell[])[];
};

/** `text` is what the page shows, `value` what a file holds. */
export type TableCell = string | number | null | { text: string; value: number | string | null };

export function csvOf({ columns, rows }: TableData): string {
  const heads = writeCsvLine(columns.map((column) => column.label));
  return heads + rows.map((row) => writeCsvLine(row.map(fileValueOf))).join("");
}

const fileValueOf = (cell: TableCell) => (typeof cell === "object" && cell !== null ? cell.value : cell);

/** The same cell as the page writes it: numbers as the chart beside it does. */
export function cellText(cell: TableCell): string {
  if (cell === null) return "–";
  if (typeof cell === "object") return cell.text;
  return typeof cell === "number" ? formatValue(cell, { unit: "number" }) : cell;
}
