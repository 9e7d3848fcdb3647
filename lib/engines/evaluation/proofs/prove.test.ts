import { describe, expect, it } from "vitest";
import { compileFlags } from "#lib/engines/evaluation/compile.ts";
import { PROPERTY_OPERATORS } from "#lib/engines/evaluation/values/operators.ts";
import type {
  CohortDefinition,
  FlagDefinition,
  FlagFilters,
  Property,
} from "#lib/engines/evaluation/values/types.ts";
import { prove } from "./prove.ts";
import { findSameFlags } from "./same-flags.ts";

const now = Date.parse("2026-03-31T10:30:00Z");
const group_type_mapping = { "0": "company" };

function row(operator: string, value: unknown, key = "k"): Property {
  return { key, type: "person", operator, value };
}

function proofOf(filters: FlagFilters, more: FlagDefinition[] = [], cohorts: CohortDefinition[] = []) {
  const flags = [{ id: 1, key: "f", active: true, filters }, ...more];
  const proof = prove({ flags, cohorts, group_type_mapping }, "f", now);
  if (!proof) throw new Error("The flag was not compiled.");
  return proof;
}

describe("an example for every operator", () => {
  const rows: Property[][] = [
    ...PROPERTY_OPERATORS.filter((operator) =>
      /^(not_)?(icontains|starts|ends)|^is_not|^is_set/.test(operator),
    ).map((operator) => [row(operator, operator.endsWith("multi") ? ["@corp.com", "x"] : "@corp.com")]),
    [row("exact", ["Pro", "free"])],
    [row("exact", ["Pro", "free"]), row("regex", "^p")],
    [row("regex", "^(pro|free)-[0-9]{2,3}\\.x\\w+$")],
    [row("regex", "^[^@\\s]+@corp\\.com$"), row("starts_with", "ann")],
    [row("not_regex", "^a"), row("is_set", "")],
    [row("gt", "5"), row("lt", "6")],
    [row("gte", 5), row("lte", 5), row("is_not", "4")],
    [row("min", "5"), row("max", "7"), row("is_not", ["5", "7"])],
    [row("is_date_after", "-30d"), row("is_date_before", "-7d")],
    [row("is_date_exact", "2026-01-31")],
    [row("is_date_exact", "2026-01-31T10:00:00Z")],
    [row("semver_gt", "1.2.3"), row("semver_lt", "1.3.0"), row("semver_neq", "1.2.4")],
    [row("semver_tilde", "1.2.3")],
    [row("semver_caret", "0.2.3")],
    [row("semver_wildcard", "1.2.*")],
    [row("semver_eq", "1.2.3")],
    [row("semver_lte", "0.0.0")],
    [
      row("starts_with", "ann"),
      row("icontains", "dev"),
      row("ends_with", "@corp.com"),
      row("not_icontains", "x"),
    ],
    [row("exact", "ann", "distinct_id")],
    [row("exact", "a"), row("gt", "3", "age"), row("is_not_set", "", "left")],
  ];
  it.each(rows.map((properties) => ({ properties })))("$properties", ({ properties }) => {
    const { sets } = proofOf({ groups: [{ properties }] });
    expect(sets).toMatchObject([{ reachable: true, witness: { value: true, decided_by: 0 } }]);
  });

  it("gives up where it finds none, and claims nothing", () => {
    const { sets, findings } = proofOf({
      groups: [{ properties: [row("regex", "^a$"), row("regex", "^b$")] }],
    });
    expect(sets).toMatchObject([{ reachable: null, witness: null, note: expect.stringContaining("10,000") }]);
    expect(findings).toEqual([]);
  });
});

