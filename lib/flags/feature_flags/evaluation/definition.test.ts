import { describe, expect, it } from "vitest";
import { REDACTED } from "#lib/flags/feature_flags/filters/payloads.ts";
import { flagWith } from "#testing/flags.ts";
import { definitionOf, exportedDefinition, isStandalone } from "./definition.ts";

const plan = { key: "plan", type: "person", operator: "exact", value: ["pro"] };
const on = (id: number | string) => ({
  key: String(id),
  type: "flag",
  operator: "flag_evaluates_to",
  value: true,
});
const beta = { key: "id", type: "cohort", operator: "in", value: 3 };
const filtersOf = (...properties: unknown[]) => ({ groups: [{ properties, rollout_percentage: 100 }] });
const flag = (id: number, key: string, ...properties: unknown[]) =>
  flagWith({ id, key, filters: filtersOf(...properties) });

const flags = new Map(
  [
    flag(1, "base", plan),
    flag(2, "middle", on(1)),
    flag(3, "top", on(2), on(1)),
    flag(4, "ring-a", on(5)),
    flag(5, "ring-b", on(4)),
    { ...flag(6, "gone", plan), deleted: true },
    flag(7, "on-gone", on(6)),
    flag(8, "on-missing", on(99)),
  ].map((each) => [each.id, each]),
);
const tree = { type: "AND", values: [plan] };
const facts = { flags, treeOf: (id: number) => (id === 3 ? tree : null) };
const whole = { cohorts: true, redacted: false };

describe("a definition for SDKs", () => {
  it("is the flag in short", () => {
    const stored = flagWith({ id: 9, project_id: 4, name: "N", version: 3, evaluation_tags: ["eu"] });
    expect(exportedDefinition(stored, whole, facts)).toEqual({
      id: 9,
      team_id: 4,
      name: "N",
      key: "checkout",
      filters: { groups: [{ properties: [], rollout_percentage: 100 }] },
      deleted: false,
      active: true,
      ensure_experience_continuity: false,
      has_encrypted_payloads: false,
      version: 3,
      evaluation_runtime: "all",
      evaluation_tags: ["eu"],
    });
    expect(exportedDefinition({ ...stored, experiment_set: [1] }, whole, facts)).toMatchObject({
      has_experiment: true,
    });
  });

  it("takes everyone where there are no sets", () => {
    const groups = [{ properties: [], rollout_percentage: null }];
    for (const definition of [
      definitionOf(flagWith({ filters: {} })),
      exportedDefinition(flagWith({ filters: {} }), whole, facts),
    ])
      expect(definition.filters).toEqual({ groups });
  });

  // The chain: what has to be evaluated first, in order; empty where that cannot be.
  it.each<[string, number | string, string, string[]]>([
    ["on a flag", 1, "base", ["base"]],
    ["on a flag that depends on another", 2, "middle", ["base", "middle"]],
    ["by two ways on one flag", 3, "top", ["base", "middle", "top"]],
    ["on a ring", 4, "ring-a", []],
    ["on a deleted flag", 6, "gone", []],
    ["on a flag that depends on a deleted one", 7, "on-gone", []],
    ["on a flag that depends on a missing one", 8, "on-missing", []],
    ["on a missing flag", 99, "99", []],
    ["on what is no id", "x", "x", []],
  ])("names dependencies by key: %s", (_, id, key, dependency_chain) => {
    const { filters } = exportedDefinition(flag(20, "asked", plan, on(id)), whole, facts);
    expect(filters).toEqual(filtersOf(plan, { ...on(id), key, dependency_chain }));
  });

  it("keeps sets without rows beside dependencies", () => {
    const filters = { groups: [{ rollout_percentage: 5 }, { properties: [on(1)] }], early_exit: true };
    const { filters: sent } = exportedDefinition(flagWith({ filters }), whole, facts);
    expect(sent).toEqual({
      groups: [
        { rollout_percentage: 5 },
        { properties: [{ ...on(1), key: "base", dependency_chain: ["base"] }] },
      ],
      early_exit: true,
    });
  });

  it("writes a simple cohort out where cohorts do not come along", () => {
    const stored = flag(20, "asked", beta);
    expect(exportedDefinition(stored, whole, facts).filters).toEqual(filtersOf(beta));
    expect(exportedDefinition(stored, { ...whole, cohorts: false }, facts).filters).toEqual(filtersOf(plan));
  });

  it("hides encrypted payloads from those who may not read them, and no others", () => {
    const filters = { ...filtersOf(plan), payloads: { true: "1" } };
    const payloadOf = (has_encrypted_payloads: boolean, redacted: boolean) =>
      exportedDefinition(flagWith({ filters, has_encrypted_payloads }), { ...whole, redacted }, facts).filters
        .payloads;
    expect(payloadOf(true, true)).toEqual({ true: REDACTED });
    expect(payloadOf(true, false)).toEqual({ true: "1" });
    expect(payloadOf(false, true)).toEqual({ true: "1" });
  });
});

it.each<[string, Record<string, unknown>, boolean]>([
  ["rows on persons", filtersOf(plan), true],
  ["no sets", {}, true],
  ["sets that cannot be read", { groups: [null, 3, { properties: 3 }, { properties: [null] }] }, true],
  ["a row on a cohort", filtersOf(plan, beta), false],
  ["a row on a flag", { groups: [{}, { properties: [on(1)] }] }, false],
])("a definition stands alone by its rows: %s", (_, filters, alone) => {
  expect(isStandalone(flagWith({ filters }))).toBe(alone);
});
