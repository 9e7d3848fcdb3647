import { describe, expect, it } from "vitest";
import type { FlagFilters, FlagGroup, FlagProperty } from "./filters-schema.ts";
import {
  capitalized,
  dateInWords,
  OPERATOR_WORDS,
  percentText,
  plain,
  reachesEveryone,
  rolloutTokens,
  rowTokens,
  serveTokens,
  setTokens,
  shareOf,
  turningOn,
} from "./words.ts";

/** Sentences keep a number and its sign on one line; the tables here write a plain space. */
const spaced = (text: string) => text.replaceAll("\u00a0", " ");

const names = {
  cohorts: new Map([["31", "Beta testers"]]),
  flags: new Map([["7", "new-nav"]]),
  groups: new Map([[0, "companies"]]),
};
const plan: FlagProperty = { key: "plan", type: "person", operator: "exact", value: ["pro", "team"] };
const country: FlagProperty = { key: "country", type: "person", operator: "is_not", value: "DE" };
const beta: FlagProperty = { key: "id", type: "cohort", operator: "in", value: 31 };
const split = {
  variants: [
    { key: "control", rollout_percentage: 50 },
    { key: "test", rollout_percentage: 50 },
  ],
};
const filters = (...groups: FlagGroup[]): FlagFilters => ({ groups });

describe("rows in words", () => {
  it.each<[FlagProperty, string]>([
    [plan, "plan is pro or team"],
    [{ key: "plan", type: "person", value: "pro" }, "plan is pro"],
    [
      { key: "c", type: "person", operator: "is_not", value: ["a", "b", "c", "d", "e"] },
      "c is not a nor b nor c nor 2 others",
    ],
    [{ key: "age", type: "person", operator: "gte", value: "18" }, "age is at least 18"],
    [{ key: "email", type: "person", operator: "is_set", value: "is_set" }, "email is known"],
    [{ key: "at", type: "person", operator: "is_date_after", value: "-30d" }, "at is after 30 days ago"],
    [
      { key: "at", type: "person", operator: "is_date_before", value: "2026-01-31" },
      "at is before 2026-01-31",
    ],
    [beta, "in cohort Beta testers"],
    [{ ...beta, operator: "not_in", value: "99" }, "not in cohort #99"],
    [{ ...beta, value: 99, cohort_name: "As echoed" }, "in cohort As echoed"],
    [{ key: "7", type: "flag", operator: "flag_evaluates_to", value: true }, "flag new-nav is on"],
    [{ key: "8", type: "flag", operator: "flag_evaluates_to", value: "blue" }, "flag #8 is blue"],
    [{ key: "", type: "person", operator: "exact", value: [] }, "… is …"],
    [{ key: "x", type: "person", operator: "from_tomorrow", value: 1 }, "x from_tomorrow 1"],
  ])("%j reads %s", (row, words) => {
    expect(plain(rowTokens(row, names))).toBe(words);
  });

  it.each([
    ["-1d", "1 day ago"],
    ["12h", "12 hours ago"],
    ["-2m", "2 months ago"],
    ["2026-01-31", "2026-01-31"],
  ])("the date %s reads %s", (value, words) => {
    expect(dateInWords(value)).toBe(words);
  });
});

describe("sets in words", () => {
  it.each<[FlagGroup, Partial<FlagFilters>, string]>([
    [{ properties: [], rollout_percentage: 100 }, {}, "everyone"],
    [{}, {}, "everyone"],
    [{ properties: [], rollout_percentage: 0 }, {}, "nobody (0%)"],
    [{ properties: [plan], rollout_percentage: 0 }, {}, "0% of people where plan is pro or team"],
    [{ properties: [plan], rollout_percentage: null }, {}, "people where plan is pro or team"],
    [
      { properties: [plan, country], rollout_percentage: 12.5 },
      {},
      "12.5% of people where plan is pro or team and country is not DE",
    ],
    [
      { properties: [beta, plan], rollout_percentage: 40 },
      {},
      "40% of people in cohort Beta testers where plan is pro or team",
    ],
    [{ rollout_percentage: 30 }, { aggregation_group_type_index: 0 }, "30% of companies"],
    [{ rollout_percentage: 100 }, { aggregation_group_type_index: 3 }, "all groups of type 3"],
  ])("%j reads %s", (group, more, words) => {
    expect(spaced(plain(setTokens(group, { ...filters(group), ...more }, names)))).toBe(words);
  });

  it("says what a set gives", () => {
    const half = { properties: [], rollout_percentage: 50 };
    expect(spaced(plain(serveTokens(half, filters(half))))).toBe("On for 50% of people");
    const several = { ...filters(half), multivariate: split };
    expect(spaced(plain(serveTokens(half, several)))).toBe("Serve variants by percentage to 50% of people");
    expect(spaced(plain(serveTokens({ ...half, variant: "test" }, several)))).toBe(
      "Serve test to 50% of people",
    );
  });
});

