import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isDeeperThan, storableJson, storableText } from "./text.ts";

describe("a text that PostgreSQL holds", () => {
  it.each([
    ["plain", "plain"],
    ["", ""],
    ["a\u0000b\u0000", "ab"],
    ["\ud800", "\ufffd"],
    ["x\udc00y\u0000", "x\ufffdy"],
    ["😀", "😀"],
    ["\\u0000", "\\u0000"],
  ])("for %j is %j", (given, stored) => {
    expect(storableText(given)).toBe(stored);
  });
});

describe("JSON that PostgreSQL holds", () => {
  it.each<[Record<string, unknown>]>([
    [{}],
    [{ a: [1, null, true, { b: "x" }] }],
    [{ emoji: "😀", escaped: 'line\n"quoted"', control: "\u0001" }],
  ])("of %j is what was sent", (sent) => {
    const { json, value } = storableJson(sent);
    expect(value).toBe(sent);
    expect(json).toBe(JSON.stringify(sent));
  });

  it("has nothing else replaced than what cannot be stored", () => {
    const sent = {
      "na\u0000me": [null, 1, true, "\ud800", ["\u0000", { deep: "\udfff!" }]],
      literal: "\\u0000",
      none: null,
      fine: { a: "b" },
    };
    const stored = {
      name: [null, 1, true, "\ufffd", ["", { deep: "\ufffd!" }]],
      literal: "\\u0000",
      none: null,
      fine: { a: "b" },
    };
    expect(storableJson(sent)).toEqual({ json: JSON.stringify(stored), value: stored });
  });

  it("holds no escape of NUL and no half of a pair, whatever is sent", () => {
    const text = fc.string({ unit: "binary" }).map((part) => `${part}\u0000\udabc`);
    fc.assert(
      fc.property(fc.dictionary(text, fc.oneof(text, fc.array(text))), (sent) => {
        const { json, value } = storableJson(sent);
        expect(json.isWellFormed()).toBe(true);
        const texts = JSON.stringify(value).replaceAll("\\\\", "");
        expect(texts).not.toMatch(/\\u(0000|d[89a-f])/);
        expect(JSON.parse(json)).toEqual(value);
      }),
    );
  });
});

describe("depth", () => {
  it.each<[unknown, number, boolean]>([
    [1, 0, false],
    ["x", 0, false],
    [null, 0, false],
    [{}, 0, true],
    [[], 0, true],
    [{}, 1, false],
    [{ a: 1 }, 1, false],
    [{ a: null }, 1, false],
    [{ a: {} }, 1, true],
    [{ a: 1, b: [] }, 1, true],
    [[[[]]], 2, true],
    [[[[]]], 3, false],
    [{ a: [{}] }, 2, true],
    [{ a: [{}] }, 3, false],
  ])("%j is deeper than %i levels: %s", (value, levels, expected) => {
    expect(isDeeperThan(value, levels)).toBe(expected);
  });
});
