import { expect, test } from "vitest";
import { cohortsWithin, findCohortProblem } from "./filters.ts";

const row = (given: object = {}) => ({
  key: "plan",
  type: "person",
  operator: "exact",
  value: ["pro"],
  ...given,
});
const tree = (...values: unknown[]) => ({ properties: { type: "OR", values: [{ type: "AND", values }] } });
const ref = (id: unknown, given: object = {}) => ({
  key: "id",
  type: "cohort",
  operator: "in",
  value: id,
  ...given,
});

const cohorts = new Map([
  [1, { name: "one", filters: tree(ref(2)) }],
  [2, { name: "two", filters: tree(row()) }],
]);
const facts = { cohort_id: 2, cohort_name: "two", cohorts };

const deep = (depth: number): object =>
  depth === 0 ? row() : { type: depth % 2 ? "AND" : "OR", values: [deep(depth - 1)] };

test.each([
  ["one condition", tree(row())],
  ["the operator left out", tree(row({ operator: undefined }))],
  ["a null operator", tree(row({ operator: null }))],
  ["no value, for is_set", tree(row({ operator: "is_set", value: undefined }))],
  ["a number", tree(row({ operator: "gt", value: 3 }))],
  ["a number as text", tree(row({ operator: "lte", value: "3.5" }))],
  ["a span of time", tree(row({ operator: "is_date_after", value: "-7d" }))],
  ["a pattern", tree(row({ operator: "regex", value: "^pro(-\\d+)?$" }))],
  ["a negated condition", tree(row({ negation: true }))],
  ["conditions without an inner group", { properties: { type: "AND", values: [row()] } }],
  ["ten levels", { properties: deep(10) }],
])("%s can be saved", (_, filters) => {
  expect(findCohortProblem(filters, facts)).toBeNull();
});

test.each<[string, unknown, string, (string | number)[]]>([
  ["no object", [], "not_a_dict", []],
  ["no properties", {}, "invalid_input", ["properties"]],
  [
    "another joint",
    { properties: { type: "XOR", values: [row()] } },
    "invalid_input",
    ["properties", "type"],
  ],
  ["no conditions", { properties: { type: "OR", values: [] } }, "invalid_input", ["properties", "values"]],
  ["an empty group", tree(), "invalid_input", ["properties", "values", 0, "values"]],
  ["a text for a condition", tree("x"), "invalid_input", ["properties", "values", 0, "values", 0]],
  [
    "eleven levels",
    { properties: deep(11) },
    "invalid_input",
    ["properties", ...Array(10).fill(["values", 0]).flat()],
  ],
  ["an event", tree(row({ type: "event" })), "invalid_input", at("type")],
  ["no type", tree(row({ type: undefined })), "invalid_input", at("type")],
  [
    "behaviour",
    tree({ type: "behavioral", key: "$pageview", value: "performed_event" }),
    "behavioral_cohort_found",
    at("type"),
  ],
  ["no key", tree(row({ key: "" })), "invalid_input", at("key")],
  ["an unknown operator", tree(row({ operator: "like" })), "unsupported_operator", at("operator")],
  [
    "a member of Object.prototype as operator",
    tree(row({ operator: "constructor" })),
    "unsupported_operator",
    at("operator"),
  ],
  ["an operator of cohorts", tree(row({ operator: "in" })), "unsupported_operator", at("operator")],
  ["a broken pattern", tree(row({ operator: "regex", value: "(" })), "invalid_value", at("value")],
  [
    "a pattern with look-ahead",
    tree(row({ operator: "regex", value: "a(?=b)" })),
    "invalid_value",
    at("value"),
  ],
  ["no date", tree(row({ operator: "is_date_before", value: "soon" })), "invalid_date", at("value")],
  ["no value", tree(row({ value: undefined })), "invalid_input", at("value")],
  ["an object as value", tree(row({ value: { a: 1 } })), "invalid_input", at("value")],
  ["null in a list", tree(row({ value: ["a", null] })), "invalid_input", at("value")],
  ["1,001 values", tree(row({ value: Array(1001).fill("x") })), "invalid_input", at("value")],
  ["negation of another type", tree(row({ negation: "yes" })), "invalid_input", at("negation")],
  ["an unknown cohort", tree(ref(9)), "cohort_does_not_exist", at("value")],
  ["a cohort by name", tree(ref("one")), "cohort_does_not_exist", at("value")],
  ["a cohort compared with gt", tree(ref(1, { operator: "gt" })), "invalid_operator", at("operator")],
  ["itself", tree(ref(2)), "invalid_input", ["properties"]],
  ["a cohort that contains it", tree(ref("1")), "invalid_input", ["properties"]],
])("%s is refused", (_, filters, code, path) => {
  expect(findCohortProblem(filters, facts)).toMatchObject({ code, path });
});

function at(field: string) {
  return ["properties", "values", 0, "values", 0, field];
}

test("the refusal of a circle names the way around", () => {
  expect(findCohortProblem(tree(ref(1)), facts)?.detail).toContain("two → one → two");
});

test("references are found at every level, as numbers and as texts, each once", () => {
  const filters = {
    properties: { type: "OR", values: [ref(1), { type: "AND", values: [ref("2"), ref(1), row()] }] },
  };
  expect(cohortsWithin(filters)).toEqual([1, 2]);
});
