import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FlagFilters } from "#lib/people/conditions/filters-schema.ts";
import { draftOf, filtersOf } from "./draft.ts";
import {
  addVariant,
  changeVariant,
  duplicateSet,
  forSubject,
  insertSet,
  moveSet,
  removeSet,
  removeVariant,
  sharesOf,
  withShares,
  withVariants,
  withVariantsOf,
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

  it("get an equal share when added, and share what a removed one had", () => {
    const three = addVariant(several);
    expect(sharesOf(three)).toEqual([33.34, 33.33, 33.33]);
    expect(three.variants.map(({ variant }) => variant.key)).toEqual(["control", "test", "test-2"]);
    const uneven = withShares(three, [60, 30, 10]);
    expect(sharesOf(addVariant(uneven))).toEqual([45, 22.5, 7.5, 25]);
    expect(sharesOf(removeVariant(uneven, uneven.variants[0]?.uid ?? ""))).toEqual([75, 25]);
  });

  it("come back as they were when a removal is undone, without what was typed since being lost", () => {
    const uid = several.variants[1]?.uid ?? "";
    const former = withShares(
      { ...several, sets: several.sets.map((set) => ({ ...set, group: { ...set.group, variant: "test" } })) },
      [70, 30],
    );
    const control = several.variants[0]?.uid ?? "";
    const since = changeVariant(removeVariant(former, uid), control, { name: "As it is" });
    const back = filtersOf(withVariantsOf(since, former));
    expect(back.multivariate?.variants).toEqual([
      { key: "control", name: "As it is", rollout_percentage: 70 },
      { key: "test", name: "", rollout_percentage: 30 },
    ]);
    expect(back.groups[0]?.variant).toBe("test");
  });

  it("leave no set that forces a variant whose addition is undone", () => {
    const added = addVariant(several);
    const forced = {
      ...added,
      sets: added.sets.map((set) => ({ ...set, group: { ...set.group, variant: "test-2" } })),
    };
    const back = filtersOf(withVariantsOf(forced, several));
    expect(back.groups[0]?.variant).toBeNull();
    expect(back.multivariate?.variants).toEqual(filtersOf(several).multivariate?.variants);
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
