import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FlagFilters } from "#lib/people/conditions/filters-schema.ts";
import { draftOf, filtersOf } from "./draft.ts";
import {
  addVariant,
  balancedShares,
  changeVariant,
  distributeEvenly,
  duplicateSet,
  evenShares,
  forSubject,
  insertSet,
  moveSet,
  removeSet,
  removeVariant,
  shareSum,
  withVariants,
} from "./edit-draft.ts";

const key = fc.stringMatching(/^[a-z]{1,6}$/);
const unknown = fc.dictionary(fc.constantFrom("sort_key", "early_exit", "x", "holdout"), fc.jsonValue(), {
  maxKeys: 2,
});
const share = fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { nil: null });

const property = fc
  .record(
    {
      key,
      type: fc.constantFrom("person", "cohort", "flag", "group"),
      value: fc.jsonValue(),
      operator: fc.option(fc.constantFrom("exact", "icontains", "in"), { nil: null }),
    },
    { requiredKeys: ["key"] },
  )
  .chain((row) => unknown.map((more) => ({ ...more, ...row })));

const group = fc
  .record(
    { properties: fc.array(property, { maxLength: 3 }), rollout_percentage: share, description: fc.string() },
    { requiredKeys: [] },
  )
  .chain((set) => unknown.map((more) => ({ ...more, ...set })));

const variants = fc.uniqueArray(key, { minLength: 1, maxLength: 4 }).chain((keys) =>
  fc.record({
    variants: fc.tuple(
      ...keys.map((name) =>
        fc.record({ key: fc.constant(name), name: fc.string(), rollout_percentage: fc.nat(100) }),
      ),
    ),
    kept: fc.jsonValue(),
  }),
);
// An empty text is no JSON: the API never stores one, and in the form it means that there is no payload.
const payload = fc.oneof(
  fc.jsonValue().map((json) => JSON.stringify(json)),
  fc.jsonValue().filter((json) => json !== ""),
);

/** Filters as the API may hold them, with members that no form knows. */
const filters = fc
  .record(
    {
      groups: fc.array(group, { maxLength: 4 }),
      multivariate: fc.oneof(fc.constant(null), fc.constant({ variants: [] }), variants),
      payloads: fc.option(fc.dictionary(fc.oneof(key, fc.constant("true")), payload, { maxKeys: 3 }), {
        nil: null,
      }),
      aggregation_group_type_index: fc.constantFrom(null, 0, 1),
      super_groups: fc.jsonValue(),
    },
    { requiredKeys: ["groups"] },
  )
  .map((given) => given as unknown as FlagFilters);

const json = (value: unknown) => JSON.parse(JSON.stringify(value));

describe("filters through the form", () => {
  it("come back as they went in", () => {
    fc.assert(
      fc.property(filters, (given) => {
        expect(json(filtersOf(draftOf(given)))).toEqual(json(given));
      }),
      { numRuns: 500 },
    );
  });

  it("survive every move, copy and removal that is undone", () => {
    fc.assert(
      fc.property(filters, fc.nat(), fc.nat(), (given, a, b) => {
        const draft = draftOf(given);
        const count = draft.sets.length;
        if (count === 0) return;
        const [from, to] = [a % count, b % count];
        const set = draft.sets[from];
        if (!set) return;
        expect(filtersOf(moveSet(moveSet(draft, from, to), to, from))).toEqual(filtersOf(draft));
        expect(filtersOf(insertSet(removeSet(draft, set.uid), set, from))).toEqual(filtersOf(draft));
        const doubled = duplicateSet(draft, set.uid);
        expect(filtersOf(doubled).groups[from + 1]).toEqual(filtersOf(draft).groups[from]);
        expect(new Set(doubled.sets.map((each) => each.uid)).size).toBe(count + 1);
      }),
    );
  });
});

