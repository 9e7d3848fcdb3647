import { expect, test } from "vitest";
import { ApiError } from "#lib/platform/http/errors.ts";
import { storable } from "./storable.ts";

const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));

function refusal(value: unknown): ApiError["body"] | null {
  try {
    storable(value);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.body;
    throw error;
  }
}

test.each([
  [undefined],
  [null],
  [1],
  ["text ✓ 😀"],
  [{ a: ["\t\n\u001f\uffff"], b: { c: true } }],
  [nested(101)],
  [{ a: nested(100) }],
])("%j can be stored", (value) => {
  expect(storable(value)).toBe(value);
});

test.each([
  ["NUL", { name: "a\0b" }, "name"],
  ["half a pair", { filters: { groups: ["\ud800"] } }, "filters"],
  ["the other half", { name: "\udc00x" }, "name"],
  ["NUL in a name inside", { filters: { "a\0": 1 } }, "filters"],
  ["NUL in a name at the top", { "a\0": 1 }, null],
  ["a text alone", "\0", null],
  ["nesting past 100", { a: nested(101) }, "a"],
  ["a list nested past 100", nested(102), "0"],
  ["nesting that would exhaust the stack", nested(1_000_000), "0"],
])("%s is refused", (_, value, attr) => {
  expect(refusal(value)).toMatchObject({ type: "validation_error", code: "invalid_input", attr });
});
