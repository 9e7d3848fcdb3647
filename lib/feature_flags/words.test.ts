import { describe, expect, it } from "vitest";
import type { FlagFilters, FlagGroup, FlagProperty } from "./filters_schema.ts";
import {
  dateInWords,
  plain,
  reachesEveryone,
  rolloutTokens,
  rowTokens,
  serveTokens,
  setTokens,
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
    [{ properties: [], rollout_percentage: 0 }, {}, "nobody (0 %)"],
    [{ properties: [plan], rollout_percentage: 0 }, {}, "0 % of people where plan is pro or team"],
    [{ properties: [plan], rollout_percentage: null }, {}, "people where plan is pro or team"],
    [
      { properties: [plan, country], rollout_percentage: 12.5 },
      {},
      "12.5 % of people where plan is pro or team and country is not DE",
    ],
    [
      { properties: [beta, plan], rollout_percentage: 40 },
      {},
      "40 % of people in cohort Beta testers where plan is pro or team",
    ],
    [{ rollout_percentage: 30 }, { aggregation_group_type_index: 0 }, "30 % of companies"],
    [{ rollout_percentage: 100 }, { aggregation_group_type_index: 3 }, "all groups of type 3"],
  ])("%j reads %s", (group, more, words) => {
    expect(spaced(plain(setTokens(group, { ...filters(group), ...more }, names)))).toBe(words);
  });

  it("says what a set gives", () => {
    const half = { properties: [], rollout_percentage: 50 };
    expect(spaced(plain(serveTokens(half, filters(half))))).toBe("On for 50 % of people");
    const several = { ...filters(half), multivariate: split };
    expect(spaced(plain(serveTokens(half, several)))).toBe("Serve a variant by its share to 50 % of people");
    expect(spaced(plain(serveTokens({ ...half, variant: "test" }, several)))).toBe(
      "Serve test to 50 % of people",
    );
  });
});

describe("the rollout in one line", () => {
  const some = { properties: [plan], rollout_percentage: 40 };
  const all = { properties: [], rollout_percentage: 100 };
  it.each<[string, FlagFilters, string]>([
    ["one set", filters(some), "40 % of people where plan is pro or team · else off"],
    ["everyone", filters(all), "Everyone"],
    ["sets after one for everyone are never reached", filters(all, some), "Everyone"],
    ["nobody", filters({ properties: [], rollout_percentage: 0 }), "Nobody"],
    ["no sets", filters(), "Nobody: there is no condition set"],
    [
      "a forced variant",
      { ...filters({ ...some, variant: "test" }, { rollout_percentage: 10 }), multivariate: split },
      "40 % of people where plan is pro or team get test · or 10 % of people · else off",
    ],
    [
      "many sets",
      filters(some, some, some, some),
      "40 % of people where plan is pro or team · or 40 % of people where plan is pro or team · and 2 more sets · else off",
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
      "Everyone gets control (50 %) or test (50 %).",
    ],
    [
      "a forced variant",
      { ...filters({ ...all, variant: "test" }), multivariate: split },
      false,
      "Everyone gets test.",
    ],
    ["a part", filters(some), false, "It is on for 40 % of people where plan is pro or team."],
    ["nobody", filters({ rollout_percentage: 0 }), false, "Nobody gets it yet: every set lets nobody in."],
  ])("turning on %s", (_, given, remote, words) => {
    expect(spaced(turningOn(given, remote))).toBe(words);
  });
});
