import { describe, expect, it } from "vitest";
import { createMemo, FIRST, MOST } from "./memo.ts";

/** How many of the keys are known afterwards, when each is looked up and then remembered. */
function knownAfter(keys: readonly number[]): number {
  const memo = createMemo<number, string>();
  for (const key of keys) if (memo.get(key) === undefined) memo.set(key, `value ${key}`);
  return new Set(keys.filter((key) => memo.get(key) === `value ${key}`)).size;
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

describe("remembering values", () => {
  it("gives back what was remembered, and knows nothing else", () => {
    const memo = createMemo<string, boolean>();
    memo.set("no", false);
    expect(memo.get("no")).toBe(false);
    expect(memo.get("yes")).toBeUndefined();
  });

  it("stops early where no key comes twice", () => {
    expect(knownAfter(numbers(5 * FIRST))).toBe(FIRST);
  });

  it("goes on where they do, up to its bound", () => {
    const twice = (count: number) => numbers(count).flatMap((key) => [key, key]);
    expect(knownAfter(twice(3 * FIRST))).toBe(3 * FIRST);
    expect(knownAfter(twice(MOST + FIRST))).toBe(MOST);
  });
});
