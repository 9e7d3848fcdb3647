import fc from "fast-check";
import { expect, it } from "vitest";
import { writeCsvLine } from "./csv.ts";

it.each([
  ["=1", "'=1"],
  ["+a", "'+a"],
  ["@x", "'@x"],
  ["-x", "'-x"],
  ["  =1", "'  =1"],
  ["\t1", "'\t1"],
  ["|x", "'|x"],
  ["%x", "'%x"],
  ["+15", "+15"],
  ["-1.5", "-1.5"],
  ["-1.5.1", "'-1.5.1"],
  ["1-1", "1-1"],
  ["a=b", "a=b"],
  ["a,b", '"a,b"'],
  ['a"b', '"a""b"'],
  ["a\nb", '"a\nb"'],
  ["a\rb", '"a\rb"'],
  ["=a,b", '"\'=a,b"'],
  ["", ""],
  [null, ""],
  [-4.25, "-4.25"],
  [1e21, "1e+21"],
])("%j is written as %j", (cell, written) => {
  expect(writeCsvLine([cell])).toBe(`${written}\r\n`);
});

/** The cells of one line, read by the rules of RFC 4180. */
const readLine = (line: string) =>
  [...`,${line.slice(0, -2)}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^",]*))/gs)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
  );

it("cells come back as they were, apart from the apostrophe of formulas", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 2, maxLength: 5 }), (cells) => {
      const read = readLine(writeCsvLine(cells));
      expect(read.map((cell, i) => (cell === cells[i] ? cell : cell?.slice(1)))).toEqual(cells);
    }),
  );
});
