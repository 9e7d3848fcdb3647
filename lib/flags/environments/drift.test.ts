import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Carried, createComparison, type Portable, type References, takeParts } from "./drift.ts";
import { ALL_PARTS, type Part } from "./parts-schema.ts";

/** A project whose ids begin somewhere: the third cohort, flag or group type has another id in each. */
const project = (first: number): References & { id: (n: number) => number } => {
  const lookup = (what: string, count: number) => (id: string) => {
    const n = Number(id) - first;
    return n >= 0 && n < count ? `${what} ${n}` : undefined;
  };
  const types = ["company", "team"];
  return {
    id: (n) => n + first,
    cohorts: lookup("cohort", 3),
    flags: lookup("flag", 3),
    group_types: (index) => types[first % 2 === 0 ? Number(index) : 1 - Number(index)],
  };
};

const [STAGING, PRODUCTION] = [project(10), project(501)];

type Place = typeof STAGING;

/** What a flag is, apart from the ids of a project. */
type Meant = {
  active: boolean;
  name: string;
  tags: string[];
  sets: { rows: Row[]; share: number | null; variant: string | null }[];
  variants: string[];
  payload: unknown;
  runtime: string;
  group: number | null;
};
type Row =
  | { kind: "cohort"; n: number }
  | { kind: "flag"; n: number }
  | { kind: "property"; key: string; values: string[] };

const row: fc.Arbitrary<Row> = fc.oneof(
  fc.record({ kind: fc.constant("cohort" as const), n: fc.nat(2) }),
  fc.record({ kind: fc.constant("flag" as const), n: fc.nat(2) }),
  fc.record({
    kind: fc.constant("property" as const),
    key: fc.constantFrom("plan", "country"),
    values: fc.uniqueArray(fc.constantFrom("pro", "team", "free"), { minLength: 1, maxLength: 3 }),
  }),
);

