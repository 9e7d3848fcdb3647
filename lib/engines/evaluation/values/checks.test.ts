import { describe, expect, it } from "vitest";
import { checkFilters } from "./checks.ts";
import type { FlagFilters, Property } from "./types.ts";

const now = Date.parse("2026-03-31T10:30:00Z");

function codes(filters: FlagFilters): string[] {
  return checkFilters(filters, { now }).map(({ code, set, row }) =>
    [code, set, row].filter((x) => x !== null).join(" "),
  );
}

function row(operator: string, value: unknown, key = "k"): Property {
  return { key, type: "person", operator, value };
}

describe("rows that contradict each other", () => {
  it.each([
    [row("exact", ["a", "b"]), row("exact", "c")],
    [row("exact", "A"), row("is_not", ["a", "b"])],
    [row("exact", "5"), row("gt", "5")],
    [row("exact", "abc"), row("starts_with", "x")],
    [row("exact", "abc"), row("gt", "5")],
    [row("is_set", "is_set"), row("is_not_set", "is_not_set")],
    [row("is_not_set", "is_not_set"), row("exact", "a")],
    [row("icontains", "foobar"), row("not_icontains", "OOB")],
    [row("starts_with", "ab"), row("starts_with", "b")],
    [row("starts_with", "abc"), row("not_starts_with", "ab")],
    [row("regex", "a+"), row("not_regex", "a+")],
    [row("gt", "10"), row("lt", "5")],
    [row("gte", "5"), row("lt", "5")],
    [row("is_date_after", "-7d"), row("is_date_before", "-30d")],
    [row("semver_eq", "1.2.3"), row("semver_neq", "1.2.3")],
    [
      { key: "id", type: "cohort", value: 5 },
      { key: "id", type: "cohort", value: 5, operator: "not_in" },
    ],
    [
      { key: "7", type: "flag", value: true, operator: "flag_evaluates_to" },
      { key: "7", type: "flag", value: false, operator: "flag_evaluates_to" },
    ],
    [
      { key: "7", type: "flag", value: "a", operator: "flag_evaluates_to" },
      { key: "7", type: "flag", value: "b", operator: "flag_evaluates_to" },
    ],
    [
      { key: "7", type: "flag", value: "a", operator: "flag_evaluates_to" },
      { key: "7", type: "flag", value: false, operator: "flag_evaluates_to" },
    ],
    [row("min", "10"), row("max", "5")],
    [row("min", "10"), row("lte", "9")],
    [row("gt", "5"), row("lte", "5")],
    [row("gt", "5"), row("max", "5")],
    [row("ends_with", "xabc"), row("not_ends_with", "abc")],
    [row("icontains", "abc"), row("not_icontains", "b")],
    [row("is_date_after", "2026-01-01"), row("is_date_before", "2026-01-01")],
    [row("exact", "a"), { key: "k", value: "b" }],
    [row("exact", "a"), { key: "k", type: "person", operator: "", value: "b" }],
    [
      { key: "k", type: "group", group_type_index: 1, value: "a" },
      { key: "k", type: "group", group_type_index: 1, value: "b" },
    ],
    [row("is_not_set", "is_not_set"), row("gt", "5")],
    [
      { key: "one", type: "cohort", value: 5 },
      { key: "another", type: "cohort", value: 5, operator: "not_in" },
    ],
    [
      { key: "7", type: "flag", value: true, operator: "flag_evaluates_to" },
      { key: "7", type: "flag", value: 5, operator: "flag_evaluates_to" },
    ],
    // An operator that is no text is taken for the plain comparison.
    [row("exact", "a"), { key: "k", type: "person", operator: 5 as unknown as string, value: "b" }],
  ])("%j and %j", (first, second) => {
    expect(codes({ groups: [{ properties: [first, second] }] })).toEqual(["never_matches 0 1"]);
    expect(codes({ groups: [{ properties: [second, first] }] })).toEqual(["never_matches 0 1"]);
  });

  it.each([
    [row("exact", ["a", "b"]), row("is_not", "a")],
    [row("exact", "pro"), row("regex", "^P")],
    [row("exact", "a"), row("exact", "b", "other")],
    [row("gte", "5"), row("lte", "5")],
    [row("icontains", "a"), row("not_icontains", "ab")],
    [row("is_date_after", "-30d"), row("is_date_before", "-7d")],
    [row("is_not", "a"), row("is_not_set", "is_not_set")],
    [row("min", "5"), row("max", "5")],
    [row("icontains", "b"), row("not_icontains", "abc")],
    [row("starts_with", "ab"), row("not_starts_with", "abc")],
    [row("starts_with", "abc"), row("not_starts_with", "c")],
    [row("ends_with", "abc"), row("not_ends_with", "a")],
    [row("ends_with", "bc"), row("not_ends_with", "abc")],
    [row("starts_with", "ab"), row("starts_with", "abc")],
    [row("regex", "a"), row("not_regex", "A")],
    [row("regex", "abc"), row("not_regex", "b")],
    // A number that is listed has to be held against the other row, whatever is above or below.
    [row("is_not", "7"), row("lt", "5")],
    [row("lt", "9"), row("max", "5")],
    [row("icontains", "9"), row("lt", "5")],
    [
      { key: "7", type: "flag", value: true, operator: "flag_evaluates_to" },
      { key: "7", type: "flag", value: "a", operator: "flag_evaluates_to" },
    ],
    // Cohorts go by their value: the key of such a row says nothing.
    [
      { key: "id", type: "cohort", value: 5, operator: "in" },
      { key: "id", type: "cohort", value: 6, operator: "in" },
    ],
    [
      { key: "id", type: "cohort", value: 5, operator: "in" },
      { key: "id", type: "cohort", value: 6, operator: "not_in" },
    ],
    [row("is_date_after", "2026-01-02"), row("is_date_after", "2026-01-01")],
    [row("is_date_after", "2026-01-01"), row("exact", "2026-01-02")],
    [row("gt", "5"), row("gt", "7")],
    [row("exact", "a"), row("not_regex", "a")],
    [row("is_set", "is_set"), row("exact", "a")],
    [row("exact", "a"), { key: "k", type: "person", operator: "", value: "a" }],
    [
      { key: "k", type: "group", group_type_index: 1, value: "a" },
      { key: "k", type: "group", group_type_index: 2, value: "b" },
    ],
    [row("exact", "a"), { key: "k", type: "group", value: "b" }],
    [
      { key: "7", type: "flag", value: "a", operator: "flag_evaluates_to" },
      { key: "7", type: "flag", value: "b", operator: "exact" },
    ],
    [
      { key: "7", type: "flag", value: "a", operator: "exact" },
      { key: "7", type: "flag", value: "b", operator: "flag_evaluates_to" },
    ],
    [
      { key: "7", type: "flag", value: "a", operator: "flag_evaluates_to" },
      { key: "7", type: "flag", value: "a", operator: "flag_evaluates_to" },
    ],
    [
      { key: "id", type: "cohort", value: 5, operator: "in" },
      { key: "id", type: "cohort", value: 5, operator: "is_not_set" },
    ],
    [
      { key: "7", type: "flag", value: "a", operator: "flag_evaluates_to" },
      { key: "7", type: "flag", value: true, operator: "flag_evaluates_to" },
    ],
    [
      { key: "id", type: "cohort", value: 5 },
      { key: "id", type: "cohort", value: 6, operator: "not_in" },
    ],
  ])("not %j and %j", (first, second) => {
    expect(codes({ groups: [{ properties: [first, second] }] })).toEqual([]);
  });
});

