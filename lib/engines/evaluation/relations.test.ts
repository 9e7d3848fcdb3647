import { describe, expect, it } from "vitest";
import type {
  CohortDefinition,
  CohortTree,
  FlagDefinition,
  Mode,
  Property,
} from "#lib/engines/evaluation/values/types.ts";
import { compileFlags } from "./compile.ts";
import { evaluateAll, evaluateFlag } from "./evaluate.ts";
import { matchProperty } from "./match-property.ts";

const now = 0;
const everyone = { properties: [], rollout_percentage: 100 };

function person(key: string, value: unknown, more: Partial<Property> = {}): Property {
  return { key, type: "person", value, operator: "exact", ...more };
}

describe("cohorts", () => {
  const inCohort = (id: number, operator: string | null = "in"): Property => ({
    key: "id",
    type: "cohort",
    value: id,
    operator,
  });

  function ask(
    tree: CohortTree,
    properties: Record<string, unknown>,
    mode: Mode = "complete",
    more: CohortDefinition[] = [],
  ) {
    return matchProperty(inCohort(1), properties, {
      mode,
      now,
      cohorts: [{ id: 1, properties: tree }, ...more],
    });
  }

  const pro = person("plan", "pro");
  const adult = person("age", "18", { operator: "gte" });

  it.each([
    { tree: { type: "AND", values: [pro, adult] }, given: { plan: "pro", age: 20 }, expected: "match" },
    { tree: { type: "AND", values: [pro, adult] }, given: { plan: "pro", age: 2 }, expected: "no_match" },
    { tree: { type: "OR", values: [pro, adult] }, given: { age: 20 }, expected: "match" },
    {
      tree: {
        type: "OR",
        values: [
          { type: "AND", values: [pro] },
          { type: "AND", values: [adult] },
        ],
      },
      given: { age: 20 },
      expected: "match",
    },
    {
      tree: { type: "AND", values: [{ ...pro, negation: true }] },
      given: { plan: "free" },
      expected: "match",
    },
    {
      tree: { type: "AND", values: [{ ...pro, negation: true }] },
      given: { plan: "pro" },
      expected: "no_match",
    },
    { tree: { type: "AND", values: [] }, given: {}, expected: "match" },
    { tree: {}, given: {}, expected: "match" },
    { tree: { type: "OR", values: [] }, given: {}, expected: "match" },
    { tree: { type: "AND" }, given: {}, expected: "no_match" },
    { tree: { type: "OR", values: "pro" }, given: { plan: "pro" }, expected: "no_match" },
    { tree: { type: "AND", values: [{ type: "OR" }] }, given: { type: "x" }, expected: "no_match" },
    { tree: { type: "AND", values: [{ values: [pro] }] }, given: { plan: "pro" }, expected: "no_match" },
    { tree: { type: "AND", values: [{}] }, given: {}, expected: "match" },
    { tree: { type: "property", values: [pro, adult] }, given: { plan: "pro" }, expected: "no_match" },
    { tree: { type: "OR", values: [pro, adult] }, given: { plan: "x", age: 2 }, expected: "no_match" },
    { tree: { type: "AND", values: [null] }, given: {}, expected: "no_match" },
    { tree: { type: "XOR", values: [pro] }, given: { plan: "pro" }, expected: "no_match" },
  ])("$tree asked of $given: $expected", ({ tree, given, expected }) => {
    expect(ask(tree as CohortTree, given)).toBe(expected);
  });

  it("can contain cohorts, and not themselves", () => {
    const nested: CohortTree = { type: "AND", values: [inCohort(2), adult] };
    const two = { id: 2, properties: { type: "AND", values: [pro] } };
    expect(ask(nested, { plan: "pro", age: 20 }, "complete", [two])).toBe("match");
    expect(ask(nested, { plan: "free", age: 20 }, "complete", [two])).toBe("no_match");
    const circle = { id: 2, properties: { type: "OR", values: [inCohort(1), inCohort(1, "not_in")] } };
    expect(ask({ type: "AND", values: [inCohort(2)] }, {}, "complete", [circle])).toBe("no_match");
    expect(ask({ type: "AND", values: [inCohort(2)] }, {}, "partial", [circle])).toBe("server");
  });

  it.each([
    { id: 5, operator: "in", members: [5], complete: "match" },
    { id: 5, operator: null, members: [6], complete: "no_match" },
    { id: 5, operator: "not_in", members: [6], complete: "match" },
    { id: 5, operator: "not_in", members: [5], complete: "no_match" },
    { id: 9, operator: "in", members: [9], complete: "no_match" },
    { id: 9, operator: "not_in", members: [], complete: "no_match" },
    { id: 5, operator: "gt", members: [5], complete: "no_match" },
  ])("static cohort $id, $operator, member of $members: $complete", ({ id, operator, members, complete }) => {
    const cohorts = [{ id: 5, is_static: true }];
    expect(
      matchProperty(inCohort(id, operator), {}, { now, cohorts, static_cohorts: new Set(members) }),
    ).toBe(complete);
  });

  /** A tree of so many levels around one row. */
  const nestedTree = (levels: number): CohortTree =>
    levels === 0
      ? { type: "AND", values: [pro] }
      : ({ type: "AND", values: [nestedTree(levels - 1)] } as unknown as CohortTree);

  it("takes deep nesting for a mistake", () => {
    expect(ask(nestedTree(40), { plan: "pro" })).toBe("match");
    expect(ask(nestedTree(41), { plan: "pro" })).toBe("no_match");
    expect(ask(nestedTree(41), { plan: "pro" }, "partial")).toBe("server");
    /** Cohort 1 asks for 2, which asks for 3, and so on. */
    const chain = (length: number): CohortDefinition[] =>
      Array.from({ length }, (_, i) => ({
        id: i + 2,
        properties: { type: "AND", values: [i + 1 < length ? inCohort(i + 3) : pro] },
      }));
    const first: CohortTree = { type: "AND", values: [inCohort(2)] };
    expect(ask(first, { plan: "pro" }, "complete", chain(39))).toBe("match");
    expect(ask(first, { plan: "pro" }, "complete", chain(40))).toBe("no_match");
  });

  it("leaves an unreadable part of a tree to the server", () => {
    for (const node of [{ type: "OR" }, { type: "AND" }, { values: [] }])
      expect(ask({ type: "AND", values: [node as unknown as Property] }, {}, "partial")).toBe("server");
    expect(ask({ type: "AND", values: [{ type: "person" } as unknown as Property] }, {}, "partial")).toBe(
      "inconclusive",
    );
  });

  it("takes exact for in, and no other operator", () => {
    for (const [operator, expected] of [
      ["exact", "match"],
      ["in", "match"],
      ["not_in", "no_match"],
      ["is_set", "no_match"],
    ] as const)
      expect(
        matchProperty(
          inCohort(5, operator),
          {},
          { now, cohorts: [{ id: 5, is_static: true }], static_cohorts: new Set([5]) },
        ),
      ).toBe(expected);
    expect(matchProperty(inCohort(5, "is_set"), {}, { now, mode: "partial" })).toBe("inconclusive");
    expect(matchProperty(inCohort(5), {}, { now, cohorts: [{ id: 5, is_static: true }] })).toBe("no_match");
  });

  it("keeps what cannot be decided undecided when it is negated", () => {
    const negated: CohortTree = { type: "AND", values: [{ ...pro, negation: true }] };
    expect(ask(negated, {}, "partial")).toBe("inconclusive");
    expect(matchProperty(inCohort(9, "not_in"), {}, { mode: "partial", now })).toBe("server");
    expect(ask({ type: "AND", values: [{ ...inCohort(9), negation: true }] }, {}, "partial")).toBe("server");
  });

  it("leaves a cohort that is not at hand to the server, and says unknown only where it matters", () => {
    expect(matchProperty(inCohort(9), {}, { mode: "partial", now })).toBe("server");
    expect(ask({ type: "OR", values: [pro, adult] }, { age: 20 }, "partial")).toBe("match");
    expect(ask({ type: "AND", values: [pro, adult] }, { age: 2 }, "partial")).toBe("no_match");
    expect(ask({ type: "AND", values: [pro, adult] }, { age: 20 }, "partial")).toBe("inconclusive");
    expect(ask({ type: "OR", values: [pro, inCohort(9)] }, { plan: "pro" }, "partial")).toBe("server");
  });

  it("does not mix up the person's answer with the group's", () => {
    const flag = {
      key: "f",
      active: true,
      filters: {
        groups: [
          { properties: [inCohort(1)], rollout_percentage: 0 },
          { properties: [inCohort(1)], aggregation_group_type_index: 0 },
        ],
      },
    };
    const cohorts = [{ id: 1, properties: { type: "AND", values: [pro] } }];
    const compiled = compileFlags({ flags: [flag], cohorts, group_type_mapping: { "0": "company" } });
    const subject = { distinct_id: "a", person_properties: { plan: "free" }, groups: { company: "c" }, now };
    expect(
      evaluateFlag(compiled, "f", { ...subject, group_properties: { company: { plan: "pro" } } })?.value,
    ).toBe(true);
    expect(
      evaluateFlag(compiled, "f", { ...subject, group_properties: { company: { plan: "no" } } })?.value,
    ).toBe(false);
  });
});

