import { describe, expect, it } from "vitest";
import { type CohortFacts, cohortsWithin, findCohortProblem } from "./filters.ts";

const row = (given: object = {}) => ({
  key: "plan",
  type: "person",
  operator: "exact",
  value: ["pro"],
  ...given,
});
const ref = (value: unknown, given: object = {}) => ({
  key: "id",
  type: "cohort",
  operator: "in",
  value,
  ...given,
});
const or = (...values: unknown[]) => ({ properties: { type: "OR", values } });
const facts = (
  filters: Record<number, Record<string, unknown>>,
  given: Partial<CohortFacts> = {},
): CohortFacts => ({
  cohort_id: null,
  cohort_name: "new",
  cohorts: new Map(
    Object.entries(filters).map(([id, own]) => [Number(id), { name: `cohort ${id}`, filters: own }]),
  ),
  ...given,
});
const known = facts({ 1: or(row()), 2: or(row()) });

describe("filters that can be saved", () => {
  it.each<[string, Record<string, unknown>]>([
    ["1,000 conditions", or(...Array(1_000).fill(row()))],
    ["1,000 conditions in two groups", or(...Array(2).fill({ type: "AND", values: Array(500).fill(row()) }))],
    ["1,000 values", or(row({ value: Array(1_000).fill("x") }))],
    ["values of every plain kind", or(row({ value: ["a", 1, true, false, ""] }))],
    ["a value that is false", or(row({ value: false }))],
    ["a null value, for is_not_set", or(row({ operator: "is_not_set", value: null }))],
    ["a null negation", or(row({ negation: null }))],
    ["a reference by number", or(ref(1))],
    ["a reference by a text of digits", or(ref("2"))],
    ["a reference without operator", or(ref(1, { operator: undefined }))],
    ["a reference with a null operator", or(ref(1, { operator: null }))],
    ["a reference by not_in", or(ref(1, { operator: "not_in" }))],
    ["a reference by exact", or(ref(1, { operator: "exact" }))],
    ["a negated reference", or(ref(1, { negation: true }))],
    ["a reference without a key", or(ref(1, { key: undefined }))],
  ])("have %s", (_, filters) => {
    expect(findCohortProblem(filters, known)).toBeNull();
  });
});

describe("filters that are refused", () => {
  const inFirst = (...path: (string | number)[]) => ["properties", "values", 0, ...path];

  it.each<[string, unknown, string, (string | number)[], string]>([
    ["null", null, "not_a_dict", [], "must be an object"],
    [
      "properties that are a list",
      { properties: [] },
      "invalid_input",
      ["properties"],
      "must have properties",
    ],
    [
      "a group without values",
      { properties: { type: "OR" } },
      "invalid_input",
      ["properties", "values"],
      "at least one",
    ],
    [
      "values that are an object",
      { properties: { type: "OR", values: {} } },
      "invalid_input",
      ["properties", "values"],
      "at least one",
    ],
    ["an inner group without type", or({ values: [row()] }), "invalid_input", inFirst("type"), "AND or OR"],
    [
      "an inner group without values",
      or({ type: "AND" }),
      "invalid_input",
      inFirst("values"),
      "at least one",
    ],
    ["null as condition", or(row(), null), "invalid_input", ["properties", "values", 1], "must be an object"],
    ["a list as condition", or([row()]), "invalid_input", inFirst(), "must be an object"],
    [
      "a negation that is a number",
      or(row({ negation: 0 })),
      "invalid_input",
      inFirst("negation"),
      "true or false",
    ],
    [
      "an operator that is a number",
      or(row({ operator: 1 })),
      "invalid_input",
      inFirst("operator"),
      "must be a string",
    ],
    [
      "a reference with an operator that is a number",
      or(ref(1, { operator: 1 })),
      "invalid_input",
      inFirst("operator"),
      "must be a string",
    ],
    ["a key that is a number", or(row({ key: 1 })), "invalid_input", inFirst("key"), "must have a key"],
    ["a null value", or(row({ value: null })), "invalid_input", inFirst("value"), "value must be a string"],
    [
      "a list within a list of values",
      or(row({ value: [["a"]] })),
      "invalid_input",
      inFirst("value"),
      "must be a string",
    ],
    ["an order by no number", or(row({ operator: "gt", value: [] })), "invalid_value", inFirst("value"), ""],
    ["no version", or(row({ operator: "semver_gt", value: "x" })), "invalid_value", inFirst("value"), ""],
    [
      "a broken pattern not to match",
      or(row({ operator: "not_regex", value: "(" })),
      "invalid_value",
      inFirst("value"),
      "",
    ],
    [
      "a day that is none",
      or(row({ operator: "is_date_exact", value: "x" })),
      "invalid_date",
      inFirst("value"),
      "",
    ],
    [
      "a reference by is_not",
      or(ref(1, { operator: "is_not" })),
      "invalid_operator",
      inFirst("operator"),
      "in or not_in",
    ],
    ["a reference by a list", or(ref([1])), "cohort_does_not_exist", inFirst("value"), "id 1 does not"],
    ["a reference by a fraction", or(ref(1.5)), "cohort_does_not_exist", inFirst("value"), "id 1.5 does not"],
    [
      "a reference by letters after digits",
      or(ref("1a")),
      "cohort_does_not_exist",
      inFirst("value"),
      "id 1a does not",
    ],
    [
      "a reference by digits after letters",
      or(ref("a1")),
      "cohort_does_not_exist",
      inFirst("value"),
      "id a1 does not",
    ],
    ["a reference by a blank", or(ref(" ")), "cohort_does_not_exist", inFirst("value"), "does not exist"],
    ["a reference to nothing", or(ref(null)), "cohort_does_not_exist", inFirst("value"), "id null does not"],
  ])("have %s", (_, filters, code, path, detail) => {
    expect(findCohortProblem(filters, known)).toEqual({
      code,
      path,
      detail: expect.stringContaining(detail),
    });
  });

  it("have more than 1,000 conditions in all, and the first too many is named", () => {
    const group = (count: number) => ({ type: "AND", values: Array(count).fill(row()) });
    expect(findCohortProblem(or(group(600), group(401)), known)).toMatchObject({
      code: "invalid_input",
      path: ["properties", "values", 1, "values", 400],
    });
  });

  it.each([
    ["operator", or(row({ operator: "o".repeat(61) })), /\bo{60}\b/],
    ["cohort", or(ref("c".repeat(61))), /\bc{60}\b/],
  ])("show the first 60 letters of an unknown %s", (_, filters, shown) => {
    expect(findCohortProblem(filters, known)?.detail).toMatch(shown);
  });
});