describe("three rows and more", () => {
  const several: { rows: Property[]; core: string }[] = [
    { rows: [row("exact", ["a", "b"]), row("is_not", "a"), row("is_not", "B")], core: "never_matches 0 2" },
    {
      rows: [row("exact", ["a", "b"]), row("exact", ["b", "c"]), row("exact", ["a", "c"])],
      core: "never_matches 0 2",
    },
    { rows: [row("exact", ["5", "7"]), row("gt", "5"), row("lt", "7")], core: "never_matches 0 2" },
    {
      rows: [row("icontains_multi", ["ab", "cd"]), row("not_icontains", "b"), row("not_icontains", "c")],
      core: "never_matches 0 2",
    },
    { rows: [row("exact", "pro"), row("regex", "^x"), row("is_set", "is_set")], core: "never_matches 0 1" },
    {
      rows: [row("semver_caret", "1.2.0"), row("is_set", ""), row("semver_gte", "2.0.0")],
      core: "never_matches 0 2",
    },
  ];
  it.each(several)("$rows", ({ rows, core }) =>
    expect(codes({ groups: [{ properties: rows }] })).toEqual([core]),
  );

  it("names all rows of a contradiction of three", () => {
    const properties = [row("exact", ["a", "b"]), row("is_not", "a"), row("is_not", "b")];
    expect(checkFilters({ groups: [{ properties }] }, { now })[0]?.message).toMatch(
      /^Rows 1, 2 and 3 cannot all match: /,
    );
  });

  it.each([
    [row("starts_with", "a"), row("not_icontains", "a")],
    [row("ends_with", "xa"), row("not_icontains_multi", ["q", "x"])],
    [row("ends_with", "a"), row("ends_with", "b")],
    [row("gt", "5"), row("icontains", "x")],
    [row("exact", "12"), row("regex", "^[a-z]+$")],
    [row("semver_gt", "1.2.3"), row("semver_lt", "1.2.4")],
    [row("semver_tilde", "1.2.3"), row("semver_wildcard", "2.*")],
    [row("semver_lte", "0.0.0"), row("semver_neq", "0.0.0")],
    [row("is_date_exact", "2026-01-01"), row("is_date_after", "2026-01-02")],
    [row("is_date_exact", "2026-01-01"), row("is_date_exact", "2026-01-02")],
    [row("exact", "pro"), row("not_regex", "(?i)pro")],
  ])("%j and %j", (first, second) => {
    expect(codes({ groups: [{ properties: [first, second] }] })).toEqual(["never_matches 0 1"]);
  });

  it.each([
    // A number that is listed may be a time.
    [row("exact", "2026"), row("is_date_before", "2025-01-01")],
    [row("exact", "k"), row("regex", "\u212a")],
    [row("exact", "ö"), row("regex", "Ö")],
    [row("semver_gt", "1.2.3"), row("semver_lt", "1.2.5")],
    [row("is_date_exact", "2026-01-01"), row("is_date_after", "2026-01-01")],
    [row("is_not", "null"), row("is_set", "is_set")],
    [row("gt", "5"), row("icontains", "e")],
    [row("not_regex", "a"), row("not_regex", "^[^a]*$")],
    [row("icontains_multi", ["ab", "cd"]), row("not_icontains", "b")],
  ])("not %j and %j", (first, second) => {
    expect(codes({ groups: [{ properties: [first, second] }] })).toEqual([]);
  });
});

