import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changedFields, mergeChanges } from "./changes.ts";

const base = { name: "A", tags: ["x"], rules: { on: true, share: 5 }, note: null as string | null };

describe("what somebody has changed", () => {
  it("is nothing where only the order of members differs", () => {
    expect(changedFields(base, { ...base, rules: { share: 5, on: true } })).toEqual([]);
  });

  it("is named field by field, also where a field was empty or the order of a list counts", () => {
    expect(changedFields(base, { ...base, note: "" })).toEqual(["note"]);
    expect(changedFields({ ...base, tags: ["x", "y"] }, { ...base, tags: ["y", "x"] })).toEqual(["tags"]);
    expect(changedFields(base, { ...base, rules: { on: true, share: 6 }, name: "B" })).toEqual([
      "name",
      "rules",
    ]);
  });
});

describe("two people's changes of the same thing", () => {
  it("are both kept where they concern different fields", () => {
    const current = { ...base, note: "theirs" };
    expect(mergeChanges(base, current, { ...base, name: "mine" })).toEqual({
      ...base,
      name: "mine",
      note: "theirs",
    });
  });

  it("end as one's own where both changed a field", () => {
    const [current, mine] = [
      { ...base, name: "theirs" },
      { ...base, name: "mine" },
    ];
    expect(mergeChanges(base, current, mine)).toEqual(mine);
  });

  it("always contain all of one's own, and of the rest exactly what the other has", () => {
    const state = fc.record({ a: fc.nat(2), b: fc.array(fc.nat(1)), c: fc.option(fc.boolean()) });
    fc.assert(
      fc.property(state, state, state, (from, current, mine) => {
        const own = new Set(changedFields(from, mine));
        const merged = mergeChanges(from, current, mine);
        for (const field of ["a", "b", "c"] as const)
          expect(merged[field]).toEqual(own.has(field) ? mine[field] : current[field]);
      }),
    );
  });
});
