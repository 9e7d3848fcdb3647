import { describe, expect, it } from "vitest";
import { matchProperty } from "#lib/engines/evaluation/match-property.ts";
import { PROPERTY_OPERATORS } from "./operators.ts";
import type { Mode } from "./types.ts";

const now = Date.parse("2026-03-31T10:30:00Z");

function ask(operator: string | null | undefined, value: unknown, given: unknown, mode: Mode = "complete") {
  const properties = given === undefined ? {} : { k: given };
  return matchProperty({ key: "k", type: "person", operator, value }, properties, { mode, now });
}

describe("a property that is there", () => {
  it.each([
    ["exact", "pro", "PRO", true],
    ["exact", ["a", "b"], "B", true],
    ["exact", ["a", "b"], "c", false],
    ["exact", "true", true, true],
    ["exact", ["false"], "no", false],
    ["exact", 5, "5", true],
    ["exact", [], "a", false],
    ["exact", { a: 1 }, { a: 1 }, true],
    ["is_not", "x", null, true],
    ["is_not", ["a", "b"], "b", false],
    ["is_set", "is_set", null, true],
    ["is_not_set", "is_not_set", "", false],
    ["icontains", "EXAMPLE", "ann@example.com", true],
    ["icontains", "1", 213, true],
    ["not_icontains", "@mail", "ann@example.com", true],
    ["icontains_multi", ["cat", "dog"], "Hotdog", true],
    ["icontains_multi", ["cat", "dog"], "bird", false],
    ["not_icontains_multi", ["cat", "dog"], "Hotdog", false],
    ["starts_with", "ANN", "ann@example.com", true],
    ["not_starts_with", "ann", "ann@example.com", false],
    ["ends_with", ".com", "ann@example.com", true],
    ["not_ends_with", "ann", "ann@example.com", true],
    ["regex", "^\\d+$", "abc123", false],
    ["regex", "\\d+", "abc123", true],
    ["regex", "colou?r", "COLOR", false],
    ["not_regex", "^ann@", "bob@example.com", true],
    ["not_regex", "^(?!(x+x+)+y)", "x".repeat(200), false], // refused: neither operator matches
    ["regex", "^(?!(x+x+)+y)", "x".repeat(200), false],
    ["regex", "[", "[", false],
    ["not_regex", "[", "a", false],
    ["gt", "5", 6, true],
    ["gt", "5", "10", true],
    ["gt", "5", "ten", false],
    ["lt", "abc", 4, false],
    ["gte", "2.5", 2.5, true],
    ["lt", 5, "-1e3", true],
    ["lte", 5, true, false],
    ["min", 5, 5, true],
    ["max", 5, 6, false],
    ["is_date_before", "2024-06-01", "2024-05-31", true],
    ["is_date_before", "-30d", "2026-01-01T00:00:00Z", true],
    ["is_date_after", "-1y", "2026-01-01T00:00:00Z", true],
    ["is_date_after", "2024-06-01T10:00:00Z", "2024-06-01T10:00:00.001Z", true],
    ["is_date_after", "2024-06-01T10:00:00Z", "2024-06-01T10:00:00Z", false],
    ["is_date_before", "2024-06-01T10:00:00Z", "2024-06-01T09:59:59.999Z", true],
    ["is_date_before", "2024-06-01T10:00:00Z", "2024-06-01T10:00:00Z", false],
    ["is_date_after", "2024-06-01", "soon", false],
    ["is_date_before", "soon", "2024-06-01", false],
    ["is_date_exact", "2024-06-01", "2024-06-01T23:59:59Z", true],
    ["is_date_exact", "2024-06-01", "2024-06-02T00:00:00Z", false],
    ["is_date_exact", "2024-06-01T10:00:00Z", "2024-06-01T12:00:00+02:00", true],
    ["is_date_exact", "2024-06-01T10:00:00Z", "2024-06-01T10:00:01Z", false],
    ["is_date_exact", "-1d", "2026-03-30T00:00:00Z", true], // a span means the whole day it leads to
    ["is_date_exact", "-1d", "2026-03-30T23:59:59.999Z", true],
    ["is_date_exact", "-1d", "2026-03-29T23:59:59.999Z", false],
    ["is_date_exact", "-1d", "2026-03-31T00:00:00Z", false],
    ["gt", "5", Number.POSITIVE_INFINITY, false],
    ["gt", "5", "Infinity", false],
    ["gt", "5", "1e400", false],
    ["gt", "5", 5, false],
    ["gte", "5", 4.9, false],
    ["lt", "5", 5, false],
    ["lte", "5", 5.1, false],
    ["min", 5, 4.9, false],
    ["max", 5, 5, true],
    ["exact", "\u00df", "SS", false],
    ["exact", "null", null, false],
    ["is_not", "null", null, false],
    ["icontains", "ul", null, false],
    ["not_icontains", "ul", null, true],
    ["icontains_multi", "cat", "CATS", true],
    ["starts_with", "nn", "ann", false],
    ["ends_with", "an", "ann", false],
    ["semver_eq", "1.2.3", "1.2.4", false],
    ["semver_neq", "1.2.3", "1.2.3", false],
    ["semver_neq", "1.2.3", "latest", false],
    ["semver_gt", "1.2.3", "1.2.3", false],
    ["semver_gte", "1.2.3", "1.2.3", true],
    ["semver_gte", "1.2.3", "1.2.2", false],
    ["semver_lt", "1.2.3", "1.2.3", false],
    ["semver_lte", "1.2.3", "1.2.3", true],
    ["semver_lte", "1.2.3", "1.2.4", false],
    ["semver_tilde", "1.2.3", "1.3.0", false],
    ["semver_tilde", "1.2.3", "1.2.2", false],
    ["semver_caret", "1.2.3", "2.0.0", false],
    ["semver_caret", "1.2.3", "1.9.0", true],
    ["semver_wildcard", "1.2.*", "1.3.0", false],
    ["semver_eq", "1.2.3", "v1.2.3-beta.1", true],
    ["semver_neq", "1.2.3", "1.2.4", true],
    ["semver_gt", "1.2.3", "1.10.0", true],
    ["semver_lt", "1.2", "1.1.9", true],
    ["semver_gte", "1.2.3", "01.3.0", false],
    ["semver_tilde", "1.2.3", "1.2.9", true],
    ["semver_caret", "0.2.3", "0.3.0", false],
    ["semver_wildcard", "1.2.*", "1.2.7", true],
    ["flies_over", "x", "x", false],
  ])("%s %.40j asked of %.40j: %s", (operator, value, given, matches) => {
    expect(ask(operator, value, given)).toBe(matches ? "match" : "no_match");
  });

  it("is covered for every operator on offer", () => {
    for (const operator of [
      "exact",
      "is_not",
      "is_set",
      "is_not_set",
      "not_regex",
      "is_date_exact",
      "semver_wildcard",
    ])
      expect(PROPERTY_OPERATORS).toContain(operator);
  });

  it("takes an absent or null operator for exact", () => {
    expect(ask(undefined, "a", "A")).toBe("match");
    expect(ask(null, "a", "A")).toBe("match");
  });
});

