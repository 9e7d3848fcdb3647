import { expect, it } from "vitest";
import { cellText, csvOf } from "./csv.ts";

it.each([
  { cell: 'She said "no", twice', line: '"She said ""no"", twice"' },
  { cell: "two\nlines", line: '"two\nlines"' },
  { cell: "=HYPERLINK(1)", line: "'=HYPERLINK(1)" },
  { cell: -4.25, line: "-4.25" },
  { cell: null, line: "" },
  { cell: { text: "38.2%", value: 0.3819 }, line: "0.3819" },
])("a cell of $cell", ({ cell, line }) => {
  expect(csvOf({ columns: [{ label: "Answer" }], rows: [[cell]] })).toBe(`Answer\r\n${line}\r\n`);
});

it.each([
  { cell: 3605, text: "3,605" },
  { cell: -4.25, text: "−4.25" },
  { cell: { text: "38.2%", value: 0.3819 }, text: "38.2%" },
  { cell: null, text: "–" },
])("the page writes $cell as the chart does", ({ cell, text }) => {
  expect(cellText(cell)).toBe(text);
});
