import { describe, expect, it } from "vitest";
import { hashValue, VARIANT_SALT } from "#lib/engines/evaluation/hash/hash.ts";
import type {
  CohortDefinition,
  FlagDefinition,
  FlagFilters,
  Mode,
  Subject,
} from "#lib/engines/evaluation/values/types.ts";
import { compileFlags } from "./compile.ts";
import { explainFlag } from "./explain.ts";

const now = Date.parse("2026-03-31T10:30:00Z");

function explain(
  filters: FlagFilters,
  subject: Partial<Subject> = {},
  more: Partial<FlagDefinition> = {},
  mode?: Mode,
) {
  const cohorts: CohortDefinition[] = [
    { id: 5, properties: { type: "AND", values: [{ key: "country", type: "person", value: "FR" }] } },
  ];
  const base = { id: 9, key: "base", active: true, filters: { groups: [{}] } };
  const compiled = compileFlags({
    flags: [{ key: "f", active: true, filters, ...more }, base],
    cohorts,
    group_type_mapping: { "0": "company" },
    mode: mode ?? "complete",
  });
  const explanation = explainFlag(compiled, "f", { distinct_id: "ann", now, ...subject });
  if (!explanation) throw new Error("no such flag");
  return explanation;
}

const pro = { key: "plan", type: "person", operator: "exact", value: "pro" };

