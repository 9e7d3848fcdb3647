import { describe, expect, it } from "vitest";
import type { FlagFilters, FlagGroup, FlagVariant } from "#lib/people/conditions/filters-schema.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { type Difference, listFiltersDifferences, listFlagDifferences } from "./differences.ts";

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
      [["Set 1", "On for 40% of people where plan is pro", "On for 60% of people where plan is pro"]],
    ],
    [
      "a set added at the front leaves the others alone",
      filters(set(40, "pro"), set(10)),
      filters(set(5, "free"), set(40, "pro"), set(10)),
      [["Set 1", null, "On for 5% of people where plan is free"]],
    ],
    [
      "a set removed",
      filters(set(40, "pro"), set(10)),
      filters(set(10)),
      [["Set 1", "On for 40% of people where plan is pro", null]],
    ],
    [
      "sets swapped",
      filters(set(40, "pro"), set(10)),
      filters(set(10), set(40, "pro")),
      [
        ["Set 1", "On for 40% of people where plan is pro", null],
        ["Set 2", null, "On for 40% of people where plan is pro"],
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
        ["Variant control", "50%", "10%"],
        ["Variant test", "50%", "90%"],
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
    expect(spaced(listFiltersDifferences(before, after))).toEqual(told);
  });
});

describe("differences of flags", () => {
  it("compares only what both sides have", () => {
    const before = { key: "a", name: "", active: true, tags: ["x"], evaluation_runtime: "all" };
    const after = { key: "b", name: "New", tags: [] };
    expect(listFlagDifferences(before, after)).toEqual([
      { what: "Key", before: "a", after: "b" },
      { what: "Description", before: "none", after: "New" },
      { what: "Tags", before: "x", after: "none" },
    ]);
  });

  it("takes null, absent and off for the same", () => {
    expect(listFlagDifferences({ has_encrypted_payloads: null }, { has_encrypted_payloads: false })).toEqual(
      [],
    );
    expect(listFlagDifferences({ evaluation_runtime: null }, { evaluation_runtime: "all" })).toEqual([]);
  });
});

it.each([
  [{ a: 1, b: [2, null] }, { b: [2, null], a: 1 }, true],
  [{ a: null }, {}, true],
  [[1, 2], [2, 1], false],
  [{ a: "1" }, { a: 1 }, false],
  [{ a: undefined, b: { d: 1, c: null } }, { b: { d: 1 } }, true],
  [undefined, null, true],
  [{ a: 1 }, { b: 1 }, false],
  [[], {}, false],
  [[{ b: 1, a: 2 }], [{ a: 2, b: 1 }], true],
  [["1,2"], ["1", "2"], false],
])("%j and %j are the same: %s", (a, b, same) => {
  expect(canonical(a) === canonical(b)).toBe(same);
});

describe("the words of each field", () => {
  it.each<[string, unknown, unknown, [string, string, string]]>([
    ["key", "a", "b", ["Key", "a", "b"]],
    ["name", "Old", "", ["Description", "Old", "none"]],
    ["active", true, false, ["State", "on", "off"]],
    ["deleted", false, true, ["Deleted", "no", "yes"]],
    ["is_remote_configuration", null, true, ["Remote configuration", "no", "yes"]],
    ["evaluation_runtime", "all", "server", ["Evaluated", "everywhere", "servers only"]],
    ["evaluation_runtime", "client", "edge", ["Evaluated", "clients only", "edge"]],
    ["tags", ["a", "b"], [], ["Tags", "a, b", "none"]],
    ["tags", null, ["a"], ["Tags", "none", "a"]],
    ["evaluation_tags", [], ["a", "b"], ["Evaluation contexts", "none", "a, b"]],
    ["ensure_experience_continuity", true, null, ["Keeps its value across sign-in", "yes", "no"]],
    ["has_encrypted_payloads", false, true, ["Encrypted payloads", "no", "yes"]],
    ["has_enriched_analytics", false, true, ["Captures views and interactions", "no", "yes"]],
  ])("%s from %j to %j", (field, old, next, [what, before, after]) => {
    expect(listFlagDifferences({ [field]: old }, { [field]: next })).toEqual([{ what, before, after }]);
    expect(listFlagDifferences({ [field]: old }, { [field]: old })).toEqual([]);
    expect(listFlagDifferences({ [field]: old }, {})).toEqual([]);
    expect(listFlagDifferences({}, { [field]: next })).toEqual([]);
  });

  it("come before those of the targeting, which is compared where both sides have it", () => {
    const [before, after] = [
      { filters: filters(set(10)), key: "a" },
      { key: "b", filters: filters(set(20)) },
    ];
    expect(listFlagDifferences(before, after).map(({ what }) => what)).toEqual(["Key", "Set 1"]);
    expect(listFlagDifferences(before, { filters: filters(set(10)) })).toEqual([]);
    expect(listFlagDifferences(before, {})).toEqual([]);
    expect(listFlagDifferences({}, after)).toEqual([]);
  });

  it("call cohorts by their names", () => {
    const beta = { properties: [{ key: "id", type: "cohort", value: 3 }] };
    const names = { cohorts: new Map([["3", "Beta testers"]]) };
    expect(listFlagDifferences({ filters: filters() }, { filters: filters(beta) }, names)).toEqual([
      { what: "Set 1", before: null, after: "On for people in cohort Beta testers" },
    ]);
  });
});