describe("flags that depend on flags", () => {
  const needs = (key: string, value: unknown, more = {}): Property => ({
    key,
    type: "flag",
    operator: "flag_evaluates_to",
    value,
    ...more,
  });
  const flag = (
    id: number,
    key: string,
    properties: Property[],
    more: Partial<FlagDefinition> = {},
  ): FlagDefinition => ({
    id,
    key,
    active: true,
    filters: { groups: [{ properties }] },
    ...more,
  });
  const blue = { groups: [everyone], multivariate: { variants: [{ key: "blue", rollout_percentage: 100 }] } };

  function value(flags: FlagDefinition[], key = "f", mode: Mode = "complete") {
    const outcome = evaluateFlag(compileFlags({ flags, mode }), key, { distinct_id: "ann", now });
    return [outcome?.value, outcome?.reason];
  }

  it.each([
    { filters: { groups: [everyone] }, expected: true, on: true },
    { filters: { groups: [] }, expected: true, on: false },
    { filters: { groups: [] }, expected: false, on: true },
    { filters: blue, expected: true, on: true },
    { filters: blue, expected: "blue", on: true },
    { filters: blue, expected: "Blue", on: false },
    { filters: { groups: [everyone] }, expected: "blue", on: false },
    { filters: { groups: [everyone] }, expected: "true", on: false },
  ])("wants $expected: $on", ({ filters, expected, on }) => {
    const base = flag(12, "base", [], { filters });
    expect(value([flag(1, "f", [needs("12", expected)]), base])[0]).toBe(on);
    expect(value([flag(1, "f", [needs("base", expected)]), base])[0]).toBe(on);
  });

  it("asks for a variant by its text only", () => {
    const base = flag(12, "base", [], { filters: blue });
    for (const expected of [1, ["blue"], { a: 1 }])
      expect(value([flag(1, "f", [needs("12", expected)]), base])[0]).toBe(false);
    for (const broken of [
      needs("12", null),
      needs("12", undefined),
      needs("12", "blue", { operator: "exact" }),
    ])
      expect(value([flag(1, "f", [broken]), base])).toEqual([false, "no_condition_match"]);
  });

  it("is undecided when only the flag it asks for is", () => {
    const asks = { dependency_chain: ["base"] };
    const base = flag(2, "base", [person("plan", "pro")]);
    expect(value([flag(1, "f", [needs("base", false, asks)]), base], "f", "partial")).toEqual([
      false,
      "inconclusive",
    ]);
    const server = flag(2, "base", [{ key: "id", type: "cohort", value: 99 }]);
    expect(value([server], "base", "partial")).toEqual([false, "requires_server"]);
    expect(value([flag(1, "f", [needs("base", false, asks)]), server], "f", "partial")).toEqual([
      false,
      "inconclusive",
    ]);
    const wrongChain = flag(1, "f", [needs("base", true, { dependency_chain: ["other"] })]);
    expect(value([wrongChain, flag(2, "base", []), flag(3, "other", [])], "f", "partial")[1]).toBe(
      "inconclusive",
    );
  });

  it("refuses what is in two cycles, and not what only leads there", () => {
    const flags = [
      flag(1, "f", [needs("2", true), needs("3", true)]),
      flag(2, "g", [needs("1", true)]),
      flag(3, "h", [needs("4", true)]),
      flag(4, "i", [needs("3", true)]),
      flag(5, "j", [needs("1", false), needs("6", true)]),
      flag(6, "k", []),
    ];
    for (const key of ["f", "g", "h", "i"]) expect(value(flags, key)).toEqual([false, "missing_dependency"]);
    for (const key of ["j", "k"]) expect(value(flags, key)).toEqual([true, "condition_match"]);
    expect(value(flags.toReversed(), "j")).toEqual([true, "condition_match"]);
  });

  it("takes a disabled flag for false", () => {
    const off = flag(2, "off", [], { active: false });
    expect(value([flag(1, "f", [needs("2", false)]), off])).toEqual([true, "condition_match"]);
  });

  it("is off when a flag it needs is missing or needs it in turn", () => {
    expect(value([flag(1, "f", [needs("77", false)])])).toEqual([false, "missing_dependency"]);
    expect(value([flag(1, "f", [needs("1", false)])])).toEqual([false, "missing_dependency"]);
    const circle = [
      flag(1, "f", [needs("2", true)]),
      flag(2, "g", [needs("3", true)]),
      flag(3, "h", [needs("1", true)]),
    ];
    for (const key of ["f", "g", "h"]) expect(value(circle, key)).toEqual([false, "missing_dependency"]);
    // Standing outside the circle and looking in is fine.
    expect(value([...circle, flag(4, "x", [needs("1", false)])], "x")).toEqual([true, "condition_match"]);
  });

  it("follows a missing flag through a cohort, for every flag that uses the cohort", () => {
    const cohorts = [{ id: 1, properties: { type: "AND", values: [needs("77", true)] } }];
    const rows: Property[] = [{ key: "id", type: "cohort", value: 1, operator: "not_in" }];
    const compiled = compileFlags({ flags: [flag(1, "f", rows), flag(2, "g", rows)], cohorts });
    const reasons = evaluateAll(compiled, { distinct_id: "ann", now }).map((outcome) => outcome.reason);
    expect(reasons).toEqual(["missing_dependency", "missing_dependency"]);
  });

  it("decides long chains in any order, and refuses endless ones", () => {
    const chain = (length: number) =>
      Array.from({ length }, (_, i) => flag(i, `f${i}`, i === 0 ? [] : [needs(String(i - 1), true)]));
    expect(value(chain(150).reverse(), "f149")).toEqual([true, "condition_match"]);
    expect(value(chain(20_000), "f150")).toEqual([true, "condition_match"]);
    expect(value(chain(20_000), "f19999")[0]).toBe(false);
  });

  it("needs the chain spelled out where an SDK evaluates", () => {
    const base = flag(2, "base", []);
    const chained = { dependency_chain: ["base"] };
    expect(value([flag(1, "f", [needs("base", true, chained)]), base], "f", "partial")).toEqual([
      true,
      "condition_match",
    ]);
    for (const more of [
      {},
      { dependency_chain: [] },
      { dependency_chain: ["gone", "base"] },
      { dependency_chain: "base" },
    ]) {
      expect(value([flag(1, "f", [needs("base", true, more)]), base], "f", "partial")[1]).toBe(
        "inconclusive",
      );
    }
    const own = [flag(1, "f", [needs("f", true, { dependency_chain: ["f"] })])];
    expect(value(own, "f", "partial")[1]).toBe("inconclusive");
  });

  it("leaves the answer to the server when any flag of the chain is undecided", () => {
    const asks = { dependency_chain: ["middle", "base"] };
    const undecided = flag(3, "middle", [person("plan", "pro")]);
    const decided = flag(3, "middle", []);
    const base = flag(2, "base", []);
    const dependent = flag(1, "f", [needs("base", true, asks)]);
    expect(value([dependent, base, decided], "f", "partial")).toEqual([true, "condition_match"]);
    expect(value([dependent, base, undecided], "f", "partial")).toEqual([false, "inconclusive"]);
    const last = flag(1, "f", [needs("middle", true, { dependency_chain: ["middle"] })]);
    expect(value([last, undecided], "f", "partial")).toEqual([false, "inconclusive"]);
  });
});

