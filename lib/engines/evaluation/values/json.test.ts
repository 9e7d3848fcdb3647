import { describe, expect, it } from "vitest";
import { variantAt, variantTable } from "#lib/engines/evaluation/variants.ts";
import { asIndex, asList, asRecord, asText, own, percentOf, textOf } from "./json.ts";

const VALUES = [undefined, null, true, 0, 1, -1, 1.5, "", "a", [], ["a"], {}, { a: 1 }];

/** Which of the values a guard lets through. */
const passed = (guard: (value: unknown) => unknown) => VALUES.filter((value) => guard(value) === value);

describe("guards of stored JSON", () => {
  it("let through what has the shape, and nothing else", () => {
    expect(passed(asRecord)).toEqual([null, {}, { a: 1 }]);
    expect(VALUES.filter((value) => asRecord(value) !== null)).toEqual([{}, { a: 1 }]);
    expect(passed(asList)).toEqual([[], ["a"]]);
    expect(VALUES.map(asList).filter((list) => list.length > 0)).toEqual([["a"]]);
    expect(VALUES.filter((value) => asText(value) !== null)).toEqual(["a"]);
    expect(VALUES.filter((value) => asIndex(value) !== null)).toEqual([0, 1]);
    expect([asIndex(7), asIndex(Number.NaN), asIndex(Number.POSITIVE_INFINITY), asIndex("1")]).toEqual([
      7,
      null,
      null,
      null,
    ]);
  });

  it("find own members only", () => {
    expect([own({ a: 1 }, "a"), own({}, "constructor"), own({ a: undefined }, "a")]).toEqual([
      1,
      undefined,
      undefined,
    ]);
  });

  it.each([
    ["a", "a"],
    [5, "5"],
    [true, "true"],
    [null, "null"],
    [undefined, "undefined"],
    [{ a: [1] }, '{"a":[1]}'],
    [["a"], '["a"]'],
    [{ toJSON: () => undefined }, ""],
  ])("%j is compared as %j", (value, text) => {
    expect(textOf(value)).toBe(text);
  });

  it.each([
    [undefined, 7],
    [null, 7],
    [0, 0],
    [12.5, 12.5],
    ["30", 30],
    [" ", 0],
    ["\n", 0],
    [false, 0],
    ["", 0],
    ["many", 0],
    [Number.NaN, 0],
    [Number.POSITIVE_INFINITY, 0],
    [true, 1],
    [[50], 0],
    [{ valueOf: 5 }, 0],
  ])("%j is %d percent", (value, percent) => {
    expect(percentOf(value, 7)).toBe(percent);
  });
});

describe("the arms of a flag", () => {
  const table = (...arms: unknown[]) => variantTable({ variants: arms });
  const arm = (key: unknown, rollout_percentage: unknown) => ({ key, rollout_percentage });

  it("lie end to end, without those that have no key", () => {
    const laid = table(
      arm("a", 25),
      arm("", 10),
      null,
      "x",
      { rollout_percentage: 5 },
      arm("b", 50),
      arm("c", null),
    );
    expect(laid).toEqual({
      keys: ["a", "b", "c"],
      starts: [0, 0.25, 0.75],
      ends: [0.25, 0.75, 0.75],
      certain: -1,
    });
    expect([0, 0.249, 0.25, 0.749, 0.75, 1].map((hash) => variantAt(laid, hash))).toEqual([
      0, 0, 1, 1, -1, -1,
    ]);
    for (const nothing of [null, undefined, [], {}, { variants: "a" }])
      expect(variantTable(nothing)).toEqual({ keys: [], starts: [], ends: [], certain: -1 });
  });

  it.each([
    [[arm("a", 100)], 0],
    [[arm("a", 0), arm("b", 100)], 1],
    [[arm("a", 100), arm("b", 100)], 0],
    [[arm("a", 120)], 0],
    [[arm("a", -10), arm("b", 120)], 1],
    [[arm("a", 10), arm("b", 120)], -1],
    [[arm("a", 99.9)], -1],
    [[arm("a", 50), arm("b", 50)], -1],
  ])("%j need no hash where one takes everyone: %d", (arms, certain) => {
    expect(table(...arms).certain).toBe(certain);
  });
});
