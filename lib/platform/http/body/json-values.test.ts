import fc from "fast-check";
import { expect, it } from "vitest";
import { holdsMoreValuesThan } from "./json-values.ts";

const countOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce<number>((sum, inner) => sum + countOf(inner), 1)
    : 1;

const hasMore = (most: number, text: string) => holdsMoreValuesThan(most, Buffer.from(text));

it.each([
  ["[0,0,0]", 4],
  ['{"a":1,"b":{"c":2}}', 4],
  ['{"a,b,[{":"\\"],{\\\\"}', 2],
  ['["\\\\",0]', 3],
])("counts the values of %s", (text, count) => {
  expect(hasMore(count, text)).toBe(false);
  expect(hasMore(count - 1, text)).toBe(true);
  expect(hasMore(0, text)).toBe(true);
});

it("finds no more values in a text than it has room for", () => {
  expect(hasMore(4, "[[],[]]")).toBe(false);
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(hasMore(Math.floor(text.length / 2) + 1, text)).toBe(false);
    }),
  );
});

it.each(["[", '{"a', '["\\', '["\\"', '"'.repeat(9)])("comes to an end in %s, which is no JSON", (text) => {
  expect(hasMore(1_000, text.padEnd(3_000))).toBe(false);
});

it("never counts fewer values than there are, and only empty lists and objects as one too many", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 5 }), { minLength: 1 }), (value) => {
      const text = JSON.stringify(value);
      const count = countOf(value);
      const empty = text.match(/\[\]|\{\}/g)?.length ?? 0;
      expect(hasMore(count + empty, text)).toBe(false);
      expect(hasMore(count - 1, `${text}${" ".repeat(2 * count)}`)).toBe(true);
    }),
  );
});
