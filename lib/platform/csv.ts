/** What spreadsheets interpret as a formula, even after spaces (OWASP, "CSV injection"). */
const FORMULA = /^\s*[=+\-@\t\r|%]/;
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

function writeCell(cell: string | number | null): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const safe = FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A line of CSV by RFC 4180, with its line break; text that reads as a formula is prefixed with an apostrophe. */
export const writeCsvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map(writeCell).join(",")}\r\n`;
