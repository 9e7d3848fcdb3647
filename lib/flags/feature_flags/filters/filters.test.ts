import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FiltersFacts, findFiltersProblem } from "./filters.ts";

const facts: FiltersFacts = {
  flag_id: 7,
  flag_key: "mine",
  flags: new Map([
    [7, { key: "mine", active: true, filters: {} }],
    [8, { key: "free", active: true, filters: { groups: [] } }],
    [
      9,
      {
        key: "leans-on-mine",
        active: true,
        filters: {
          groups: [{ properties: [{ key: "7", type: "flag", value: true, operator: "flag_evaluates_to" }] }],
        },
      },
    ],
  ]),
  cohort_ids: new Set([5]),
};

const withRow = (row: unknown) => ({ groups: [{ properties: [row], rollout_percentage: 50 }] });
const person = (operator: string, value: unknown) =>
  withRow({ key: "plan", type: "person", operator, value });
const variants = (...shares: number[]) => ({
  groups: [{ properties: [] }],
  multivariate: { variants: shares.map((rollout_percentage, i) => ({ key: `v${i}`, rollout_percentage })) },
});

describe("filters that can be saved", () => {
  it.each([
    ["an empty set", { groups: [{}] }],
    ["a set with a rollout", { groups: [{ rollout_percentage: 12.5 }] }],
    ["text against a list", person("exact", ["pro", 1, true])],
    ["a number as text", person("gt", "10")],
    ["a number", person("lte", 10)],
    ["presence without a value", withRow({ key: "plan", type: "person", operator: "is_set" })],
    ["no operator", withRow({ key: "plan", type: "person", value: "pro" })],
    ["a relative date", person("is_date_after", "-7d")],
    ["an ISO date", person("is_date_before", "2026-02-03T04:05:06Z")],
    ["a regular expression", person("regex", "^a[0-9]+$")],
    ["a cohort", withRow({ key: "id", type: "cohort", value: 5, operator: "in" })],
    ["a cohort by text, without operator", withRow({ key: "id", type: "cohort", value: "5" })],
    ["a dependency", withRow({ key: "8", type: "flag", value: "blue", operator: "flag_evaluates_to" })],
    ["thirds", variants(33.33, 33.33, 33.34)],
    ["no variants at all", { groups: [{}], multivariate: { variants: [] } }],
    [
      "a group flag",
      {
        aggregation_group_type_index: 0,
        groups: [
          { properties: [{ key: "size", type: "group", group_type_index: 0, value: "3", operator: "gt" }] },
        ],
      },
    ],
    ["a payload", { groups: [{}], payloads: { true: '{"a":1}' } }],
    ["a payload as an object", { groups: [{}], payloads: { true: { a: 1 } } }],
    ["members nobody knows", { groups: [{ sort_key: "a1", note: { x: 1 } }], early_exit: true, later: [1] }],
  ])("%s", (_, filters) => {
    expect(findFiltersProblem(filters, facts)).toBeNull();
  });
});