describe("what people did", () => {
  const filters = or({ type: "behavioral", key: "paid", value: "performed_event" });

  it("may stand only in the filters of cohorts that the service makes", () => {
    expect(findCohortProblem(filters, { ...known, behavioral: true })).toBeNull();
    expect(findCohortProblem(filters, { ...known, behavioral: false })?.code).toBe("behavioral_cohort_found");
  });

  it("does not excuse other conditions beside it", () => {
    const both = or(...filters.properties.values, row({ type: "event" }));
    expect(findCohortProblem(both, { ...known, behavioral: true })?.path).toEqual([
      "properties",
      "values",
      1,
      "type",
    ]);
  });
});

describe("references", () => {
  it.each<[string, Record<string, unknown>, number[]]>([
    ["none of filters that are empty", {}, []],
    ["none of conditions on persons", or(row({ value: 1 })), []],
    ["none that name no cohort", or(ref("beta"), ref(null), ref(1.5), ref([1])), []],
    [
      "those of every depth, in their order",
      or({ type: "AND", values: [or(ref(3)).properties] }, ref("1")),
      [3, 1],
    ],
    ["none of what is no condition", or("cohort", null, [ref(1)]), []],
  ])("are %s", (_, filters, ids) => {
    expect(cohortsWithin(filters)).toEqual(ids);
  });

  it("may lead to the same cohort on several ways", () => {
    const diamond = facts(
      { 1: or(ref(2), ref(3)), 2: or(ref(4)), 3: or(ref(4)), 4: or(row()) },
      { cohort_id: 9 },
    );
    expect(findCohortProblem(or(ref(1), ref(4)), diamond)).toBeNull();
  });

  it("may lead to a cohort that is deleted, on the way", () => {
    expect(findCohortProblem(or(ref(1)), facts({ 1: or(ref(8)) }, { cohort_id: 9 }))).toBeNull();
  });

  it("may run in a circle of others, which is not this cohort's", () => {
    const circle = facts({ 1: or(ref(2)), 2: or(ref(1)) }, { cohort_id: 9 });
    expect(findCohortProblem(or(ref(1)), circle)).toBeNull();
  });

  it("are refused where they come back, with the names on the way", () => {
    const chain = facts(
      { 1: or(ref(2)), 2: or(row(), ref(3)), 3: or(ref(9)), 9: or(row()) },
      { cohort_id: 9, cohort_name: "own" },
    );
    expect(findCohortProblem(or(row(), ref(1)), chain)).toEqual({
      code: "invalid_input",
      path: ["properties"],
      detail: "Cohorts cannot contain themselves: own → cohort 1 → cohort 2 → cohort 3 → own.",
    });
  });
});
