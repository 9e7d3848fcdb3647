import { describe, expect, it } from "vitest";
import { checkProperty, type GroupFacts, isGroupIndex, Refusal } from "./filter-rows.ts";
import { OPERATORS } from "./operators.ts";

const facts: GroupFacts = {
  flag_id: 7,
  flag_key: "mine",
  flags: new Map([[8, { key: "other", active: true, filters: { groups: [] } }]]),
  cohort_ids: new Set([5, 6, 123_456_789]),
  behavioral_cohort_ids: new Set([6]),
  aggregation: null,
};

/** What is wrong with a row: the code, the sentence and the members of the row. */
function problemOf(row: object, more: Partial<GroupFacts> = {}) {
  try {
    checkProperty(row as never, ["row"], { ...facts, ...more });
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, detail, path } = error.problem;
    return [code, detail, path];
  }
}
const person = (operator: string, value?: unknown) => ({ key: "plan", type: "person", operator, value });

/** Values of every kind, and the code that an operator of a kind refuses them with. */
const VALUES = {
  text: "pro",
  number: 3,
  infinite: Number.POSITIVE_INFINITY,
  yes: true,
  list: ["a", 1, null],
  span: "-7d",
  none: null,
};
type Refused = Partial<Record<keyof typeof VALUES, string>>;
const [SINGLE, WRONG, NONE] = ["invalid_value", "invalid_value", "invalid_input"];
const notText = { number: WRONG, infinite: WRONG, yes: WRONG, list: SINGLE, none: NONE };
const BY_KIND: [string[], Refused][] = [
  [["exact", "is_not", "icontains_multi", "not_icontains_multi"], { none: NONE }],
  [["is_set", "is_not_set"], {}],
  [["icontains", "not_icontains", "starts_with", "not_starts_with", "ends_with", "not_ends_with"], notText],
  [["semver_eq", "semver_neq", "semver_gt", "semver_gte", "semver_lt", "semver_lte"], notText],
  [["semver_tilde", "semver_caret", "semver_wildcard"], notText],
  [["regex", "not_regex"], notText],
  [["gt", "gte", "lt", "lte", "min", "max"], { infinite: WRONG, yes: WRONG, list: SINGLE, none: NONE }],
  [["is_date_before", "is_date_after", "is_date_exact"], { ...notText, text: "invalid_date" }],
];

describe("the operators of properties", () => {
  it.each(
    BY_KIND.flatMap(([operators, refused]) => operators.map((operator) => [operator, refused] as const)),
  )("%s", (operator, refused) => {
    const codes = Object.entries(VALUES).flatMap(([name, value]) => {
      const problem = problemOf(person(operator, value));
      return problem ? [[name, problem[0]]] : [];
    });
    expect(Object.fromEntries(codes)).toEqual(refused);
  });

  it("are all there are, beside those of cohorts and flags", () => {
    const tested = [...BY_KIND.flatMap(([operators]) => operators), "in", "not_in", "flag_evaluates_to"];
    expect(tested.toSorted()).toEqual(Object.values(OPERATORS).flat().toSorted());
  });

  it("compare for equality where none is named, and list a cohort's members", () => {
    expect(problemOf({ key: "plan", type: "person", value: ["pro"] })).toBeNull();
    expect(problemOf({ key: "plan", type: "person", operator: null, value: ["pro"] })).toBeNull();
    expect(problemOf({ key: "plan", type: "person" })?.[1]).toBe("The operator exact needs a value.");
    expect(problemOf({ key: "id", type: "cohort", value: 5 })).toBeNull();
  });
});

describe("what is said of a row that is refused", () => {
  it.each<[object, string, string, string]>([
    [{ ...person("exact", 1), key: "" }, "invalid_input", "A property must have a key.", "key"],
    [person("like", 1), "unsupported_operator", "Unknown operator: like.", "operator"],
    [person("gt"), "invalid_input", "The operator gt needs a value.", "value"],
    [
      person("exact", {}),
      "invalid_input",
      "A value must be a string, a number, a boolean or a list.",
      "value",
    ],
    [person("icontains", 3), "invalid_value", "The operator icontains needs a string as its value.", "value"],
    [person("regex", ["a"]), "invalid_value", "The operator regex needs a single value.", "value"],
    [person("exact", [{}]), "invalid_input", "A list can only have strings, numbers and booleans.", "value"],
    [
      person("icontains_multi", ["a", ["b"]]),
      "invalid_input",
      "A list can only have strings, numbers and booleans.",
      "value",
    ],
    [
      person("exact", Array(1001).fill("a")),
      "invalid_input",
      "A list can have at most 1000 values.",
      "value",
    ],
    [
      person("is_date_after", "soon".repeat(20)),
      "invalid_date",
      `Not a date: ${"soon".repeat(15)}. Use ISO 8601, or a span like -7d.`,
      "value",
    ],
    [
      person("flag_evaluates_to", true),
      "invalid_input",
      "The operator flag_evaluates_to is for properties of type flag only.",
      "operator",
    ],
    [person("in", 5), "invalid_operator", "The operator in is for cohorts only.", "operator"],
    [person("not_in", 5), "invalid_operator", "The operator not_in is for cohorts only.", "operator"],
    [
      { key: "x", value: 1 },
      "invalid_input",
      "A person-based flag filters by properties of type person, cohort or flag, not event (the type is missing).",
      "type",
    ],
    [
      { key: "x", type: "group", value: 1 },
      "invalid_input",
      "A person-based flag filters by properties of type person, cohort or flag, not group.",
      "type",
    ],
  ])("%j", (row, code, detail, member) => {
    expect(problemOf(row)).toEqual([code, detail, ["row", member]]);
  });

  it("takes a list of a thousand values", () => {
    expect(problemOf(person("exact", Array(1000).fill("a")))).toBeNull();
  });

  it("tells why a regular expression cannot be used", () => {
    const [code, detail, path] = problemOf(person("regex", "(a")) ?? [];
    expect([code, path]).toEqual(["invalid_value", ["row", "value"]]);
    expect(detail).toMatch(/^Not a usable regular expression: ./);
    expect(problemOf(person("icontains", "(a"))).toBeNull();
  });
});