describe("a set within an earlier one", () => {
  const within: { wide: Property[]; narrow: Property[] }[] = [
    { wide: [row("exact", ["pro", "free"])], narrow: [row("exact", ["Pro"])] },
    { wide: [row("is_set", "")], narrow: [row("exact", "pro")] },
    { wide: [row("is_not", "free")], narrow: [row("exact", "pro")] },
    { wide: [row("is_not", "free")], narrow: [row("is_not", ["free", "basic"])] },
    { wide: [row("is_not", "free")], narrow: [row("is_not_set", "")] },
    { wide: [row("gt", "5")], narrow: [row("gte", "6")] },
    { wide: [row("gt", "5"), row("lt", "10")], narrow: [row("exact", ["6", "7"])] },
    { wide: [row("gte", "5")], narrow: [row("gt", "5"), row("is_set", "", "other")] },
    { wide: [row("icontains", "corp")], narrow: [row("ends_with", "@MyCorp.com")] },
    { wide: [row("starts_with", "a")], narrow: [row("starts_with", "ab")] },
    { wide: [row("not_icontains", "ab")], narrow: [row("not_icontains", "b")] },
    { wide: [row("icontains_multi", ["x", "b"])], narrow: [row("icontains", "abc")] },
    { wide: [row("is_date_after", "-30d")], narrow: [row("is_date_after", "-7d")] },
    { wide: [row("is_date_before", "2026-02-01")], narrow: [row("is_date_exact", "2026-01-31")] },
    { wide: [row("semver_gte", "1.0.0")], narrow: [row("semver_caret", "1.2.0")] },
    { wide: [row("semver_gte", "1.2.4")], narrow: [row("semver_gt", "1.2.3")] },
    { wide: [row("regex", "^pr")], narrow: [row("regex", "^pr"), row("is_not", "x")] },
    { wide: [row("regex", "^[0-9]+$")], narrow: [row("exact", ["12", "13"])] },
    {
      wide: [{ key: "7", type: "flag", operator: "flag_evaluates_to", value: true }],
      narrow: [{ key: "7", type: "flag", operator: "flag_evaluates_to", value: "a" }],
    },
    {
      wide: [{ key: "id", type: "cohort", value: 5 }],
      narrow: [{ key: "id", type: "cohort", value: 5, operator: "in" }, row("exact", "pro")],
    },
  ];
  it.each(within)("$narrow is within $wide", ({ wide, narrow }) => {
    expect(codes({ groups: [{ properties: wide }, { properties: narrow }] })).toEqual(["shadowed 1"]);
    expect(codes({ groups: [{ properties: narrow }, { properties: wide }] })).toHaveLength(1);
  });

  const apart: { wide: Property[]; narrow: Property[] }[] = [
    { wide: [row("exact", "pro")], narrow: [row("exact", ["pro", "free"])] },
    { wide: [row("exact", "pro")], narrow: [row("exact", "pro", "other")] },
    { wide: [row("regex", "^pro$")], narrow: [row("exact", "pro")] },
    { wide: [row("is_not", "null")], narrow: [row("not_icontains", "ull")] },
    { wide: [row("gt", "5")], narrow: [row("gte", "5")] },
    { wide: [row("lte", "5")], narrow: [row("is_not", "6")] },
    { wide: [row("is_date_before", "2026-01-31")], narrow: [row("is_date_exact", "2026-01-31")] },
    { wide: [row("gt", "many")], narrow: [row("exact", "pro")] },
    {
      wide: [{ key: "7", type: "flag", operator: "flag_evaluates_to", value: "a" }],
      narrow: [{ key: "7", type: "flag", operator: "flag_evaluates_to", value: true }],
    },
    {
      wide: [{ key: "id", type: "cohort", value: 5, operator: "not_in" }],
      narrow: [{ key: "id", type: "cohort", value: 6, operator: "in" }],
    },
  ];
  it.each(apart)("$narrow is not within $wide", ({ wide, narrow }) => {
    expect(codes({ groups: [{ properties: wide }, { properties: narrow }] })).not.toContain("shadowed 1");
  });
});

