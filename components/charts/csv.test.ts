import { expect, it } from "vitest";
import { csvOf } from "./csv.ts";

it.each([
  { cell: 'She said "no", twice', line: '"She said ""no"", twice"' },
  { cell: "two\nlines", line: '"two\nlines"' },
  { cell: "=HYPERLINK(1)", line: "'=HYPERLINK(1)" },
  { cell: -4.25, line: "-4.25" },
  { cell: null, line: "" },
  { cell: { text: "38.2 %", value: 0.3819 }, line: "0.3819" },
])("a cell of $cell", ({ cell, line }) => {
  expect(csvOf({ columns: [{ label: "Answer" }], rows: [[cell]] })).toBe(`Answer\r\n${line}\r\n`);
});
