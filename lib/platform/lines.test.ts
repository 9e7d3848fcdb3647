import fc from "fast-check";
import { expect, it } from "vitest";
import { diffLines, findUnchanged } from "./lines.ts";

const text = fc
  .array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 12 })
  .map((all) => all.join("\n"));
const only = (lines: ReturnType<typeof diffLines>, without: string) =>
  lines
    .filter(({ kind }) => kind !== without)
    .map((line) => line.text)
    .join("\n");

it("both texts can be read from their differences", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      expect(only(lines, "added")).toBe(before);
      expect(only(lines, "removed")).toBe(after);
    }),
  );
});

it("a line that came in the middle is the only difference", () => {
  expect(diffLines("a\nb\nc", "a\nx\nb\nc")).toEqual([
    { kind: "same", text: "a" },
    { kind: "added", text: "x" },
    { kind: "same", text: "b" },
    { kind: "same", text: "c" },
  ]);
});

it("of very long lists only the ends are compared", () => {
  const long = (word: string) => ["first", ...Array.from({ length: 3000 }, (_, i) => `${word} ${i}`), "last"];
  expect([...findUnchanged(long("a"), long("b"))]).toEqual([
    [0, 0],
    [3001, 3001],
  ]);
});