describe("rows on cohorts", () => {
  const cohort = (value: unknown, operator = "in") => ({ key: "id", type: "cohort", operator, value });

  it.each([5, "5", 123_456_789, "123456789"])("take the id %j", (value) => {
    expect(problemOf(cohort(value))).toBeNull();
    expect(problemOf(cohort(value, "not_in"))).toBeNull();
  });

  it.each([9, "9", "5 ", " 5", "5x", "x5", "", "1234567890", null, undefined, [5], true, { id: 5 }])(
    "refuse %j",
    (value) => {
      expect(problemOf(cohort(value))).toEqual([
        "cohort_does_not_exist",
        `Cohort with id ${String(value)} does not exist.`,
        ["row", "value"],
      ]);
    },
  );

  it("refuse cohorts by what people did", () => {
    expect(problemOf(cohort("6"))).toEqual([
      "behavioral_cohort_found",
      "Cohort with id 6 is behavioral; flags can only use property-based and static cohorts.",
      ["row", "value"],
    ]);
    const { behavioral_cohort_ids: _, ...unknown } = facts;
    expect(() => checkProperty(cohort(6) as never, [], unknown)).not.toThrow();
  });
});

describe("rows on other flags", () => {
  const flag = (key: string, value: unknown = true) => ({
    key,
    type: "flag",
    operator: "flag_evaluates_to",
    value,
  });

  it.each([true, false, "blue", ""])("compare with %j", (value) => {
    expect(problemOf(flag("8", value))).toBeNull();
  });

  it.each<[object, string, string]>([
    ...[3, null, ["blue"], undefined].map((value): [object, string, string] => [
      { ...flag("8"), value },
      "The value of a flag dependency must be true, false or a variant key.",
      "value",
    ]),
    ...["other", "8x", "x8", "-8", "1234567890"].map((key): [object, string, string] => [
      flag(key),
      "A flag dependency must have the id of the other flag as its key.",
      "key",
    ]),
    [flag("123456789"), "Flag dependency with id 123456789 does not exist.", "key"],
    [flag("7"), "A feature flag cannot depend on itself.", "key"],
    [
      { ...flag("8"), operator: "exact" },
      "A flag dependency takes the operator flag_evaluates_to only.",
      "operator",
    ],
    [
      { ...flag("8"), operator: undefined },
      "A flag dependency takes the operator flag_evaluates_to only.",
      "operator",
    ],
  ])("refuse %j", (row, detail, member) => {
    expect(problemOf(row)).toEqual(["invalid_input", detail, ["row", member]]);
  });
});

describe("rows of a flag that is evaluated for groups", () => {
  const group = (fields: object = {}) => ({
    key: "tier",
    type: "group",
    group_type_index: 2,
    value: "gold",
    ...fields,
  });
  const GROUP_ONLY = "A group-based flag filters by properties of its group only.";

  it.each<[object, unknown]>([
    [group(), null],
    [{ key: "8", type: "flag", operator: "flag_evaluates_to", value: true }, null],
    [person("exact", "pro"), ["invalid_input", GROUP_ONLY, ["row", "type"]]],
    [{ key: "id", type: "cohort", value: 5 }, ["invalid_input", GROUP_ONLY, ["row", "type"]]],
    [
      group({ group_type_index: 1 }),
      [
        "invalid_input",
        "The property belongs to a different group type than the flag.",
        ["row", "group_type_index"],
      ],
    ],
  ])("%j", (row, problem) => {
    expect(problemOf(row, { aggregation: 2 })).toEqual(problem);
  });

  it("is one for persons without an index", () => {
    for (const aggregation of [null, undefined]) {
      expect(problemOf(person("exact", "pro"), { aggregation })).toBeNull();
      expect(problemOf(group(), { aggregation })?.[2]).toEqual(["row", "type"]);
    }
    expect(problemOf(group({ group_type_index: 0 }), { aggregation: 0 })).toBeNull();
  });
});

it.each([
  [0, true],
  [4, true],
  [5, false],
  [-1, false],
  [1.5, false],
  ["1", false],
  [null, false],
])("%j is the index of a kind of group: %s", (value, is) => {
  expect(isGroupIndex(value)).toBe(is);
});
