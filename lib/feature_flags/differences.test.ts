import { describe, expect, it } from "vitest";
import { canonical, type Difference, filtersDifferences, flagDifferences } from "./differences.ts";
import type { FlagFilters, FlagGroup } from "./filters_schema.ts";

const set = (percent: number, plan?: string): FlagGroup => ({
  properties: plan ? [{ key: "plan", type: "person", operator: "exact", value: [plan] }] : [],
  rollout_percentage: percent,
});
const filters = (...groups: FlagGroup[]): FlagFilters => ({ groups });
const split = (control: number, test: number) => ({
  variants: [
    { key: "control", rollout_percentage: control },
    { key: "test", rollout_percentage: test },
  ],
});
const spaced = (found: Difference[]) =>
  found.map(({ what, before, after }) =>
    [what, before, after].map((text) => text?.replaceAll("\u00a0", " ") ?? null),
  );

describe("differences of filters", () => {
  it.each<[string, FlagFilters, FlagFilters, (string | null)[][]]>([
    ["nothing", filters(set(40)), filters(set(40)), []],
    [
      "a share",
      filters(set(40, "pro")),
      filters(set(60, "pro")),
      [["Set 1", "On for 40 % of people where plan is pro", "On for 60 % of people where plan is pro"]],
    ],
    [
      "a set added at the front leaves the others alone",
      filters(set(40, "pro"), set(10)),
      filters(set(5, "free"), set(40, "pro"), set(10)),
      [["Set 1", null, "On for 5 % of people where plan is free"]],
    ],
    [
      "a set removed",
      filters(set(40, "pro"), set(10)),
      filters(set(10)),
      [["Set 1", "On for 40 % of people where plan is pro", null]],
    ],
    [
      "sets swapped",
      filters(set(40, "pro"), set(10)),
      filters(set(10), set(40, "pro")),
      [
        ["Set 1", "On for 40 % of people where plan is pro", null],
        ["Set 2", null, "On for 40 % of people where plan is pro"],
      ],
    ],
    [
      "what has no words of its own",
      filters({ ...set(40), sort_key: "a" } as FlagGroup),
      filters({ ...set(40), sort_key: "b" } as FlagGroup),
      [["Set 1", "other settings", "other settings changed"]],
    ],
    [
      "variants",
      { ...filters(set(100)), multivariate: split(50, 50) },
      { ...filters(set(100)), multivariate: split(10, 90) },
      [
        ["Variant control", "50 %", "10 %"],
        ["Variant test", "50 %", "90 %"],
      ],
    ],
    [
      "payloads",
      { ...filters(set(100)), payloads: { true: "1" } },
      { ...filters(set(100)), payloads: { test: "[2]" } },
      [
        ["Payload", "1", null],
        ["Payload of test", null, "[2]"],
      ],
    ],
    [
      "members that nobody knows",
      { ...filters(set(100)), early_exit: true },
      filters(set(100)),
      [["Setting early_exit", "true", null]],
    ],
  ])("%s", (_, before, after, told) => {
    expect(spaced(filtersDifferences(before, after))).toEqual(told);
  });
});

describe("differences of flags", () => {
  it("compares only what both sides have", () => {
    const before = { key: "a", name: "", active: true, tags: ["x"], evaluation_runtime: "all" };
    const after = { key: "b", name: "New", tags: [] };
    expect(flagDifferences(before, after)).toEqual([
      { what: "Key", before: "a", after: "b" },
      { what: "Description", before: "none", after: "New" },
      { what: "Tags", before: "x", after: "none" },
    ]);
  });

  it("takes null, absent and off for the same", () => {
    expect(flagDifferences({ has_encrypted_payloads: null }, { has_encrypted_payloads: false })).toEqual([]);
    expect(flagDifferences({ evaluation_runtime: null }, { evaluation_runtime: "all" })).toEqual([]);
  });
});

it.each([
  [{ a: 1, b: [2, null] }, { b: [2, null], a: 1 }, true],
  [{ a: null }, {}, true],
  [[1, 2], [2, 1], false],
  [{ a: "1" }, { a: 1 }, false],
])("%j and %j are the same: %s", (a, b, same) => {
  expect(canonical(a) === canonical(b)).toBe(same);
});