describe("differences of sets", () => {
  const on = (percent: number) => `On for ${percent}% of people`;
  const shares = (...percents: number[]) => filters(...percents.map((percent) => set(percent)));
  // Sets are paired with those that stay the same; what is left between two pairs is listed in order.
  it.each<[string, number[], number[], (string | null)[][]]>([
    ["one added at the end", [1], [1, 2], [["Set 2", null, on(2)]]],
    ["one added in the middle", [1, 2], [1, 9, 2], [["Set 2", null, on(9)]]],
    ["one removed from the middle", [1, 2, 3], [1, 3], [["Set 2", on(2), null]]],
    ["one changed in the middle", [1, 2, 3], [1, 9, 3], [["Set 2", on(2), on(9)]]],
    [
      "two changed in a row",
      [1, 2, 3, 4],
      [1, 8, 9, 4],
      [
        ["Set 2", on(2), on(8)],
        ["Set 3", on(3), on(9)],
      ],
    ],
    [
      "one changed and one removed after it",
      [1, 2, 3, 4],
      [1, 9, 4],
      [
        ["Set 2", on(2), on(9)],
        ["Set 3", on(3), null],
      ],
    ],
    [
      "one changed and one added after it",
      [1, 2, 4],
      [1, 8, 9, 4],
      [
        ["Set 2", on(2), on(8)],
        ["Set 3", null, on(9)],
      ],
    ],
    [
      "one removed and, further down, one added",
      [1, 2, 3, 4],
      [2, 3, 9, 4],
      [
        ["Set 1", on(1), null],
        ["Set 3", null, on(9)],
      ],
    ],
    [
      "the first moved to the end",
      [1, 2, 3],
      [2, 3, 1],
      [
        ["Set 1", on(1), null],
        ["Set 3", null, on(1)],
      ],
    ],
    ["one of two equal ones removed", [1, 1, 2], [1, 2], [["Set 2", on(1), null]]],
    [
      "all removed",
      [1, 2],
      [],
      [
        ["Set 1", on(1), null],
        ["Set 2", on(2), null],
      ],
    ],
    [
      "all new",
      [],
      [1, 2],
      [
        ["Set 1", null, on(1)],
        ["Set 2", null, on(2)],
      ],
    ],
  ])("%s", (_, before, after, told) => {
    expect(spaced(listFiltersDifferences(shares(...before), shares(...after)))).toEqual(told);
  });

  it("tell of their descriptions", () => {
    const [before, after] = [filters(set(40)), filters({ ...set(40), description: "EU pilot" })];
    expect(spaced(listFiltersDifferences(before, after))).toEqual([
      ["Set 1", "On for 40% of people", "On for 40% of people (“EU pilot”)"],
    ]);
  });
});

describe("differences of variants, payloads and other settings", () => {
  const variants = (...list: FlagVariant[]) => ({ groups: [], multivariate: { variants: list } });
  const payload = (value: unknown) => ({ groups: [], payloads: { true: value } });
  const letters = (count: number) => "x".repeat(count);
  it.each<[string, FlagFilters, FlagFilters, (string | null)[][]]>([
    [
      "a variant's name",
      variants({ key: "a", rollout_percentage: 100 }),
      variants({ key: "a", rollout_percentage: 100, name: "Blue" }),
      [["Variant a", "100%", "100%, “Blue”"]],
    ],
    [
      "a variant added and one removed",
      variants({ key: "a", rollout_percentage: 100 }),
      variants({ key: "b", rollout_percentage: 100 }),
      [
        ["Variant a", "100%", null],
        ["Variant b", null, "100%"],
      ],
    ],
    ["a payload that is no text", payload({ a: [1] }), payload("[2]"), [["Payload", '{"a":[1]}', "[2]"]]],
    ["a null payload for none", payload(null), { groups: [] }, []],
    ["the order of a payload's members", payload({ a: 1, b: 2 }), payload({ b: 2, a: 1 }), []],
    [
      "payloads that are shown whole and cut",
      payload(letters(160)),
      payload(letters(161)),
      [["Payload", letters(160), `${letters(160)}…`]],
    ],
    [
      "a setting that is cut",
      { groups: [] },
      { groups: [], note: letters(200) },
      [["Setting note", null, `"${letters(159)}`]],
    ],
    ["a null setting for none", { groups: [], holdout: null }, { groups: [] }, []],
    [
      "a setting that changes",
      { groups: [], early_exit: false },
      { groups: [], early_exit: true },
      [["Setting early_exit", "false", "true"]],
    ],
  ])("%s", (_, before, after, told) => {
    expect(spaced(listFiltersDifferences(before, after))).toEqual(told);
  });

  it("come in this order: variants, sets, payloads, others", () => {
    const after = {
      early_exit: true,
      payloads: { a: "1" },
      groups: [set(10)],
      multivariate: { variants: [{ key: "a", rollout_percentage: 100 }] },
    };
    expect(listFiltersDifferences(filters(), after).map(({ what }) => what)).toEqual([
      "Variant a",
      "Set 1",
      "Payload of a",
      "Setting early_exit",
    ]);
  });
});