const meant: fc.Arbitrary<Meant> = fc.record({
  active: fc.boolean(),
  name: fc.constantFrom("", "One", "Two"),
  tags: fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 3 }),
  sets: fc.array(
    fc.record({
      rows: fc.array(row, { maxLength: 3 }),
      share: fc.constantFrom(null, 0, 40, 100),
      variant: fc.constantFrom(null, null, "red"),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  variants: fc.constantFrom([], ["red", "blue"], ["blue", "red"]),
  payload: fc.constantFrom(null, { a: 1, b: 2 }, "text"),
  runtime: fc.constantFrom("all", "server"),
  group: fc.constantFrom(null, 0, 1),
});

function storedRow(each: Row, at: Place) {
  if (each.kind === "cohort") return { key: "id", type: "cohort", operator: "in", value: at.id(each.n) };
  if (each.kind === "flag")
    return { key: String(at.id(each.n)), type: "flag", operator: "flag_evaluates_to", value: true };
  return { key: each.key, type: "person", operator: "exact", value: each.values };
}

/** The flag as a project stores it. */
const storedIn = (at: Place, flag: Meant): Carried => ({
  key: "checkout",
  active: flag.active,
  name: flag.name,
  tags: flag.tags,
  evaluation_tags: [],
  evaluation_runtime: flag.runtime,
  has_encrypted_payloads: false,
  ensure_experience_continuity: false,
  filters: {
    aggregation_group_type_index: flag.group,
    groups: flag.sets.map(({ rows, share, variant }) => ({
      properties: rows.map((each) => storedRow(each, at)),
      rollout_percentage: share,
      ...(variant !== null && flag.variants.length > 0 && { variant }),
    })),
    multivariate:
      flag.variants.length > 0
        ? { variants: flag.variants.map((key) => ({ key, rollout_percentage: 50 })) }
        : null,
    payloads: flag.payload === null ? {} : { true: JSON.stringify(flag.payload) },
  },
});

const asGiven = (flag: Meant): Meant => ({
  ...flag,
  tags: [...flag.tags].reverse(),
  sets: flag.sets.map((set) => ({
    ...set,
    share: set.share === 100 ? null : set.share,
    rows: [...set.rows]
      .reverse()
      .map((each) => (each.kind === "property" ? { ...each, values: [...each.values].reverse() } : each)),
  })),
});

/** Group types have the other index in production. */
const there = (flag: Meant): Meant => ({ ...flag, group: flag.group === null ? null : 1 - flag.group });

/** Whether the order of sets matters depends on the variants, so both are taken or neither. */
const parts = fc
  .subarray(ALL_PARTS.filter((part) => part !== "variants"))
  .map((chosen): Part[] => (chosen.includes("conditions") ? [...chosen, "variants"] : chosen));

const sidesOf = (a: Meant, b: Meant) => {
  const comparison = createComparison();
  return {
    ...comparison,
    staging: comparison.portable(storedIn(STAGING, a), STAGING),
    production: comparison.portable(storedIn(PRODUCTION, there(b)), PRODUCTION),
  };
};

describe("drift", () => {
  it("is empty for flags that mean the same, whatever ids and orders they are stored with", () => {
    fc.assert(
      fc.property(meant, (flag) => {
        const { drift, staging, production } = sidesOf(flag, asGiven(flag));
        expect(drift(staging, production)).toEqual([]);
      }),
    );
  });

  it("names the same parts in both directions, each with a difference that has words", () => {
    fc.assert(
      fc.property(meant, meant, (a, b) => {
        const { drift, staging, production } = sidesOf(a, b);
        const [forth, back] = [drift(staging, production), drift(production, staging)];
        expect(forth.map(({ part }) => part)).toEqual(back.map(({ part }) => part));
        for (const { differences } of forth) {
          expect(differences).not.toEqual([]);
          for (const { before, after } of differences) expect(before).not.toBe(after);
        }
      }),
    );
  });

  it("is gone in the parts that are taken over, and the same in all others", () => {
    fc.assert(
      fc.property(meant, meant, parts, (a, b, chosen) => {
        const { differing, staging, production } = sidesOf(a, b);
        const after = takeParts(production, staging, chosen);
        const others = (list: Part[]) => list.filter((part) => !chosen.includes(part));
        expect(differing(staging, after)).toEqual(others(differing(staging, production)));
        expect(others(differing(production, after))).toEqual([]);
      }),
    );
  });

  const flag = (filters: object, more: object = {}): Portable =>
    createComparison().portable({ key: "f", ...more, filters: { groups: [{}], ...filters } }, STAGING);
  const set = (value: string, share: number, variant?: string) => ({
    properties: [{ key: "plan", type: "person", value, operator: "exact" }],
    rollout_percentage: share,
    variant,
  });
  const red = { variants: [{ key: "red", rollout_percentage: 100 }] };

  it.each<[string, Portable, Portable, Part[]]>([
    [
      "the order of sets",
      flag({ groups: [set("a", 1), set("b", 2)] }),
      flag({ groups: [set("b", 2), set("a", 1)] }),
      [],
    ],
    [
      "the order of sets that give variants",
      flag({ groups: [set("a", 1, "red"), set("b", 2)], multivariate: red }),
      flag({ groups: [set("b", 2), set("a", 1, "red")], multivariate: red }),
      ["conditions"],
    ],
    [
      "the order of sets where the first that matches ends it",
      flag({ groups: [set("a", 1), set("b", 2)], early_exit: true }),
      flag({ groups: [set("b", 2), set("a", 1)], early_exit: true }),
      ["conditions"],
    ],
    [
      "one value and a list of it in capitals",
      flag({ groups: [set("pro", 1)] }),
      flag({ groups: [{ ...set("", 1), properties: [{ key: "plan", type: "person", value: ["PRO"] }] }] }),
      [],
    ],
    [
      "how a payload is written",
      flag({ payloads: { true: '{"a": 1}' } }),
      flag({ payloads: { true: '{"a":1}' } }),
      [],
    ],
    [
      "what a payload says",
      flag({ payloads: { true: "1" } }),
      flag({ payloads: { true: "2" } }),
      ["payloads"],
    ],
    ["holdouts", flag({ holdout: { id: 1, exclusion_percentage: 5 } }), flag({}), []],
    ["what a set is for", flag({ groups: [{ description: "Beta" }] }), flag({ groups: [{}] }), []],
    ["no runtime", flag({}, { evaluation_runtime: null }), flag({}, { evaluation_runtime: "all" }), []],
  ])("compares %s", (_, a, b, expected) => {
    expect(createComparison().differing(a, b)).toEqual(expected);
  });

  it("never shows a payload that is encrypted", () => {
    const secret = (text: string) =>
      flag({ payloads: { true: `"${text}"` } }, { has_encrypted_payloads: true });
    const [found] = createComparison().drift(secret("hunter2"), secret("swordfish"));
    expect(found?.part).toBe("payloads");
    expect(JSON.stringify(found)).not.toMatch(/hunter2|swordfish/);
    expect(found?.differences[0]?.before).not.toBe(found?.differences[0]?.after);
  });
});
