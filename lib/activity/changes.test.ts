import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changesBetween, findConflictingFields, sameJson } from "./changes.ts";

/** The same data, the keys of all objects in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

describe("equality of JSON data", () => {
  it.each<[unknown, unknown, boolean]>([
    [1, 1, true],
    [1, 2, false],
    [1, "1", false],
    ["a", "a", true],
    [true, false, false],
    [null, null, true],
    [null, undefined, false],
    [null, {}, false],
    [{}, null, false],
    [null, 0, false],
    ["", null, false],
    ["ab", ["a", "b"], false],
    [["a", "b"], "ab", false],
    [{}, {}, true],
    [[], [], true],
    [[], {}, false],
    [["x"], { 0: "x" }, false],
    [{ 0: "x" }, ["x"], false],
    [[1, 2], [1, 2], true],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [[1, 2], [1], false],
    [{ a: 1 }, { a: 1 }, true],
    [{ a: 1 }, { a: 2 }, false],
    [{ a: 1 }, { b: 1 }, false],
    [{ a: 1 }, {}, false],
    [{}, { a: 1 }, false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1, b: 2 }, { a: 1, b: 3 }, false],
    [{ a: undefined }, { b: 1 }, false],
    [{ a: undefined }, { b: undefined }, false],
    [{ a: { b: [1, { c: null }] } }, { a: { b: [1, { c: null }] } }, true],
    [{ a: { b: [1, { c: null }] } }, { a: { b: [1, { c: 0 }] } }, false],
  ])("%j and %j: %s", (a, b, expected) => {
    expect(sameJson(a, b)).toBe(expected);
  });

  it("does not depend on the order of keys, and agrees with the text of the data otherwise", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (a, b) => {
        const copy = JSON.parse(JSON.stringify(a));
        expect(sameJson(copy, reversed(copy))).toBe(true);
        expect(sameJson([a], [a, b])).toBe(false);
        expect(sameJson(a, b)).toBe(sameJson(b, a));
      }),
    );
  });
});

describe("fields in conflict", () => {
  const read = { name: "old", tags: ["a"], filters: { groups: [{ rollout: 10 }] } };

  it.each<{
    case: string;
    stored: Record<string, unknown>;
    original?: Record<string, unknown>;
    wanted: Record<string, unknown>;
    conflicts: string[];
  }>([
    { case: "nobody else changed it", stored: read, wanted: { name: "new" }, conflicts: [] },
    {
      case: "somebody else changed it to something else",
      stored: { ...read, name: "theirs" },
      wanted: { name: "new" },
      conflicts: ["name"],
    },
    {
      case: "somebody else changed it to the same",
      stored: { ...read, name: "new" },
      wanted: { name: "new" },
      conflicts: [],
    },
    {
      case: "the request leaves it as it was read",
      stored: { ...read, name: "theirs" },
      wanted: { name: "old" },
      conflicts: [],
    },
    {
      case: "somebody else changed another field",
      stored: { ...read, tags: ["b"] },
      wanted: { name: "new" },
      conflicts: [],
    },
    {
      case: "the caller did not say what it read",
      stored: { ...read, name: "theirs" },
      original: { tags: ["a"] },
      wanted: { name: "new" },
      conflicts: [],
    },
    {
      case: "the record has no such field",
      stored: { tags: ["a"] },
      wanted: { name: "new" },
      conflicts: [],
    },
    {
      case: "several fields are, and one is not",
      stored: { name: "theirs", tags: ["b"], filters: { groups: [] } },
      wanted: { filters: { groups: [{ rollout: 50 }] }, tags: ["b"], name: "new" },
      conflicts: ["filters", "name"],
    },
    {
      case: "only a part deep inside differs",
      stored: { ...read, filters: { groups: [{ rollout: 20 }] } },
      wanted: { filters: { groups: [{ rollout: 30 }] } },
      conflicts: ["filters"],
    },
  ])("when $case: $conflicts", ({ stored, original = read, wanted, conflicts }) => {
    expect(findConflictingFields(stored, original, wanted)).toEqual(conflicts);
  });
});

describe("what changed between two states", () => {
  it.each<[unknown, unknown, "created" | "changed" | "deleted"]>([
    [null, "x", "created"],
    [undefined, "x", "created"],
    ["", "x", "created"],
    [[], ["x"], "created"],
    [{}, { a: 1 }, "created"],
    [null, 0, "created"],
    [null, false, "created"],
    ["x", null, "deleted"],
    ["x", undefined, "deleted"],
    ["x", "", "deleted"],
    [["x"], [], "deleted"],
    [{ a: 1 }, {}, "deleted"],
    ["x", "y", "changed"],
    [["x"], ["x", "y"], "changed"],
    [{ a: 1 }, { a: 2 }, "changed"],
    [0, 1, "changed"],
    [1, 0, "changed"],
    [true, false, "changed"],
    [false, true, "changed"],
  ])("from %j to %j a field is %s", (before, after, action) => {
    expect(changesBetween("Survey", ["field"], { field: before }, { field: after })).toEqual([
      { type: "Survey", action, field: "field", before: before ?? null, after: after ?? null },
    ]);
  });

  it.each<[Record<string, unknown>, Record<string, unknown>]>([
    [{ field: "x" }, { field: "x" }],
    [{ field: { a: 1, b: [2] } }, { field: { b: [2], a: 1 } }],
    [{}, { field: null }],
    [{ field: null }, {}],
    [{ field: undefined }, { field: null }],
    [{ other: 1 }, { other: 2 }],
  ])("between %j and %j nothing that is watched did", (before, after) => {
    expect(changesBetween("Survey", ["field"], before, after)).toEqual([]);
  });

  it("is reported in the order of the watched fields", () => {
    const changes = changesBetween("Flag", ["b", "a", "c"], { a: 1, b: 1, c: 1 }, { c: 2, a: 2, b: 1 });
    expect(changes.map(({ field }) => field)).toEqual(["a", "c"]);
  });
});