describe("examples", () => {
  const pro = row("exact", "pro");

  it("miss a set that never matches by one row", () => {
    const properties = [
      row("exact", ["a", "b"]),
      row("is_not", "a"),
      row("is_not", "b"),
      row("gt", "5", "age"),
    ];
    const { findings, sets } = proofOf({ groups: [{ properties }] });
    expect(findings).toMatchObject([
      { code: "never_matches", row: 2, witness: { failing_row: 2, person_properties: { k: "b", age: 6 } } },
    ]);
    expect(sets).toMatchObject([{ reachable: false, witness: null }]);
  });

  it("show that an earlier set decides", () => {
    const { findings, sets } = proofOf({
      groups: [{ properties: [row("is_set", "")] }, { properties: [pro] }],
    });
    expect(findings).toMatchObject([{ code: "shadowed", set: 1, witness: { decided_by: 0, value: true } }]);
    expect(sets.map(({ reachable }) => reachable)).toEqual([true, false]);
  });

  it("get in through the later of two sets, past rollouts and rows", () => {
    const filters = {
      multivariate: {
        variants: [
          { key: "a", rollout_percentage: 50 },
          { key: "b", rollout_percentage: 50 },
        ],
      },
      groups: [
        { properties: [], rollout_percentage: 10 },
        { properties: [pro], rollout_percentage: 20, variant: "a" },
        { properties: [row("icontains", "p")], rollout_percentage: 15, variant: "b" },
        { properties: [row("is_set", "")] },
      ],
    };
    const { sets, findings } = proofOf(filters);
    expect(findings).toEqual([]);
    expect(sets.map(({ witness }) => witness?.decided_by)).toEqual([0, 1, 2, 3]);
    expect(sets[2]?.witness?.person_properties.k).not.toBe("pro");
  });

  it("match a set whose rollout reaches nobody, and are out", () => {
    const { findings } = proofOf({ groups: [{ properties: [pro], rollout_percentage: 0 }] });
    expect(findings).toMatchObject([
      {
        code: "rollout_excludes_everyone",
        set: 0,
        witness: { value: false, person_properties: { k: "pro" } },
      },
    ]);
  });

  it("are held out by a holdout of everybody", () => {
    const { findings, sets } = proofOf({
      holdout: { id: 3, exclusion_percentage: 100 },
      groups: [{ properties: [pro] }],
    });
    expect(findings).toMatchObject([{ set: null, witness: { value: "holdout-3", decided_by: null } }]);
    expect(sets).toMatchObject([{ reachable: false }]);
  });

  it("get another variant than the one that nobody gets", () => {
    const variants = [
      { key: "a", rollout_percentage: 100 },
      { key: "b", rollout_percentage: 0 },
    ];
    const { findings } = proofOf({ multivariate: { variants }, groups: [{ properties: [pro] }] });
    expect(findings).toMatchObject([{ code: "unreachable_variant", set: null, witness: { value: "a" } }]);
  });

  it("get the same without a redundant set", () => {
    const { findings } = proofOf({ groups: [{ properties: [pro] }, { properties: [row("is_set", "")] }] });
    expect(findings).toMatchObject([{ code: "redundant", set: 0, witness: { decided_by: 0, value: true } }]);
  });

  it("are groups where sets are about groups", () => {
    const tier = { key: "tier", type: "group", group_type_index: 0, operator: "exact", value: "gold" };
    const { sets } = proofOf({
      aggregation_group_type_index: 0,
      groups: [{ properties: [tier], rollout_percentage: 20 }],
    });
    expect(sets).toMatchObject([
      { reachable: true, witness: { value: true, group_properties: { company: { tier: "gold" } } } },
    ]);
    const mixed = proofOf({ groups: [{ properties: [tier, pro] }] });
    expect(mixed.sets[0]?.witness).toMatchObject({
      person_properties: { k: "pro" },
      groups: { company: "company-1" },
      group_properties: { company: { tier: "gold" } },
    });
  });

  it("belong to cohorts and have the other flags that the rows ask for", () => {
    const cohorts = [
      { id: 5, properties: { type: "OR", values: [pro, { ...row("gt", "60", "age"), negation: true }] } },
    ];
    const other = {
      id: 7,
      key: "beta",
      active: true,
      filters: { groups: [{ properties: [row("exact", "de", "country")], rollout_percentage: 20 }] },
    };
    const asks = { key: "7", type: "flag", operator: "flag_evaluates_to" };
    const cohort = { key: "id", type: "cohort", value: 5 };
    const filters = {
      groups: [
        {
          properties: [
            { ...cohort, operator: "in" },
            { ...asks, value: true },
          ],
          rollout_percentage: 30,
        },
        {
          properties: [
            { ...cohort, operator: "not_in" },
            { ...asks, value: false },
          ],
        },
      ],
    };
    const { sets } = proofOf(filters, [other], cohorts);
    expect(sets).toMatchObject([
      { reachable: true, witness: { flags: { beta: true } } },
      { reachable: true, witness: { flags: { beta: false } } },
    ]);
  });

  it("miss what cannot be satisfied: unknown cohorts, variants and flags that are off", () => {
    const off = { id: 7, key: "beta", active: false, filters: { groups: [{}] } };
    const asks = { key: "7", type: "flag", operator: "flag_evaluates_to" };
    const { findings, sets } = proofOf(
      {
        groups: [
          { properties: [pro, { key: "id", type: "cohort", value: 99, operator: "not_in" }] },
          { properties: [{ ...asks, value: true }] },
          { properties: [{ ...asks, key: "8", value: "z" }] },
        ],
      },
      [off, { id: 8, key: "split", active: true, filters: { groups: [{ properties: [pro] }] } }],
    );
    expect(findings).toMatchObject([
      {
        code: "unknown_cohort",
        set: 0,
        row: 1,
        witness: { failing_row: 1, person_properties: { k: "pro" } },
      },
      {
        code: "impossible_value",
        set: 1,
        row: 0,
        message: 'Never matches: flag "beta" is off for everyone.',
      },
      { code: "impossible_value", set: 2, row: 0 },
    ]);
    expect(sets.every(({ reachable }) => reachable === false)).toBe(true);
  });

  it("are nobody for a flag that needs one that is missing", () => {
    const { findings, sets } = proofOf({
      groups: [{}, { properties: [{ key: "9", type: "flag", operator: "flag_evaluates_to", value: true }] }],
    });
    expect(findings.map(({ code }) => code)).toContain("unknown_flag");
    expect(sets.every(({ reachable }) => reachable === false)).toBe(true);
  });

  it("leave static cohorts open: nobody who is made up is on a list", () => {
    const cohorts = [{ id: 5, is_static: true }];
    const groups = [{ properties: [{ key: "id", type: "cohort", value: 5 }] }];
    expect(proofOf({ groups }, [], cohorts).sets).toMatchObject([{ reachable: null, witness: null }]);
  });
});