describe("filters that are refused", () => {
  it.each([
    ["a list", [], "not_a_dict", []],
    ["no condition sets", {}, "invalid_input", ["groups"]],
    ["an empty list of sets", { groups: [] }, "invalid_input", ["groups"]],
    ["a set that is no object", { groups: [3] }, "invalid_input", ["groups", 0]],
    [
      "rollout above 100",
      { groups: [{ rollout_percentage: 100.1 }] },
      "invalid_input",
      ["groups", 0, "rollout_percentage"],
    ],
    [
      "rollout below 0",
      { groups: [{ rollout_percentage: -1 }] },
      "invalid_input",
      ["groups", 0, "rollout_percentage"],
    ],
    [
      "rollout as text",
      { groups: [{ rollout_percentage: "50" }] },
      "invalid_input",
      ["groups", 0, "rollout_percentage"],
    ],
    [
      "properties that are no list",
      { groups: [{ properties: {} }] },
      "invalid_input",
      ["groups", 0, "properties"],
    ],
    [
      "a row without a key",
      withRow({ type: "person", value: 1 }),
      "invalid_input",
      ["groups", 0, "properties", 0, "key"],
    ],
    [
      "a row without a type",
      withRow({ key: "plan", value: 1 }),
      "invalid_input",
      ["groups", 0, "properties", 0, "type"],
    ],
    [
      "an event row",
      withRow({ key: "plan", type: "event", value: 1 }),
      "invalid_input",
      ["groups", 0, "properties", 0, "type"],
    ],
    [
      "a group row in a person flag",
      withRow({ key: "s", type: "group", group_type_index: 0, value: 1 }),
      "invalid_input",
      ["groups", 0, "properties", 0, "type"],
    ],
    [
      "an unknown operator",
      person("sounds_like", "pro"),
      "unsupported_operator",
      ["groups", 0, "properties", 0, "operator"],
    ],
    ["no value", person("exact", null), "invalid_input", ["groups", 0, "properties", 0, "value"]],
    [
      "an object as value",
      person("exact", { a: 1 }),
      "invalid_input",
      ["groups", 0, "properties", 0, "value"],
    ],
    [
      "a long list",
      person("exact", Array.from({ length: 1001 }, String)),
      "invalid_input",
      ["groups", 0, "properties", 0, "value"],
    ],
    [
      "icontains with a number",
      person("icontains", 3),
      "invalid_value",
      ["groups", 0, "properties", 0, "value"],
    ],
    ["gt with true", person("gt", true), "invalid_value", ["groups", 0, "properties", 0, "value"]],
    ["gt with a list", person("gt", ["1"]), "invalid_value", ["groups", 0, "properties", 0, "value"]],
    [
      "a broken regular expression",
      person("regex", "(a"),
      "invalid_value",
      ["groups", 0, "properties", 0, "value"],
    ],
    ["look-ahead", person("regex", "(?=a)b"), "invalid_value", ["groups", 0, "properties", 0, "value"]],
    ["no date", person("is_date_before", "soon"), "invalid_date", ["groups", 0, "properties", 0, "value"]],
    ["in without a cohort", person("in", 5), "invalid_operator", ["groups", 0, "properties", 0, "operator"]],
    [
      "an unknown cohort",
      withRow({ key: "id", type: "cohort", value: 6 }),
      "cohort_does_not_exist",
      ["groups", 0, "properties", 0, "value"],
    ],
    [
      "flag_evaluates_to on a person",
      person("flag_evaluates_to", true),
      "invalid_input",
      ["groups", 0, "properties", 0, "operator"],
    ],
    [
      "a dependency by another operator",
      withRow({ key: "8", type: "flag", value: true, operator: "exact" }),
      "invalid_input",
      ["groups", 0, "properties", 0, "operator"],
    ],
    [
      "a dependency by key",
      withRow({ key: "free", type: "flag", value: true, operator: "flag_evaluates_to" }),
      "invalid_input",
      ["groups", 0, "properties", 0, "key"],
    ],
    [
      "an unknown dependency",
      withRow({ key: "99", type: "flag", value: true, operator: "flag_evaluates_to" }),
      "invalid_input",
      ["groups", 0, "properties", 0, "key"],
    ],
    [
      "itself",
      withRow({ key: "7", type: "flag", value: true, operator: "flag_evaluates_to" }),
      "invalid_input",
      ["groups", 0, "properties", 0, "key"],
    ],
    [
      "a cycle",
      withRow({ key: "9", type: "flag", value: true, operator: "flag_evaluates_to" }),
      "invalid_input",
      ["groups"],
    ],
    ["variants that make 90", variants(50, 40), "invalid_input", ["multivariate", "variants"]],
    [
      "a share as text",
      { groups: [{}], multivariate: { variants: [{ key: "a", rollout_percentage: "100" }] } },
      "invalid_input",
      ["multivariate", "variants", 0, "rollout_percentage"],
    ],
    [
      "two variants of one name",
      {
        groups: [{}],
        multivariate: {
          variants: [
            { key: "a", rollout_percentage: 50 },
            { key: "a", rollout_percentage: 50 },
          ],
        },
      },
      "invalid_input",
      ["multivariate", "variants", 1, "key"],
    ],
    [
      "a forced variant that is not there",
      { groups: [{ variant: "x" }], multivariate: { variants: [{ key: "a", rollout_percentage: 100 }] } },
      "invalid_input",
      ["groups", 0, "variant"],
    ],
    [
      "a payload for nobody",
      { ...variants(100), payloads: { other: "1" } },
      "invalid_input",
      ["payloads", "other"],
    ],
    [
      "a payload of a boolean flag under another key",
      { groups: [{}], payloads: { on: "1" } },
      "invalid_input",
      ["payloads", "on"],
    ],
    [
      "a payload that is no JSON",
      { groups: [{}], payloads: { true: "{a" } },
      "invalid_input",
      ["payloads", "true"],
    ],
    [
      "a group type out of range",
      { groups: [{}], aggregation_group_type_index: 5 },
      "invalid_input",
      ["aggregation_group_type_index"],
    ],
    [
      "a group flag on persons",
      { aggregation_group_type_index: 0, ...person("exact", "pro") },
      "invalid_input",
      ["groups", 0, "properties", 0, "type"],
    ],
    [
      "a group flag on another type",
      {
        aggregation_group_type_index: 0,
        ...withRow({ key: "s", type: "group", group_type_index: 1, value: "1" }),
      },
      "invalid_input",
      ["groups", 0, "properties", 0, "group_type_index"],
    ],
  ] as const)("%s", (_, filters, code, path) => {
    const problem = findFiltersProblem(filters, facts);
    expect(problem).toMatchObject({ code, path });
    expect(problem?.detail).not.toBe("");
  });

  it("names the whole circle", () => {
    const circle = withRow({ key: "9", type: "flag", value: true, operator: "flag_evaluates_to" });
    expect(findFiltersProblem(circle, facts)?.detail).toContain("mine → leans-on-mine → mine");
  });
});

it("any JSON gets an answer, never an exception", () => {
  const filters = fc.oneof(
    fc.jsonValue(),
    fc.record({ groups: fc.jsonValue(), multivariate: fc.jsonValue(), payloads: fc.jsonValue() }),
    fc.record({
      groups: fc.array(
        fc.record({ properties: fc.array(fc.jsonValue()), rollout_percentage: fc.jsonValue() }),
      ),
    }),
  );
  fc.assert(
    fc.property(filters, (value) => {
      const problem = findFiltersProblem(value, facts);
      expect(problem === null || problem.detail.length > 0).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