describe("the rollout in one line", () => {
  const some = { properties: [plan], rollout_percentage: 40 };
  const all = { properties: [], rollout_percentage: 100 };
  it.each<[string, FlagFilters, string]>([
    ["one set", filters(some), "40% of people where plan is pro or team · else off"],
    ["everyone", filters(all), "Everyone"],
    ["sets after one for everyone are never reached", filters(all, some), "Everyone"],
    ["nobody", filters({ properties: [], rollout_percentage: 0 }), "Nobody"],
    ["no sets", filters(), "Nobody: there is no condition set"],
    [
      "a forced variant",
      { ...filters({ ...some, variant: "test" }, { rollout_percentage: 10 }), multivariate: split },
      "40% of people where plan is pro or team get test · or 10% of people · else off",
    ],
    [
      "many sets",
      filters(some, some, some, some),
      "40% of people where plan is pro or team · or 40% of people where plan is pro or team · and 2 more sets · else off",
    ],
  ])("%s", (_, given, words) => {
    expect(spaced(plain(rolloutTokens(given, names)))).toBe(words);
  });

  it.each<[FlagFilters, boolean]>([
    [filters(some, all), true],
    [filters(some), false],
    [filters({ properties: [], rollout_percentage: 99.9 }), false],
    [filters({}), true],
  ])("%j reaches everyone: %s", (given, reaches) => {
    expect(reachesEveryone(given)).toBe(reaches);
  });

  it.each<[string, FlagFilters, boolean, string]>([
    ["a boolean flag", filters(all), false, "It is on for everyone."],
    ["a remote configuration", filters(all), true, "Everyone gets the payload."],
    [
      "variants",
      { ...filters(all), multivariate: split },
      false,
      "Everyone gets control (50%) or test (50%).",
    ],
    [
      "a forced variant",
      { ...filters({ ...all, variant: "test" }), multivariate: split },
      false,
      "Everyone gets test.",
    ],
    ["a part", filters(some), false, "It is on for 40% of people where plan is pro or team."],
    ["nobody", filters({ rollout_percentage: 0 }), false, "Nobody gets it yet: every set is at 0%."],
  ])("turning on %s", (_, given, remote, words) => {
    expect(spaced(turningOn(given, remote))).toBe(words);
  });
});

describe("every operator in words", () => {
  const read: [string, string][] = [
    ["exact", "age is 5"],
    ["is_not", "age is not 5"],
    ["is_set", "age is known"],
    ["is_not_set", "age is not known"],
    ["icontains", "age contains 5"],
    ["not_icontains", "age does not contain 5"],
    ["icontains_multi", "age contains any of 5"],
    ["not_icontains_multi", "age contains none of 5"],
    ["starts_with", "age starts with 5"],
    ["not_starts_with", "age does not start with 5"],
    ["ends_with", "age ends with 5"],
    ["not_ends_with", "age does not end with 5"],
    ["regex", "age matches the pattern 5"],
    ["not_regex", "age does not match the pattern 5"],
    ["gt", "age is greater than 5"],
    ["gte", "age is at least 5"],
    ["lt", "age is less than 5"],
    ["lte", "age is at most 5"],
    ["min", "age is at least 5"],
    ["max", "age is at most 5"],
    ["is_date_exact", "age is on 5"],
    ["is_date_before", "age is before 5"],
    ["is_date_after", "age is after 5"],
    ["semver_eq", "age is version 5"],
    ["semver_neq", "age is not version 5"],
    ["semver_gt", "age is newer than version 5"],
    ["semver_gte", "age is at least version 5"],
    ["semver_lt", "age is older than version 5"],
    ["semver_lte", "age is at most version 5"],
    ["semver_tilde", "age is a patch release of version 5"],
    ["semver_caret", "age is compatible with version 5"],
    ["semver_wildcard", "age matches version 5"],
    ["in", "age in 5"],
    ["not_in", "age not in 5"],
    ["flag_evaluates_to", "age is 5"],
  ];

  it.each(read)("%s reads %s", (operator, words) => {
    expect(plain(rowTokens({ key: "age", type: "person", operator, value: 5 }))).toBe(words);
  });

  it("has words of its own", () => {
    expect(read.map(([operator]) => operator)).toEqual(Object.keys(OPERATOR_WORDS));
  });
});