describe("what must be known", () => {
  it("lists the properties, groups and cohorts read, by way of dependencies too", () => {
    const flags: FlagDefinition[] = [
      {
        key: "a",
        active: true,
        ensure_experience_continuity: true,
        filters: {
          groups: [
            {
              properties: [
                person("plan", "x"),
                { key: "b", type: "flag", operator: "flag_evaluates_to", value: true },
              ],
            },
          ],
          feature_enrollment: true,
        },
      },
      {
        key: "b",
        active: true,
        filters: {
          groups: [
            { properties: [{ key: "id", type: "cohort", value: 1 }] },
            {
              properties: [person("size", 1, { type: "group", group_type_index: 0 })],
              aggregation_group_type_index: 0,
            },
          ],
        },
      },
      { key: "off", active: false, filters: { groups: [{ properties: [person("unread", 1)] }] } },
    ];
    const cohorts = [
      {
        id: 1,
        properties: {
          type: "OR",
          values: [person("country", "FR"), { key: "id", type: "cohort" as const, value: 2 }],
        },
      },
      { id: 2, is_static: true },
    ];
    const compiled = compileFlags({ flags, cohorts, group_type_mapping: { "0": "company" } });
    const b = {
      person_properties: ["country"],
      group_types: ["company"],
      static_cohort_ids: [2],
      experience_continuity: false,
    };
    expect(compiled.by_key.get("b")?.needs).toEqual(b);
    expect(new Set(compiled.by_key.get("a")?.needs.person_properties)).toEqual(
      new Set(["plan", "$feature_enrollment/a", "country"]),
    );
    expect(compiled.by_key.get("off")?.needs.person_properties).toEqual([]);
    const rows = (asked: string): Property[] => [
      { key: asked, type: "flag", operator: "flag_evaluates_to", value: true },
      person("plan", "pro"),
    ];
    const circle = ["x", "y"].map((key, i, all) => ({
      key,
      active: true,
      filters: { groups: [{ properties: rows(all[1 - i] as string) }] },
    }));
    expect(compileFlags({ flags: circle }).needs.person_properties).toEqual([]);
    const super_groups = [{ properties: [person("plan", "pro")] }];
    const enrolling = [{ key: "e", active: true, filters: { groups: [], super_groups } }];
    expect(new Set(compileFlags({ flags: enrolling }).needs.person_properties)).toEqual(
      new Set(["plan", "$feature_enrollment/e"]),
    );
    const all = compiled.needs;
    expect(new Set(all.person_properties)).toEqual(new Set(["plan", "$feature_enrollment/a", "country"]));
    expect(all).toMatchObject({
      group_types: ["company"],
      static_cohort_ids: [2],
      experience_continuity: true,
    });
  });
});
