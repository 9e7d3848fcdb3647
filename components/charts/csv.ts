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

const FORMULA = /^[=+\-@\t\r]/;

/** RFC 4180. Text that a spreadsheet would run as a formula is led by an apostrophe. */
export function csvOf({ columns, rows }: TableData): string {
  const lines = [columns.map((column) => quoted(column.label)), ...rows.map((row) => row.map(cellOf))];
  return `${lines.map((line) => line.join(",")).join("\r\n")}\r\n`;
}

function cellOf(cell: TableCell): string {
  const value = typeof cell === "object" && cell !== null ? cell.value : cell;
  if (value === null) return "";
  return typeof value === "number" ? String(value) : quoted(value);
}

function quoted(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The same cell as the page writes it: numbers as the chart beside it does. */
export function cellText(cell: TableCell): string {
  if (cell === null) return "–";
  if (typeof cell === "object") return cell.text;
  return typeof cell === "number" ? formatValue(cell, { unit: "number" }) : cell;
}