describe("a property that is not there", () => {
  const negative = [
    "is_not",
    "is_not_set",
    "not_icontains",
    "not_icontains_multi",
    "not_starts_with",
    "not_ends_with",
    "not_regex",
  ];

  it.each(PROPERTY_OPERATORS)(
    "%s: only negative operators match it, and an SDK asks the server",
    (operator) => {
      const value = operator.includes("date") ? "-1d" : operator.includes("wildcard") ? "1.*" : "1.2.3";
      expect(ask(operator, value, undefined)).toBe(negative.includes(operator) ? "match" : "no_match");
      expect(ask(operator, value, undefined, "partial")).toBe("inconclusive");
    },
  );

  it("is judged completely unless an SDK asks", () => {
    expect(matchProperty({ key: "k", operator: "is_not", value: "a" }, {}, { now })).toBe("match");
    expect(matchProperty({ key: "k", operator: "exact", value: "a" }, {}, { now })).toBe("no_match");
  });

  it("does not take what objects inherit for a property", () => {
    for (const key of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      expect(matchProperty({ key, operator: "is_set", value: "is_set" }, {}, { now })).toBe("no_match");
    }
    const given = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, unknown>;
    expect(matchProperty({ key: "__proto__", value: "x" }, given, { now })).toBe("match");
    expect(matchProperty({ key: "constructor", value: "y" }, given, { now })).toBe("match");
  });
});

describe("where SDKs see it differently from the server", () => {
  it.each([
    { operator: "gt", value: "b", given: "c", partial: "match", complete: "no_match" },
    { operator: "not_icontains", value: "x", given: null, partial: "no_match", complete: "match" },
    {
      operator: "is_date_before",
      value: "-1d",
      given: "soon",
      partial: "inconclusive",
      complete: "no_match",
    },
    { operator: "semver_gt", value: "1.2.3", given: "latest", partial: "inconclusive", complete: "no_match" },
    {
      operator: "is_date_exact",
      value: "2024-06-01",
      given: "2024-06-01",
      partial: "inconclusive",
      complete: "match",
    },
    { operator: "gt", value: "b", given: "b", partial: "no_match", complete: "no_match" },
    { operator: "gte", value: "b", given: "b", partial: "match", complete: "no_match" },
    { operator: "lt", value: "b", given: "a", partial: "match", complete: "no_match" },
    { operator: "gt", value: "5", given: "10 apples", partial: "match", complete: "no_match" },
    { operator: "gt", value: "5", given: "many", partial: "match", complete: "no_match" },
    { operator: "gt", value: "5 apples", given: 6, partial: "match", complete: "no_match" },
    { operator: "regex", value: "[", given: "a", partial: "no_match", complete: "no_match" },
    {
      operator: "is_date_after",
      value: "soon",
      given: "2024-06-01",
      partial: "inconclusive",
      complete: "no_match",
    },
    { operator: "exact", value: undefined, given: "a", partial: "inconclusive", complete: "no_match" },
    { operator: "is_not", value: "a", given: null, partial: "match", complete: "match" },
    { operator: "min", value: 5, given: 5, partial: "inconclusive", complete: "match" },
    { operator: "max", value: 5, given: 5, partial: "inconclusive", complete: "match" },
    { operator: "icontains_multi", value: ["b"], given: "abc", partial: "inconclusive", complete: "match" },
    {
      operator: "not_icontains_multi",
      value: ["x"],
      given: "abc",
      partial: "inconclusive",
      complete: "match",
    },
    { operator: "lt", value: "many", given: 5, partial: "match", complete: "no_match" },
    { operator: "gt", value: "5", given: "5 apples", partial: "no_match", complete: "no_match" },
    { operator: "gte", value: "5", given: "5 apples", partial: "match", complete: "no_match" },
    { operator: "not_regex", value: "[", given: "a", partial: "no_match", complete: "no_match" },
    { operator: "semver_neq", value: "new", given: "1.2.3", partial: "inconclusive", complete: "no_match" },
    { operator: "flies_over", value: "a", given: "a", partial: "inconclusive", complete: "no_match" },
  ])("$operator $value of $given", ({ operator, value, given, partial, complete }) => {
    expect(ask(operator, value, given, "partial")).toBe(partial);
    expect(ask(operator, value, given, "complete")).toBe(complete);
  });
});