describe("values in words", () => {
  it.each<[unknown, string, string]>([
    [undefined, "exact", "x is …"],
    [null, "exact", "x is …"],
    ["", "exact", "x is …"],
    [[], "is_not", "x is not …"],
    [0, "exact", "x is 0"],
    [false, "exact", "x is false"],
    [{ a: [1] }, "exact", 'x is {"a":[1]}'],
    [["a"], "exact", "x is a"],
    [["a", 1, true], "exact", "x is a or 1 or true"],
    [["a", "b", "c", "d"], "exact", "x is a or b or c or d"],
    [["a", "b", "c", "d", "e"], "exact", "x is a or b or c or 2 others"],
    [["a", "b"], "is_not", "x is not a nor b"],
    [["a", "b"], "not_icontains_multi", "x contains none of a or b"],
    ["-7d", "exact", "x is -7d"],
    [" -7d ", "is_date_before", "x is before 7 days ago"],
    ["-1w", "is_date_exact", "x is on 1 week ago"],
    ["2y", "is_date_after", "x is after 2 years ago"],
  ])("%j after %s reads %s", (value, operator, words) => {
    expect(plain(rowTokens({ key: "x", type: "person", operator, value }))).toBe(words);
  });

  it.each([
    ["-1h", "1 hour ago"],
    ["-10d", "10 days ago"],
    ["3w", "3 weeks ago"],
    ["-1m", "1 month ago"],
    ["1y", "1 year ago"],
    ["-0d", "0 days ago"],
    ["+1d", "+1d"],
    ["-1x", "-1x"],
    ["-1dd", "-1dd"],
    ["d", "d"],
  ])("the date %s reads %s", (value, words) => {
    expect(dateInWords(value)).toBe(words);
  });

  it("are distinguished from the words around them", () => {
    expect(rowTokens({ ...plan, value: ["pro", "in"] })).toEqual([
      { kind: "value", text: "plan" },
      { kind: "word", text: "is" },
      { kind: "value", text: "pro" },
      { kind: "word", text: "or" },
      { kind: "value", text: "in" },
    ]);
    expect(rowTokens(beta, names)).toEqual([
      { kind: "word", text: "in cohort" },
      { kind: "value", text: "Beta testers" },
    ]);
    const dependency = { key: "7", type: "flag", operator: "flag_evaluates_to" };
    expect(rowTokens({ ...dependency, value: false }, names)).toEqual([
      { kind: "word", text: "flag" },
      { kind: "value", text: "new-nav" },
      { kind: "word", text: "is" },
      { kind: "word", text: "off" },
    ]);
    expect(rowTokens({ ...dependency, value: "off" }, names).at(-1)).toEqual({ kind: "value", text: "off" });
  });

  it.each<[FlagProperty, string]>([
    [{ key: "id", type: "cohort" }, "in cohort …"],
    [{ key: "id", type: "cohort", value: null, operator: "not_in" }, "not in cohort …"],
    [{ key: "id", type: "cohort", value: 31, cohort_name: "Renamed since" }, "in cohort Beta testers"],
    [{ key: "id", type: "cohort", value: 99, cohort_name: 5 }, "in cohort #99"],
    [{ key: "", type: "flag", value: true }, "flag … is on"],
    [{ key: "7", type: "flag" }, "flag new-nav is …"],
  ])("%j reads %s", (row, words) => {
    expect(plain(rowTokens(row, names))).toBe(words);
  });

  it("are called by their ids where no names are known", () => {
    expect(plain(rowTokens(beta))).toBe("in cohort #31");
    expect(plain(rowTokens({ key: "7", type: "flag", value: true }))).toBe("flag #7 is on");
  });
});

describe("shares in words", () => {
  it.each([
    [0, "0%"],
    [12.5, "12.5%"],
    [100 / 3, "33.3333%"],
    [0.00001, "0%"],
    [100, "100%"],
  ])("%s reads %s", (percent, words) => {
    expect(percentText(percent)).toBe(words);
  });

  it("everyone, where none is written", () => {
    expect([{}, { rollout_percentage: null }, { rollout_percentage: 0 }].map(shareOf)).toEqual([100, 100, 0]);
  });
});

