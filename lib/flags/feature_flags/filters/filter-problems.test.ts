import { describe, expect, it } from "vitest";
import { dependenciesOf, type FiltersFacts, findFiltersProblem } from "./filters.ts";

const dependency = (id: number) => ({
  key: String(id),
  type: "flag",
  value: true,
  operator: "flag_evaluates_to",
});
const on = (...ids: number[]) => ({ groups: [{ properties: ids.map(dependency) }] });
const flag = (key: string, ...ids: number[]) => ({ key, active: true, filters: on(...ids) });

const facts: FiltersFacts = {
  flag_id: 1,
  flag_key: "mine",
  flags: new Map([
    [1, flag("mine")],
    [2, flag("two", 3)],
    [3, flag("three", 1)],
    [4, flag("left", 6)],
    [5, flag("right", 6)],
    [6, flag("bottom")],
    [7, flag("looks-at-missing", 99)],
    [8, flag("round", 9)],
    [9, flag("about", 8)],
  ]),
  cohort_ids: new Set(),
};
const problemOf = (filters: unknown, more: Partial<FiltersFacts> = {}) => {
  const problem = findFiltersProblem(filters, { ...facts, ...more });
  return problem && [problem.detail, problem.path];
};

const variants = (...list: [string, number][]) => ({
  groups: [{}],
  multivariate: { variants: list.map(([key, rollout_percentage]) => ({ key, rollout_percentage })) },
});
const PERCENT = "A rollout percentage must be a number from 0 to 100.";
const INDEX = "The group type index must be a whole number from 0 to 4.";

describe("what is said of filters that are refused, and where", () => {
  it.each<[string, unknown, string, (string | number)[]]>([
    ["no object", "x", "Filters must be an object.", []],
    ["no sets", { groups: [] }, "Feature flag filters must contain at least one condition set.", ["groups"]],
    [
      "a share of the second set",
      { groups: [{}, { rollout_percentage: 100.5 }] },
      PERCENT,
      ["groups", 1, "rollout_percentage"],
    ],
    [
      "a negative share of early access",
      { groups: [{}], super_groups: [{ rollout_percentage: -1 }] },
      PERCENT,
      ["super_groups", 0, "rollout_percentage"],
    ],
    [
      "a share of a holdout group",
      { groups: [{}], holdout_groups: [{}, { rollout_percentage: 101 }] },
      PERCENT,
      ["holdout_groups", 1, "rollout_percentage"],
    ],
    [
      "a share of a holdout",
      { groups: [{}], holdout: { id: 1, exclusion_percentage: 101 } },
      PERCENT,
      ["holdout", "exclusion_percentage"],
    ],
    [
      "an index of groups",
      { groups: [{}], aggregation_group_type_index: 5 },
      INDEX,
      ["aggregation_group_type_index"],
    ],
    [
      "an index of groups of one set",
      { groups: [{ aggregation_group_type_index: -1 }] },
      INDEX,
      ["groups", 0, "aggregation_group_type_index"],
    ],
    [
      "a blank variant",
      variants([" ", 100]),
      "A variant must have a key.",
      ["multivariate", "variants", 0, "key"],
    ],
    [
      "two variants of one key",
      variants(["a", 50], ["a", 50]),
      "There are two variants a.",
      ["multivariate", "variants", 1, "key"],
    ],
    [
      "a share of a variant",
      variants(["a", 150], ["b", -50]),
      PERCENT,
      ["multivariate", "variants", 0, "rollout_percentage"],
    ],
    [
      "shares that make more than 100",
      variants(["a", 50], ["b", 50.1]),
      "Invalid variant definitions: variant rollout percentages must sum to 100, not 100.1.",
      ["multivariate", "variants"],
    ],
    [
      "shares that make less than 100",
      variants(["a", 33.3], ["b", 33.3], ["c", 33.3]),
      "Invalid variant definitions: variant rollout percentages must sum to 100, not 99.9.",
      ["multivariate", "variants"],
    ],
    [
      "a forced variant of a boolean flag",
      { groups: [{}, { variant: "a" }] },
      "There is no variant a in this flag.",
      ["groups", 1, "variant"],
    ],
    [
      "a forced variant that is not there",
      { ...variants(["a", 100]), groups: [{ variant: "b" }] },
      "There is no variant b in this flag.",
      ["groups", 0, "variant"],
    ],
    [
      "a payload of a variant that is not there",
      { ...variants(["a", 100]), payloads: { a: "1", true: "1" } },
      "There is no variant true for this payload.",
      ["payloads", "true"],
    ],
    [
      "a payload of a boolean flag",
      { groups: [{}], payloads: { a: "1" } },
      "The payload of a boolean flag must have the key true.",
      ["payloads", "a"],
    ],
  ])("%s", (_, filters, detail, path) => {
    expect(problemOf(filters)).toEqual([detail, path]);
  });

  it("tells what is wrong with the JSON of a payload", () => {
    const [detail, path] = problemOf({ groups: [{}], payloads: { true: "{a" } }) ?? [];
    expect(detail).toMatch(/^The payload is not valid JSON: .+/);
    expect(path).toEqual(["payloads", "true"]);
  });

  it.each<[string, unknown]>([
    ["shares at both ends", { groups: [{ rollout_percentage: 0 }, { rollout_percentage: 100 }] }],
    ["null shares", { groups: [{ rollout_percentage: null }], holdout: { exclusion_percentage: null } }],
    ["a null index of groups", { groups: [{}], aggregation_group_type_index: null }],
    ["shares with rounding errors", variants(["a", 0.1], ["b", 0.2], ["c", 99.7])],
    [
      "a forced variant",
      { ...variants(["a", 100]), groups: [{ variant: "a" }, { variant: "" }, { variant: null }] },
    ],
    ["payloads of variants", { ...variants(["a", 100]), payloads: { a: "[1]" } }],
    ["a payload that is no text", { groups: [{}], payloads: { true: 3 } }],
    ["null payloads", { groups: [{}], payloads: null }],
  ])("takes %s", (_, filters) => {
    expect(problemOf(filters)).toBeNull();
  });
});

