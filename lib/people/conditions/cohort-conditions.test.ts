import { describe, expect, it } from "vitest";
import type { Json } from "#lib/engines/json.ts";
import { cohortIdsIn, cohortIdsOf, expandCohort, rowsOf } from "./cohort-conditions.ts";

const row = (key: string, more: Json = {}) => ({ key, type: "person", value: "1", ...more });
const [a, b, c, d] = ["a", "b", "c", "d"].map((key) => row(key));
const and = (...values: unknown[]) => ({ type: "AND", values });
const or = (...values: unknown[]) => ({ type: "OR", values });
const inCohort = (value: unknown, more: Json = {}) => ({ key: "id", type: "cohort", value, ...more });
const on = (...properties: unknown[]) => ({ properties, rollout_percentage: 40 });

describe("the cohorts that conditions refer to", () => {
  it("are listed by id, each once, those of early access too", () => {
    const filters = {
      groups: [on(inCohort(3), row("x")), on(inCohort("5"), inCohort(3)), null, { properties: null }, {}],
      super_groups: [on(inCohort(7)), on(inCohort(5))],
    };
    expect(cohortIdsOf(filters)).toEqual([3, 5, 7]);
    for (const none of [{}, { groups: null, super_groups: 3 }, { groups: [on(row("x"))] }])
      expect(cohortIdsOf(none)).toEqual([]);
    expect(cohortIdsIn([inCohort("12"), row("x"), inCohort(4)])).toEqual([12, 4]);
  });
});

describe("the rows of a cohort's tree", () => {
  it.each<[string, unknown, unknown[]]>([
    ["of one level", and(a, b), [a, b]],
    ["of several levels", or(and(a, or(b)), c), [a, b, c]],
    ["that is empty", or(and()), []],
    ["that is a single row", a, [a]],
    ["of another kind", { type: "XOR", values: [a] }, [{ type: "XOR", values: [a] }]],
    ["without a list", { type: "AND", values: a }, [{ type: "AND", values: a }]],
    ["with members that cannot be read", and(null, 3, "x", [], a), [a]],
    ["that is none", null, []],
  ])("%s", (_, tree, rows) => {
    expect(rowsOf(tree)).toEqual(rows);
  });
});

describe("a condition on one cohort", () => {
  const written = (tree: unknown, ...groups: unknown[]) => {
    const filters = { groups: groups.length > 0 ? groups : [on(inCohort(3))], early_exit: true };
    return { filters, expanded: expandCohort(filters, (id) => (id === 3 ? tree : null)) };
  };

  it.each<[string, unknown, unknown[][]]>([
    ["all rows", and(a, b), [[a, b]]],
    ["any row", or(a, b), [[a], [b]]],
    ["one row", and(a), [[a]]],
    ["any of several lists", or(and(a, b), and(c)), [[a, b], [c]]],
    ["any of several lists and rows", or(and(a, b), or(c, d)), [[a, b], [c], [d]]],
    ["lists around a single list", and(or(and(a, b))), [[a, b]]],
    ["lists around single lists inside", or(and(and(a)), and(or(b, c))), [[a], [b], [c]]],
    ["a row that is not negated", and(row("x", { negation: false })), [[row("x", { negation: false })]]],
  ])("is written out: %s", (_, tree, alternatives) => {
    const { expanded } = written(tree);
    expect(expanded).toEqual({
      groups: alternatives.map((properties) => ({ properties, rollout_percentage: 40 })),
      early_exit: true,
    });
  });

  it("leaves the other sets as they are, and takes an id as text", () => {
    const plain = on(row("plan"), row("country"));
    const { expanded } = written(or(a, b), plain, on(inCohort("3", { operator: "in" })), on());
    expect(expanded.groups).toEqual([plain, on(a), on(b), on()]);
  });

  it.each<[string, unknown, unknown[]]>([
    ["all of several lists", and(or(a, b), or(c, d)), []],
    ["all of lists and rows", and(or(a, b), c), []],
    ["rows beside lists", or(a, and(b, c)), []],
    ["lists three deep", or(and(or(a, b), c), and(d)), []],
    ["an empty list", and(), []],
    ["an empty list beside another", or(and(a), and()), []],
    ["no tree", null, []],
    ["a list in place of a tree", [a], []],
    ["a single row in place of a tree", a, []],
    ["a negated row", and(a, row("x", { negation: true })), []],
    ["a row on another cohort", and(a, inCohort(4)), []],
    ["a row on what people did", and(a, { type: "behavioral", key: "paid" }), []],
    ["a condition not to be in it", and(a), [on(inCohort(3, { operator: "not_in" }))]],
    ["a negated condition", and(a), [on(inCohort(3, { negation: true }))]],
    ["a condition beside another row", and(a), [on(inCohort(3), row("plan"))]],
    ["a condition behind another row", and(a), [on(row("plan"), inCohort(3))]],
    ["two cohorts", and(a), [on(inCohort(3)), on(inCohort(4))]],
    ["the same cohort twice in a set", and(a), [on(inCohort(3), inCohort(3))]],
    ["a set that forces a variant", and(a), [on(inCohort(3)), { ...on(), variant: "test" }]],
    ["no cohort", and(a), [on(row("plan"))]],
  ])("stays as it is: %s", (_, tree, groups) => {
    const { filters, expanded } = written(tree, ...groups);
    expect(expanded).toBe(filters);
  });

  it("is written out beside variants that are empty", () => {
    for (const variant of ["", null])
      expect(written(and(a), { ...on(inCohort(3)), variant }).expanded.groups).toEqual([
        { ...on(a), variant },
      ]);
  });
});
