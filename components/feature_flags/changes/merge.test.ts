import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FlagBody } from "#components/feature_flags/form-values.ts";
import type { FlagFilters, FlagGroup } from "#lib/people/conditions/filters-schema.ts";
import { mergeFlags } from "./merge.ts";

const plan = (value: string) => ({ key: "plan", type: "person", operator: "exact", value: [value] }) as const;
const set = (value: string, rollout_percentage = 100, more: object = {}) =>
  ({ properties: [plan(value)], rollout_percentage, ...more }) as FlagGroup;
const body = (filters: Partial<FlagFilters>, more: Partial<FlagBody> = {}): FlagBody => ({
  key: "flag",
  name: "",
  active: true,
  tags: [],
  filters: { groups: [], ...filters } as FlagFilters,
  ...more,
});
const sets = (...groups: FlagGroup[]) => body({ groups });
const merged = (base: FlagBody, current: FlagBody, mine: FlagBody, theirs: string[] = []) =>
  mergeFlags({ base, current, mine }, new Set(theirs));
const groupsOf = (result: ReturnType<typeof merged>) => result.body.filters.groups;

describe("two people's changes of one flag", () => {
  const base = sets(set("a"), set("b"), set("c"));

  it("are both kept where they concern different sets", () => {
    const result = merged(
      base,
      sets(set("a", 10), set("b"), set("c")),
      sets(set("a"), set("b", 20), set("c")),
    );
    expect(result.conflicts).toEqual([]);
    expect(groupsOf(result)).toEqual([set("a", 10), set("b", 20), set("c")]);
  });

  it("are both kept where they concern different fields of one set", () => {
    const current = sets(set("a", 10), set("b"), set("c"));
    const mine = sets(set("a", 100, { description: "First" }), set("b"), set("c"));
    const result = merged(base, current, mine);
    expect([result.conflicts, groupsOf(result)[0]]).toEqual([[], set("a", 10, { description: "First" })]);
  });

  it("are for a person to choose where they concern the same field, which is one's own unless chosen", () => {
    const current = sets(set("a", 10), set("b"), set("c"));
    const mine = sets(set("a", 30), set("b"), set("c"));
    const result = merged(base, current, mine);
    expect(result.conflicts).toEqual([
      { part: "set:0:rollout_percentage", what: "Set 1: rollout", mine: "30%", theirs: "10%" },
    ]);
    expect(groupsOf(result)[0]).toEqual(set("a", 30));
    expect(groupsOf(merged(base, current, mine, ["set:0:rollout_percentage"]))[0]).toEqual(set("a", 10));
  });

  it("keep what each has added, where it was added", () => {
    const current = sets(set("new"), set("a"), set("b"), set("c"));
    const mine = sets(set("a"), set("mine"), set("b", 50), set("c"));
    const result = merged(base, current, mine);
    expect(result.conflicts).toEqual([]);
    expect(groupsOf(result)).toEqual([set("new"), set("a"), set("mine"), set("b", 50), set("c")]);
  });

  it("delete what one has deleted, unless the other has changed it", () => {
    const current = sets(set("a"), set("c"));
    expect(groupsOf(merged(base, current, sets(set("a", 5), set("b"), set("c"))))).toEqual([
      set("a", 5),
      set("c"),
    ]);
    const both = merged(base, current, sets(set("a"), set("b", 5), set("c")));
    expect(both.conflicts).toMatchObject([{ part: "set:1", theirs: "Deleted" }]);
    expect(groupsOf(both)).toContainEqual(set("b", 5));
    expect(groupsOf(merged(base, current, sets(set("a"), set("b", 5), set("c")), ["set:1"]))).toEqual(
      current.filters.groups,
    );
  });

  it("follow whoever has moved sets", () => {
    const moved = sets(set("c"), set("a"), set("b"));
    const changed = sets(set("a"), set("b", 40), set("c"));
    const expected = [set("c"), set("a"), set("b", 40)];
    expect(groupsOf(merged(base, moved, changed))).toEqual(expected);
    expect(groupsOf(merged(base, changed, moved))).toEqual(expected);
    const result = merged(base, moved, sets(set("b"), set("a"), set("c")));
    expect(result.conflicts).toMatchObject([{ part: "order" }]);
  });

  it("treat the split as one, and names and payloads of variants each by itself", () => {
    const variants = (a: number, b: number, name = "") =>
      body({
        groups: [],
        multivariate: {
          variants: [
            { key: "control", name, rollout_percentage: a },
            { key: "test", name: "", rollout_percentage: b },
          ],
        },
        payloads: { control: name || "{}", test: String(b) },
      });
    const result = merged(variants(50, 50), variants(50, 50, "Blue"), variants(70, 30));
    expect(result.conflicts).toEqual([]);
    expect(result.body.filters).toEqual({
      ...variants(70, 30, "Blue").filters,
      payloads: { control: "Blue", test: "30" },
    });
    const both = merged(variants(50, 50), variants(60, 40), variants(70, 30), ["split"]);
    expect(both.conflicts.map(({ part }) => part)).toEqual(["split", "payload:test"]);
    expect(both.body.filters.multivariate?.variants.map((each) => each.rollout_percentage)).toEqual([60, 40]);
  });

  it("are merged field by field in the settings", () => {
    const mine = { ...base, name: "Mine", tags: ["x"] };
    const result = merged(base, { ...base, name: "Theirs", key: "other" }, mine, ["name"]);
    expect(result.conflicts).toMatchObject([{ part: "name", mine: "Mine", theirs: "Theirs" }]);
    expect(result.body).toEqual({ ...base, name: "Theirs", key: "other", tags: ["x"] });
  });
});

const anySets = fc
  .uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c", "d", "e"), fc.nat(2)), {
    selector: ([value]) => value,
  })
  .map((all) => sets(...all.map(([value, share]) => set(value, share))));

it("a change of one person alone is kept exactly", () => {
  fc.assert(
    fc.property(anySets, anySets, (base, changed) => {
      expect(merged(base, base, changed)).toEqual({ body: changed, conflicts: [] });
      expect(merged(base, changed, base)).toEqual({ body: changed, conflicts: [] });
      expect(merged(base, changed, changed)).toEqual({ body: changed, conflicts: [] });
    }),
  );
});

it("nothing that either has added or changed without the other is lost", () => {
  fc.assert(
    fc.property(anySets, anySets, anySets, (base, current, mine) => {
      const result = merged(base, current, mine);
      const known = [base, current, mine].flatMap(({ filters }) => filters.groups);
      if (result.conflicts.length > 0) return;
      for (const group of groupsOf(result))
        expect(
          known.some((each) => JSON.stringify(each.properties) === JSON.stringify(group.properties)),
        ).toBe(true);
      for (const group of mine.filters.groups)
        if (
          ![...base.filters.groups, ...current.filters.groups].some(
            (each) => JSON.stringify(each.properties) === JSON.stringify(group.properties),
          )
        )
          expect(
            groupsOf(result).some(
              (each) => JSON.stringify(each.properties) === JSON.stringify(group.properties),
            ),
          ).toBe(true);
    }),
  );
});