describe("sets that are evaluated for something else than their flag", () => {
  const person = { key: "plan", type: "person", value: "pro" };
  const company = { key: "tier", type: "group", group_type_index: 0, value: "gold" };
  const path = ["groups", 0, "properties", 0, "type"];

  it.each<[string, number | null | undefined, number | null | undefined, object, (string | number)[] | null]>(
    [
      ["persons, of a flag for groups", 0, null, person, null],
      ["persons, with a row on groups", 0, null, company, path],
      ["groups, of a flag for persons", null, 0, company, null],
      ["groups, with a row on persons", undefined, 0, person, path],
      ["the same as the flag", 0, undefined, company, null],
      ["the same as the flag, with a row on persons", 0, undefined, person, path],
    ],
  )("%s", (_, aggregation_group_type_index, own, row, where) => {
    const group = { properties: [row], ...(own !== undefined && { aggregation_group_type_index: own }) };
    const filters = {
      groups: [group],
      ...(aggregation_group_type_index !== undefined && { aggregation_group_type_index }),
    };
    expect(problemOf(filters)?.[1] ?? null).toEqual(where);
  });
});

describe("flags that depend on others", () => {
  it("cannot depend on themselves through others: the circle is named", () => {
    expect(problemOf(on(2))).toEqual(["Circular dependency: mine → two → three → mine.", ["groups"]]);
    expect(problemOf(on(6, 3))).toEqual(["Circular dependency: mine → three → mine.", ["groups"]]);
  });

  it.each<[string, number[], Partial<FiltersFacts>]>([
    ["a chain", [4], {}],
    ["two ways to one flag", [4, 5], {}],
    ["a flag that depends on one that is gone", [7], {}],
    ["a circle of others", [8], {}],
    ["what depends on a flag of the same id, while new", [2], { flag_id: null }],
  ])("can depend on %s", (_, ids, more) => {
    expect(problemOf(on(...ids), more)).toBeNull();
  });

  it("are known by the ids in their rows", () => {
    const plan = { key: "12", type: "person", value: "pro" };
    const groups = [
      { properties: [dependency(3), plan] },
      { properties: [dependency(5), null] },
      { properties: null },
      null,
      {},
    ];
    expect(dependenciesOf({ groups })).toEqual([3, 5]);
    for (const filters of [{}, { groups: null }, { groups: {} }, null, []])
      expect(dependenciesOf(filters as never)).toEqual([]);
  });
});