describe("whom a set takes", () => {
  const company: FlagProperty = { key: "tier", type: "group", group_type_index: 0, value: "gold" };
  const other: FlagProperty = { ...beta, value: 99 };
  it.each<[FlagGroup, number | null, string]>([
    [{ aggregation_group_type_index: null }, 0, "everyone"],
    [{ aggregation_group_type_index: 0 }, null, "all companies"],
    [{ aggregation_group_type_index: 1 }, 0, "all groups of type 1"],
    [{ rollout_percentage: 0 }, 0, "nobody (0%)"],
    [{ properties: [company], rollout_percentage: 0 }, 0, "0% of companies where tier is gold"],
    [{ properties: [company] }, 0, "companies where tier is gold"],
    [{ properties: [beta, other] }, null, "people in cohort Beta testers and in cohort #99"],
    [{ properties: [plan, beta] }, null, "people where plan is pro or team and in cohort Beta testers"],
    [
      { properties: [beta, plan, country] },
      null,
      "people in cohort Beta testers where plan is pro or team and country is not DE",
    ],
    [
      { properties: [beta, plan, other] },
      null,
      "people in cohort Beta testers where plan is pro or team and in cohort #99",
    ],
  ])("%j of %s reads %s", (group, index, words) => {
    const all = { ...filters(group), aggregation_group_type_index: index };
    expect(spaced(plain(setTokens(group, all, names)))).toBe(words);
  });

  it.each([null, "", undefined])("and gives no variant of its own for %j", (variant) => {
    const group = variant === undefined ? {} : { variant };
    expect(plain(serveTokens(group, filters(group)))).toBe("On for everyone");
  });
});

describe("the rollout of several sets in one line", () => {
  const some = { properties: [plan], rollout_percentage: 40 };
  const ten = { rollout_percentage: 10 };
  const none = { rollout_percentage: 0 };
  const told = "40% of people where plan is pro or team";
  it.each<[string, FlagGroup[], string]>([
    ["up to everyone", [ten, {}, some], "10% of people · or everyone"],
    ["three are spelled out", [some, ten, ten], `${told} · or 10% of people · or 10% of people · else off`],
    ["four are not", [ten, some, ten, ten], `10% of people · or ${told} · and 2 more sets · else off`],
    [
      "four of which the last takes everyone",
      [ten, some, ten, {}],
      `10% of people · or ${told} · and 2 more sets`,
    ],
    ["none of which lets anybody in", [none, none], "Nobody"],
    ["one of which lets somebody in", [none, ten], "Nobody (0%) · or 10% of people · else off"],
    ["a variant for everyone", [{ variant: "test" }], "Everyone get test"],
  ])("%s", (_, groups, words) => {
    expect(spaced(plain(rolloutTokens(filters(...groups), names)))).toBe(words);
  });

  it("spells out as many as are asked for", () => {
    expect(spaced(plain(rolloutTokens(filters(ten, ten, ten), {}, 1)))).toBe(
      "10% of people · and 2 more sets · else off",
    );
  });

  it("begins with a capital, unless with what somebody typed", () => {
    const tokens = [
      { kind: "word" as const, text: "on for" },
      { kind: "value" as const, text: "acme" },
    ];
    expect(plain(capitalized(tokens))).toBe("On for acme");
    expect(plain(capitalized(tokens.toReversed()))).toBe("acme on for");
    expect(capitalized([])).toEqual([]);
  });
});

describe("what turning on does", () => {
  const ten = { rollout_percentage: 10 };
  const none = { rollout_percentage: 0 };
  const variants = (...keys: string[]) => ({
    variants: keys.map((key) => ({ key, rollout_percentage: 100 / keys.length })),
  });
  it.each<[string, FlagFilters, boolean, string]>([
    ["one variant", { ...filters({}), multivariate: variants("a") }, false, "Everyone gets a (100%)."],
    [
      "four variants",
      { ...filters({}), multivariate: variants("a", "b", "c", "d") },
      false,
      "Everyone gets a (25%), b (25%), c (25%) or d (25%).",
    ],
    ["everyone in a later set", filters(ten, {}), false, "It is on for everyone."],
    ["sets for nobody are not told", filters(none, ten), false, "It is on for 10% of people."],
    ["two sets", filters(ten, ten), false, "It is on for 10% of people; or 10% of people."],
    [
      "three sets",
      filters(ten, ten, ten),
      false,
      "It is on for 10% of people; or 10% of people; or 10% of people.",
    ],
    [
      "five sets",
      filters(ten, ten, ten, ten, ten),
      false,
      "It is on for 10% of people; 10% of people; 10% of people; and 2 more sets.",
    ],
    ["no sets", filters(), false, "Nobody gets it yet: every set is at 0%."],
    [
      "names",
      filters({ properties: [beta], rollout_percentage: 50 }),
      true,
      "It is on for 50% of people in cohort Beta testers.",
    ],
  ])("%s", (_, given, remote, words) => {
    expect(spaced(turningOn(given, remote, names))).toBe(words);
  });
});
