import { describe, expect, it } from "vitest";
import { plain } from "#lib/people/conditions/words.ts";
import { cohortTokens, filtersOfSets, setsOf } from "./words.ts";

const row = (key: string, value: unknown = ["x"], given: object = {}) => ({
  key,
  type: "person",
  operator: "exact",
  value,
  ...given,
});
const and = (...values: unknown[]) => ({ type: "AND", values });
const or = (...values: unknown[]) => ({ type: "OR", values });
const inCohort = { key: "id", type: "cohort", operator: "in", value: 7 };

describe("cohortTokens", () => {
  it.each([
    [{}, ""],
    [{ properties: or(and(row("plan"))) }, "plan is x"],
    [{ properties: or(and(row("plan"), row("country", ["DE", "NL"]))) }, "plan is x and country is DE or NL"],
    [{ properties: or(and(row("a"), row("b")), and(row("c"))) }, "( a is x and b is x ) or c is x"],
    [{ properties: and(or(row("a"), row("b")), row("c")) }, "( a is x or b is x ) and c is x"],
    [{ properties: or(and(row("a", ["x"], { negation: true }))) }, "not ( a is x )"],
    [{ properties: and(inCohort) }, "in cohort Beta"],
  ])("reads %j", (filters, sentence) => {
    expect(plain(cohortTokens(filters, { cohorts: new Map([["7", "Beta"]]) }))).toBe(sentence);
  });
});

describe("setsOf", () => {
  it.each([
    [or(and(row("a"), row("b")), and(row("c"))), [[row("a"), row("b")], [row("c")]]],
    [and(and(row("a"), row("b"))), [[row("a"), row("b")]]],
    [and(row("a"), row("b")), [[row("a"), row("b")]]],
    [or(row("a"), row("b")), [[row("a")], [row("b")]]],
    [or(or(row("a"))), [[row("a")]]],
  ])("takes %j apart", (properties, sets) => {
    expect(setsOf({ properties })).toEqual(sets);
  });

  it.each([
    [undefined],
    [and(and(row("a")), and(row("b")))],
    [or(and(row("a")), row("b"))],
    [or(or(row("a"), row("b")))],
    [or(and(row("a", 1, { negation: true })))],
    [or(and(and(row("a"))))],
  ])("leaves %j to its JSON", (properties) => {
    expect(setsOf({ properties })).toBeNull();
  });

  it("comes back from its own filters", () => {
    const sets = [[row("a"), inCohort], [row("b")]];
    expect(setsOf(filtersOfSets(sets))).toEqual(sets);
  });
});