describe("variants", () => {
  const boolean = draftOf({ groups: [{ properties: [], rollout_percentage: 100 }], payloads: { true: "1" } });
  const several = withVariants(boolean, true);

  it("start as control and test, and are still there after a look at the boolean kind", () => {
    expect(filtersOf(several).multivariate?.variants.map((variant) => variant.key)).toEqual([
      "control",
      "test",
    ]);
    expect(filtersOf(several).payloads).toEqual({});
    const back = withVariants(several, false);
    expect(filtersOf(back).multivariate ?? null).toBeNull();
    expect(filtersOf(back).payloads).toEqual({ true: "1" });
    expect(withVariants(back, true).variants).toEqual(several.variants);
  });

  it("take their payload and the sets that force them along when renamed", () => {
    const stored = draftOf({
      groups: [{ properties: [], rollout_percentage: 100, variant: "test" }],
      multivariate: { variants: [{ key: "test", rollout_percentage: 100 }] },
      payloads: { test: "[1]" },
    });
    const renamed = filtersOf(changeVariant(stored, stored.variants[0]?.uid ?? "", { key: "blue" }));
    expect(renamed.groups[0]?.variant).toBe("blue");
    expect(renamed.payloads).toEqual({ blue: "[1]" });
  });

  it("free the sets that forced them when removed", () => {
    const forced = {
      ...several,
      sets: several.sets.map((set) => ({ ...set, group: { ...set.group, variant: "test" } })),
    };
    const without = removeVariant(forced, forced.variants[1]?.uid ?? "");
    expect(filtersOf(without).groups[0]?.variant).toBeNull();
  });

  it("share out evenly to exactly 100, however many", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), (count) => {
        const shares = evenShares(count);
        expect(shares).toHaveLength(count);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThan(1);
        expect(Number(shares.reduce((sum, each) => sum + each, 0).toFixed(6))).toBe(100);
      }),
    );
    const three = distributeEvenly(addVariant(several));
    expect(three.variants.map(({ variant }) => variant.rollout_percentage)).toEqual([33.34, 33.33, 33.33]);
    expect(shareSum(three)).toBe(100);
    expect(three.variants.map(({ variant }) => variant.key)).toEqual(["control", "test", "test-2"]);
  });
});

describe("shares of variants", () => {
  it.each([
    ["the other of two follows", [50, 50], 0, 70, [70, 30]],
    ["those below share what is left", [34, 33, 33], 0, 50, [50, 25, 25]],
    ["those above stay", [50, 25, 25], 1, 30, [50, 30, 20]],
    ["the last one takes from the nearest above", [50, 30, 20], 2, 60, [40, 0, 60]],
    ["nothing is left for those below", [50, 30, 20], 1, 80, [20, 80, 0]],
    ["those below that have nothing get the same", [100, 0, 0], 0, 10, [10, 45, 45]],
    ["a sum that was wrong is right again", [50, 20, 10], 1, 20, [50, 20, 30]],
    ["a single one stays as it is typed", [100], 0, 40, [40]],
  ])("%s", (_, shares, place, share, expected) => {
    expect(balancedShares(shares.with(place, share), place)).toEqual(expected);
  });

  it("always add up to 100, with the one that was set as it was set", () => {
    const shares = fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(shares, fc.nat(7), (hundredths, at) => {
        const place = at % hundredths.length;
        const balanced = balancedShares(
          hundredths.map((share) => share / 100),
          place,
        );
        expect(balanced[place]).toBe((hundredths[place] ?? 0) / 100);
        expect(balanced.every((share) => share >= 0 && share <= 100)).toBe(true);
        expect(Number(balanced.reduce((sum, share) => sum + share, 0).toFixed(6))).toBe(100);
      }),
    );
  });
});

describe("the subject of a flag", () => {
  it("carries rows on properties and flags over, and drops cohorts", () => {
    const draft = draftOf({
      groups: [
        {
          properties: [
            { key: "plan", type: "person", value: "pro" },
            { key: "id", type: "cohort", operator: "in", value: 3 },
            { key: "7", type: "flag", operator: "flag_evaluates_to", value: true },
          ],
        },
      ],
    });
    const grouped = filtersOf(forSubject(draft, 1));
    expect(grouped).toEqual({
      aggregation_group_type_index: 1,
      groups: [
        {
          properties: [
            { key: "plan", type: "group", group_type_index: 1, value: "pro" },
            { key: "7", type: "flag", operator: "flag_evaluates_to", value: true },
          ],
        },
      ],
    });
    expect(filtersOf(forSubject(draftOf(grouped), null)).groups[0]?.properties?.[0]).toEqual({
      key: "plan",
      type: "person",
      value: "pro",
    });
  });
});