describe("explanation", () => {
  it("follows the conditions to the one that decided, and beyond", () => {
    const explanation = explain(
      {
        groups: [{ properties: [pro] }, { rollout_percentage: 0 }, { properties: [] }, { properties: [pro] }],
      },
      { person_properties: { plan: "free" } },
    );
    expect(explanation.sets.map((set) => set.result)).toEqual([
      "rows_failed",
      "out_of_rollout",
      "match",
      "skipped",
    ]);
    expect(explanation.outcome).toMatchObject({ value: true, reason: "condition_match", condition_index: 2 });
    expect(explanation.sets[0]?.rows).toEqual([
      { property: pro, result: "fail", why: 'plan is "free".', actual: "free", rows: [] },
    ]);
  });

  it("shows the hashes and what they are held against", () => {
    const variants = [
      { key: "red", rollout_percentage: 30 },
      { key: "blue", rollout_percentage: 70 },
    ];
    const explanation = explain({
      groups: [{ rollout_percentage: 28.1, variant: "red" }],
      multivariate: { variants },
    });
    const hash = hashValue("f", "ann");
    expect(explanation.sets[0]?.rollout).toEqual({ percentage: 28.1, hash, within: hash <= 0.281 });
    expect(explanation.sets[0]?.variant_override).toBe("red");
    const variantHash = hashValue("f", "ann", VARIANT_SALT);
    expect(explanation.variants).toEqual({
      hash: variantHash,
      ranges: [
        { key: "red", start: 0, end: 0.3 },
        { key: "blue", start: 0.3, end: 1 },
      ],
      by_hash: variantHash < 0.3 ? "red" : "blue",
    });
  });

  it.each([
    { row: pro, person: {}, result: "fail", why: "plan is not set." },
    { row: { ...pro, operator: "is_not" }, person: {}, result: "pass", why: "plan is not set." },
    {
      row: { ...pro, operator: "regex", value: "x**" },
      person: { plan: "x" },
      result: "fail",
      why: "The pattern is not valid: invalid nested repetition operator: `**`.",
    },
    {
      row: { key: "id", type: "cohort", value: 5 },
      person: { country: "FR" },
      result: "pass",
      why: "In cohort 5.",
    },
    {
      row: { key: "id", type: "cohort", value: 5, operator: "not_in" },
      person: { country: "FR" },
      result: "fail",
      why: "In cohort 5.",
    },
    {
      row: { key: "id", type: "cohort", value: 6 },
      person: {},
      result: "fail",
      why: "Cohort 6 is not known.",
    },
    {
      row: { key: "9", type: "flag", operator: "flag_evaluates_to", value: false },
      person: {},
      result: "fail",
      why: 'Flag "base" is true.',
    },
    { row: null, person: {}, result: "fail", why: "The row cannot be read." },
  ])("says of a row: $why", ({ row, person, result, why }) => {
    const explanation = explain(
      { groups: [{ properties: [row as typeof pro] }] },
      { person_properties: person },
    );
    expect(explanation.sets[0]?.rows[0]).toMatchObject({ result, why });
  });

  it("opens cohorts up", () => {
    const groups = [{ properties: [{ key: "id", type: "cohort", value: 5 }] }];
    const cohort = explain({ groups }, { person_properties: { country: "DE" } }).sets[0]?.rows[0];
    expect(cohort?.rows[0]?.rows[0]).toMatchObject({ result: "fail", why: 'country is "DE".', actual: "DE" });
  });

  it("says which id was hashed", () => {
    const groups = [{ rollout_percentage: 50 }];
    const byGroup = { groups, aggregation_group_type_index: 0 };
    expect(explain({ groups }).bucketing).toEqual({ by: "distinct_id", group_type: null, id: "ann" });
    expect(explain(byGroup, { groups: { company: "acme" } }).bucketing).toEqual({
      by: "group",
      group_type: "company",
      id: "acme",
    });
    expect(explain(byGroup).bucketing.id).toBeNull();
    expect(explain(byGroup).sets[0]?.result).toBe("no_group");
    const first = explain(
      { groups },
      { hash_key_overrides: { f: "anon" } },
      { ensure_experience_continuity: true },
    );
    expect(first.bucketing).toEqual({ by: "first_id", group_type: null, id: "anon" });
  });

  it("marks all conditions as skipped when the decision fell before them", () => {
    const groups = [{ properties: [] }];
    const chosen = explain(
      { groups, feature_enrollment: true },
      { person_properties: { "$feature_enrollment/f": "false" } },
    );
    expect(chosen.outcome.reason).toBe("super_condition_value");
    expect(chosen.enrollment).toMatchObject({ chosen: true, rows: [{ result: "fail" }] });
    const held = explain({ groups, holdout: { id: 3, exclusion_percentage: 100 } });
    expect(held.holdouts).toEqual([
      { variant: "holdout-3", rollout: { percentage: 100, hash: null, within: true } },
    ]);
    const disabled = explain({ groups }, {}, { active: false });
    for (const explanation of [chosen, held, disabled]) expect(explanation.sets[0]?.result).toBe("skipped");
  });

  it("says what an SDK could not decide", () => {
    const explanation = explain({ groups: [{ properties: [pro] }] }, {}, {}, "partial");
    expect(explanation.outcome.reason).toBe("inconclusive");
    expect(explanation.sets[0]).toMatchObject({ result: "undecided", rows: [{ result: "undecided" }] });
  });

  it("looks at every row of the cohort, decided or not", () => {
    const groups = [{ properties: [{ key: "id", type: "cohort", value: 6 }] }];
    const undecided = explain({ groups }, {}, {}, "partial").sets[0]?.rows[0];
    expect(undecided).toMatchObject({ result: "undecided", actual: null, why: "Cohort 6 is not known." });
    const known = [{ properties: [{ key: "id", type: "cohort", value: 5 }] }];
    expect(explain({ groups: known }, {}, {}, "partial").sets[0]?.rows[0]).toMatchObject({
      result: "undecided",
      actual: null,
      why: "Cohort 5 cannot be decided here.",
    });
    const outside = explain({ groups: known }, { person_properties: { country: "DE" } }).sets[0]?.rows[0];
    expect(outside).toMatchObject({ result: "fail", actual: false, why: "Not in cohort 5." });
    expect(outside?.rows[0]).toMatchObject({ why: "All of:", actual: null });
  });

  it("says of a group's row what the group is like, and that there is none", () => {
    const size = { key: "size", type: "group", group_type_index: 0, operator: "exact", value: 5 };
    const groups = [{ properties: [size] }];
    const of = (subject: Partial<Subject>) => explain({ groups }, subject).sets[0]?.rows[0];
    expect(of({})).toMatchObject({ result: "fail", why: "size is not set.", actual: null });
    expect(of({ groups: { company: "a" }, group_properties: { company: { size: 5 } } })).toMatchObject({
      result: "pass",
      why: "size is 5.",
      actual: 5,
    });
  });

  it("shortens long values", () => {
    const of = (length: number) =>
      explain({ groups: [{ properties: [pro] }] }, { person_properties: { plan: "x".repeat(length) } })
        .sets[0]?.rows[0]?.why;
    expect(of(78)).toBe(`plan is "${"x".repeat(78)}".`);
    expect(of(79)).toBe(`plan is "${"x".repeat(79)}….`);
  });

  it.each([
    { early_exit: false, results: ["out_of_rollout", "rows_failed", "out_of_rollout"] },
    { early_exit: true, results: ["out_of_rollout", "skipped", "skipped"] },
  ])("early exit $early_exit: $results", ({ early_exit, results }) => {
    const nobody = { rollout_percentage: 0 };
    const groups = [nobody, { properties: [pro] }, nobody];
    expect(explain({ groups, early_exit }).sets.map(({ result }) => result)).toEqual(results);
  });

  it("works out later conditions where an earlier rollout only came closest", () => {
    const groups = [{ rollout_percentage: 0 }, { properties: [pro] }];
    expect(explain({ groups }).outcome.condition_index).toBe(0);
    expect(explain({ groups }).sets.map(({ result }) => result)).toEqual(["out_of_rollout", "rows_failed"]);
  });

  it("says of a flag that is not there that it is missing", () => {
    const gone = { key: "77", type: "flag", operator: "flag_evaluates_to", value: true };
    const { outcome, sets } = explain({ groups: [{ properties: [gone] }] });
    expect(outcome.reason).toBe("missing_dependency");
    expect(sets[0]?.rows[0]?.why).toBe('The flag "77" cannot be evaluated: it is missing.');
  });

  it("marks conditions as skipped where enrollment has no condition of its own", () => {
    const super_groups = [{ properties: [], rollout_percentage: 0 }];
    const { enrollment, sets, outcome } = explain({ groups: [{}], super_groups });
    expect(outcome).toMatchObject({ value: false, reason: "out_of_rollout_bound" });
    expect(enrollment).toEqual({ chosen: true, rows: [] });
    expect(sets.map(({ result }) => result)).toEqual(["skipped"]);
    const open = explain({ groups: [{}], feature_enrollment: true });
    expect(open.enrollment).toMatchObject({ chosen: false, rows: [{ result: "fail" }] });
    expect(explain({ groups: [{}] }).enrollment).toBeNull();
  });

  it("says for each condition what is missing or hashed", () => {
    const variants = [
      { key: "red", rollout_percentage: 50 },
      { key: "blue", rollout_percentage: 40 },
    ];
    const groups = [
      { properties: [pro] },
      { rollout_percentage: 50, aggregation_group_type_index: 0 },
      { rollout_percentage: 100 },
    ];
    const filters = { groups, multivariate: { variants } };
    const without = explain(filters);
    expect(without.sets.map(({ result }) => result)).toEqual(["rows_failed", "no_group", "match"]);
    expect(without.sets[1]?.rollout).toEqual({ percentage: 50, hash: null, within: false });
    expect(without.variants?.hash).toBe(hashValue("f", "ann", VARIANT_SALT));
    let company = 0;
    while (hashValue("f", `c${company}`) > 0.5) company++;
    const within = explain(filters, { groups: { company: `c${company}` } });
    expect(within.outcome.condition_index).toBe(1);
    expect(within.sets[1]?.rollout.hash).toBe(hashValue("f", `c${company}`));
    expect(within.variants?.hash).toBe(hashValue("f", `c${company}`, VARIANT_SALT));
    let beyond = 0;
    while (hashValue("f", `p${beyond}`, VARIANT_SALT) < 0.9) beyond++;
    expect(explain(filters, { distinct_id: `p${beyond}` }).variants?.by_hash).toBeNull();
    expect(explain({ groups }).variants).toBeNull();
    const byGroup = { ...filters, groups: [{}], aggregation_group_type_index: 0 };
    expect(explain(byGroup).variants).toMatchObject({ hash: null, by_hash: null });
  });

  it("shows no hash where nobody or everybody is let in", () => {
    const rollouts = [0, -1, 100, 101].map(
      (rollout_percentage) =>
        explain({ groups: [{ rollout_percentage, properties: [pro] }] }).sets[0]?.rollout,
    );
    const [nobody, everyone] = [
      { percentage: 0, hash: null, within: false },
      { percentage: 100, hash: null, within: true },
    ];
    expect(rollouts).toEqual([nobody, nobody, everyone, everyone]);
  });

  it("shows the row behind enrollment", () => {
    expect(explain({ groups: [], feature_enrollment: true }).enrollment?.rows[0]?.property).toEqual({
      key: "$feature_enrollment/f",
      type: "person",
      operator: "exact",
      value: ["true"],
    });
  });

  it("knows no flag it was not given", () => {
    expect(explainFlag(compileFlags({ flags: [] }), "f", { distinct_id: "ann", now })).toBeNull();
  });

  it("is plain data", () => {
    const explanation = explain({ groups: [{ properties: [pro], rollout_percentage: 10 }] });
    expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
  });
});