it.each([
  {
    one: { groups: [{ properties: [row("exact", ["Pro"]), row("gt", "5", "n")] }] },
    two: { groups: [{ properties: [row("gt", 5, "n"), row("exact", "pro")] }] },
    same: true,
  },
  {
    one: { groups: [{ properties: [row("is_set", "")] }, { rollout_percentage: 0 }] },
    two: { groups: [{ properties: [row("is_set", "x")] }] },
    same: true,
  },
  {
    one: { groups: [{ properties: [row("is_set", "")], rollout_percentage: 50 }] },
    two: { groups: [{ properties: [row("is_set", "")], rollout_percentage: 50 }] },
    same: false,
  },
  { one: { groups: [{ properties: [] }] }, two: { groups: [{ properties: [] }] }, same: false },
  {
    one: { groups: [{ properties: [row("exact", "a")] }] },
    two: { groups: [{ properties: [row("exact", "b")] }] },
    same: false,
  },
  {
    one: { groups: [{ properties: [row("exact", "a")] }], aggregation_group_type_index: 0 },
    two: { groups: [{ properties: [row("exact", "a")] }] },
    same: false,
  },
])("$one and $two are the same flag: $same", ({ one, two, same }) => {
  const compiled = compileFlags({
    flags: [one, two].map((filters, i) => ({ id: i, key: `f${i}`, active: true, filters })),
    group_type_mapping,
  });
  const [first] = compiled.flags;
  expect(first && findSameFlags(compiled, first, now)).toEqual(same ? ["f1"] : []);
});