describe("sets that several earlier ones cover only together", () => {
  const on = (key: string, operator: string, value: unknown): Property => row(operator, value, key);
  const flag = (value: unknown): Property => ({
    key: "7",
    type: "flag",
    operator: "flag_evaluates_to",
    value,
  });
  const found = (filters: FlagFilters) =>
    checkFilters(filters, { now })
      .filter(({ code }) => code === "shadowed")
      .map(({ set, message }) => [set, message]);
  const sets = (...rows: Property[][]): FlagFilters => ({
    groups: rows.map((properties) => ({ properties })),
  });
  const pro = row("exact", "pro");

  it.each<[string, FlagFilters, string]>([
    [
      "a list, value by value",
      sets([row("exact", "pro")], [row("exact", "free")], [row("exact", ["pro", "free"])]),
      "1 and 2",
    ],
    ["a property, there or not", sets([row("is_set", "")], [row("is_not_set", "")], []), "1 and 2"],
    [
      "numbers in parts",
      sets(
        [on("age", "lt", "18")],
        [on("age", "gte", "65")],
        [on("age", "gte", "18"), on("age", "lt", "65")],
        [on("age", "gt", "5")],
      ),
      "1, 2 and 3",
    ],
    [
      "two properties at once",
      sets(
        [pro, on("age", "gte", "18")],
        [pro, on("age", "lt", "18")],
        [on("country", "exact", "DE")],
        [pro, on("age", "gt", "0")],
      ),
      "1 and 2",
    ],
    ["a flag, on or off", sets([flag(true)], [flag(false)], [pro]), "1 and 2"],
    [
      "what else is asked in the one is left to the other",
      sets([pro, on("age", "is_set", "")], [on("age", "is_not_set", "")], [pro]),
      "1 and 2",
    ],
  ])("%s", (_, filters, which) => {
    const last = (filters.groups?.length ?? 0) - 1;
    expect(found(filters)).toEqual([
      [last, `Never reached: sets ${which} together decide for everyone it could match.`],
    ]);
  });

  it.each<[string, FlagFilters]>([
    [
      "nobody is left for a gap",
      sets([on("age", "lt", "18")], [on("age", "gt", "18")], [on("age", "gt", "5")]),
    ],
    ["who lacks the property", sets([on("age", "lt", "18")], [on("age", "gte", "18")], [pro])],
    ["another property", sets([pro], [on("tier", "is_not", "pro")], [on("tier", "is_set", "")])],
    [
      "a smaller rollout",
      {
        groups: [
          { properties: [row("is_set", "")], rollout_percentage: 50 },
          { properties: [row("is_not_set", "")] },
          { properties: [], rollout_percentage: 60 },
        ],
      },
    ],
    [
      "groups of another type",
      {
        groups: [
          { properties: [row("is_set", "")], aggregation_group_type_index: 0 },
          { properties: [row("is_not_set", "")] },
          { properties: [] },
        ],
      },
    ],
  ])("but not past %s", (_, filters) => {
    expect(found(filters)).toEqual([]);
  });

  it("takes a bounded time, however the cases multiply", () => {
    const keys = Array.from({ length: 200 }, (_, i) => `k${i % 7}`);
    const filters = sets(
      ...keys.map((key, i) => [on(key, "is_not", `a${i}`), on(`k${(i + 3) % 7}`, "icontains", `b${i}`)]),
    );
    const began = performance.now();
    expect(found(filters)).toEqual([]);
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});

describe("sets whose deletion changes nothing", () => {
  const [pro, any] = [row("exact", "pro"), row("is_set", "")];
  const free = row("exact", "free");
  const multivariate = {
    variants: [
      { key: "a", rollout_percentage: 50 },
      { key: "b", rollout_percentage: 50 },
    ],
  };
  it.each([
    {
      filters: {
        groups: [
          { properties: [pro], rollout_percentage: 10 },
          { properties: [any], rollout_percentage: 10 },
        ],
      },
      expected: ["redundant 0"],
    },
    {
      filters: {
        groups: [
          { properties: [pro], rollout_percentage: 20 },
          { properties: [any], rollout_percentage: 10 },
        ],
      },
      expected: [],
    },
    { filters: { early_exit: true, groups: [{ properties: [pro] }, { properties: [any] }] }, expected: [] },
    {
      filters: { groups: [{ properties: [pro] }, { properties: [any], aggregation_group_type_index: 0 }] },
      expected: [],
    },
    {
      filters: { multivariate, groups: [{ properties: [pro], variant: "a" }, { properties: [any] }] },
      expected: [],
    },
    {
      filters: {
        multivariate,
        groups: [
          { properties: [pro], variant: "a" },
          { properties: [free], variant: "b" },
          { properties: [any], variant: "a" },
        ],
      },
      expected: ["redundant 0"],
    },
    {
      filters: {
        multivariate,
        groups: [
          { properties: [pro], variant: "a" },
          { properties: [row("icontains", "p")], variant: "b" },
          { properties: [any], variant: "a" },
        ],
      },
      expected: [],
    },
  ])("$filters: $expected", ({ filters, expected }) => expect(codes(filters)).toEqual(expected));

  it("sees that a holdout of everybody leaves no set", () => {
    expect(codes({ holdout: { id: 3, exclusion_percentage: 100 }, groups: [{}] })).toEqual([
      "rollout_excludes_everyone",
    ]);
  });

  it("compares hundreds of sets in a moment", () => {
    const groups = Array.from({ length: 600 }, (_, i) => ({
      properties: [row("exact", [`p${i}`]), row("gt", `${i}`, "n")],
    }));
    const start = performance.now();
    expect(codes({ groups })).toEqual([]);
    expect(performance.now() - start).toBeLessThan(1_500);
  });
});

it.each([
  [row("min", "many"), row("max", "5")],
  [row("min", "5"), row("max", "few")],
  [row("is_date_after", "soon"), row("is_date_before", "2026-01-01")],
  [row("is_date_after", "2026-01-01"), row("is_date_before", "soon")],
])("a value that cannot be read contradicts nothing: %j and %j", (first, second) => {
  expect(codes({ groups: [{ properties: [first, second] }] })).not.toContain("never_matches 0 1");
});

it("names the rows as people count them, and the places of unreadable rows are preserved", () => {
  const properties = [null, row("gt", "10"), row("exact", "x", "other"), row("lt", "5")];
  const [unreadable, found] = checkFilters({ groups: [{ properties: properties as Property[] }] }, { now });
  expect(found ?? unreadable).toMatchObject({
    code: "never_matches",
    row: 3,
    message: "Rows 2 and 4 cannot both match: No number is between the two.",
  });
});

describe("conditions without effect", () => {
  const pro = row("exact", "pro");

  it.each([
    { groups: [], expected: ["no_sets"] },
    {
      groups: [{ properties: [], rollout_percentage: 100 }, { properties: [pro] }],
      expected: ["shadowed 1"],
    },
    { groups: [{}, {}], expected: ["shadowed 1"] },
    {
      groups: [
        { properties: [], rollout_percentage: 50 },
        { properties: [pro], rollout_percentage: 40 },
      ],
      expected: ["shadowed 1"],
    },
    {
      groups: [
        { properties: [], rollout_percentage: 50 },
        { properties: [pro], rollout_percentage: 60 },
      ],
      expected: [],
    },
    {
      groups: [{ properties: [pro] }, { properties: [pro], rollout_percentage: 10 }],
      expected: ["shadowed 1"],
    },
    { groups: [{ properties: [pro] }, { properties: [] }], expected: ["redundant 0"] },
    { groups: [{}, { properties: [pro], aggregation_group_type_index: 0 }], expected: [] },
    { groups: [{ properties: [pro], rollout_percentage: 0 }], expected: ["rollout_excludes_everyone 0"] },
    { groups: [{ properties: [pro], rollout_percentage: -1 }], expected: ["rollout_excludes_everyone 0"] },
    { groups: [{ properties: [pro], rollout_percentage: 1 }], expected: [] },
    { groups: [{}, { rollout_percentage: 0 }], expected: ["rollout_excludes_everyone 1"] },
    {
      groups: [{ properties: [] }, { properties: [pro], rollout_percentage: 120 }],
      expected: ["shadowed 1"],
    },
    {
      groups: [
        { properties: [pro], aggregation_group_type_index: 1 },
        { properties: [pro], aggregation_group_type_index: 1 },
      ],
      expected: ["shadowed 1"],
    },
    {
      groups: [{ properties: [row("exact", "free")] }, { properties: [pro] }, { properties: [pro] }],
      expected: ["shadowed 2"],
    },
  ])("$groups: $expected", ({ groups, expected }) => {
    expect(codes({ groups })).toEqual(expected);
  });

  it("counts early exit as deciding", () => {
    const groups = [{ properties: [], rollout_percentage: 10 }, { properties: [pro] }];
    expect(codes({ groups })).toEqual([]);
    expect(codes({ groups, early_exit: true })).toEqual(["shadowed 1"]);
  });
});

describe("values and variants", () => {
  it.each([
    [row("regex", "(?=a"), "invalid_regex", "Look-ahead"],
    [row("not_regex", "["), "invalid_regex", "not valid"],
    [row("gt", "many"), "invalid_value", "not a number"],
    [row("is_date_before", "soon"), "invalid_value", "not a date"],
    [row("semver_gt", "latest"), "invalid_value", "not a version"],
    [row("flies_over", "x"), "invalid_value", "not known"],
    [{ key: "k", operator: "exact" }, "invalid_value", "no value"],
  ])("%j is reported as %s", (property, code, text) => {
    const warnings = checkFilters({ groups: [{ properties: [property] }] }, { now });
    expect(warnings).toMatchObject([{ code, set: 0, row: 0 }]);
    expect(warnings[0]?.message).toContain(text);
  });

  const variants = (...percentages: number[]) => ({
    variants: percentages.map((rollout_percentage, i) => ({ key: `v${i}`, rollout_percentage })),
  });

  it.each([
    { multivariate: variants(33.3, 33.3, 33.4), variant: null, expected: [] },
    { multivariate: variants(50, 40), variant: null, expected: ["variants_sum"] },
    { multivariate: variants(50, 50), variant: "v1", expected: ["unreachable_variant"] },
    { multivariate: variants(100, 0), variant: null, expected: ["unreachable_variant"] },
    { multivariate: variants(100, 0), variant: "v0", expected: ["unreachable_variant"] },
    { multivariate: variants(50, 50), variant: "v2", expected: ["unknown_variant 0"] },
    { multivariate: null, variant: "v0", expected: ["unknown_variant 0"] },
    {
      multivariate: { variants: [...variants(50).variants, ...variants(50).variants] },
      variant: null,
      expected: ["duplicate_variant"],
    },
  ])("$multivariate forced to $variant: $expected", ({ multivariate, variant, expected }) => {
    expect(codes({ multivariate, groups: [{ variant }] })).toEqual(expected);
  });
});
