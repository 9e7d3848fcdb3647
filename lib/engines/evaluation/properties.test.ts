import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashValue } from "#lib/engines/evaluation/hash/hash.ts";
import { checkFilters } from "#lib/engines/evaluation/values/checks.ts";
import { compileComparison, PROPERTY_OPERATORS } from "#lib/engines/evaluation/values/operators.ts";
import type {
  CohortDefinition,
  FlagDefinition,
  FlagFilters,
  Subject,
} from "#lib/engines/evaluation/values/types.ts";
import { YES } from "#lib/engines/evaluation/values/verdict.ts";
import { compileFlags } from "./compile.ts";
import { evaluateAll, evaluateFlag } from "./evaluate.ts";
import { explainFlag } from "./explain.ts";
import { prove } from "./proofs/prove.ts";

const now = Date.parse("2026-03-31T10:30:00Z");

function compileOne(filters: unknown, mode: "complete" | "partial" = "complete") {
  return compileFlags({ flags: [{ key: "f", active: true, filters: filters as FlagFilters }], mode });
}

const name = fc.constantFrom("plan", "age", "email", "since", "constructor");
const scalar = fc.oneof(
  fc.constantFrom("pro", "free", "2025-01-01", "-30d", "1.2.3", "ann@example.com", "18", "", "a+", "null"),
  fc.integer({ min: 0, max: 40 }),
  fc.boolean(),
);
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }));
const row = fc.record({
  key: name,
  type: fc.constant("person"),
  operator: fc.constantFrom(...PROPERTY_OPERATORS),
  value,
});
const group = fc.record({
  properties: fc.array(row, { maxLength: 3 }),
  rollout_percentage: fc.oneof(fc.constant(null), fc.constant(100), fc.integer({ min: 0, max: 100 })),
  variant: fc.constantFrom(null, "a", "nobody's"),
});
const filters = fc.record({
  groups: fc.array(group, { maxLength: 4 }),
  multivariate: fc.constantFrom(null, {
    variants: [
      { key: "a", rollout_percentage: 40 },
      { key: "b", rollout_percentage: 60 },
    ],
  }),
  early_exit: fc.boolean(),
});
const person = fc.record({
  distinct_id: fc.string({ unit: "grapheme", maxLength: 40 }),
  person_properties: fc.dictionary(name, fc.oneof(scalar, fc.constant(null))),
  now: fc.constant(now),
});

describe("any definition", () => {
  /** Words of the format in places where they do not belong: nearer to mistakes than arbitrary JSON. */
  const { tree } = fc.letrec((tie) => ({
    leaf: fc.oneof(
      fc.constantFrom(
        null,
        true,
        0,
        -1,
        101,
        1e308,
        "",
        "x",
        "AND",
        "cohort",
        "flag",
        "flag_evaluates_to",
        "in",
        "7",
        "[",
        [],
      ),
      fc.constantFrom(...PROPERTY_OPERATORS),
    ),
    tree: fc.oneof(
      { maxDepth: 6 },
      tie("leaf"),
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(
        fc.constantFrom(
          ...[
            "groups",
            "properties",
            "rollout_percentage",
            "variant",
            "variants",
            "key",
            "multivariate",
            "payloads",
          ],
          ...[
            "super_groups",
            "holdout",
            "holdout_groups",
            "id",
            "exclusion_percentage",
            "feature_enrollment",
            "type",
          ],
          ...["value", "values", "operator", "negation", "aggregation_group_type_index", "group_type_index"],
          ...["dependency_chain", "early_exit", "__proto__"],
        ),
        tie("tree"),
        { maxKeys: 6 },
      ),
    ),
  }));

  it("compiles, evaluates, explains and checks without throwing", () => {
    fc.assert(
      fc.property(
        fc.oneof(tree, fc.jsonValue()),
        tree,
        fc.constantFrom("complete", "partial"),
        (json, cohort, mode) => {
          const flags = [
            { key: "f", id: 7, active: true, filters: json },
            { key: "g", id: 8, active: true, filters: { groups: json } },
            { key: "h", id: 9, active: true, filters: { groups: [{ properties: json }] } },
            {
              key: "i",
              active: true,
              filters: { groups: [{ properties: [json, { type: "cohort", value: 7 }] }] },
            },
          ] as unknown as FlagDefinition[];
          const cohorts = [{ id: 7, properties: cohort }] as unknown as CohortDefinition[];
          const compiled = compileFlags({
            flags,
            cohorts,
            mode: mode as "complete",
            group_type_mapping: { "0": "x" },
          });
          const subject: Subject = { distinct_id: "a", person_properties: { x: 1 }, groups: { x: "y" }, now };
          expect(evaluateAll(compiled, subject)).toHaveLength(4);
          for (const flag of flags) {
            expect(explainFlag(compiled, flag.key, subject)?.outcome).toEqual(
              evaluateFlag(compiled, flag.key, subject),
            );
            expect(prove({ flags, cohorts, group_type_mapping: { "0": "x" } }, flag.key, now)).not.toBeNull();
            expect(Array.isArray(checkFilters(flag.filters as FlagFilters, { now }))).toBe(true);
          }
        },
      ),
      { numRuns: 600 },
    );
  });

  it("gives the same outcome every time, alone or among others", () => {
    fc.assert(
      fc.property(fc.array(filters, { minLength: 1, maxLength: 5 }), person, (list, subject) => {
        const flags = list.map((entry, i) => ({ key: `f${i}`, active: true, filters: entry }));
        const compiled = compileFlags({ flags });
        const all = evaluateAll(compiled, subject);
        for (const [i, flag] of flags.entries()) {
          expect(evaluateFlag(compiled, flag.key, subject)).toBe(all[i]);
          expect(evaluateFlag(compileFlags({ flags: [flag] }), flag.key, subject)).toEqual(all[i]);
        }
      }),
    );
  });
});

describe("release conditions", () => {
  type Filters = {
    groups: {
      properties: { key: string; operator: string; value: unknown }[];
      rollout_percentage: number | null;
    }[];
    early_exit: boolean;
  };

  /** What the first condition that lets somebody in decides, each row and rollout worked out by itself. */
  function reasonOf({ groups, early_exit }: Filters, { person_properties, distinct_id }: Subject): string {
    const properties = new Map(Object.entries(person_properties ?? {}));
    const passes = ({ key, operator, value }: Filters["groups"][number]["properties"][number]) => {
      const comparison = compileComparison(operator, value, "complete");
      const given = properties.get(key);
      return (given === undefined ? comparison.absent : comparison.test(given, now)) === YES;
    };
    let reason = "null no_condition_match";
    for (const [index, { properties: rows, rollout_percentage }] of groups.entries()) {
      const percent = rollout_percentage ?? 100;
      if (rows.every(passes)) {
        if (percent === 100 || (percent > 0 && hashValue("f", distinct_id) <= percent / 100))
          return `${index} condition_match`;
        reason = `${index} out_of_rollout_bound`;
        if (early_exit) return reason;
      } else if (!reason.endsWith("out_of_rollout_bound")) reason = `${index} no_condition_match`;
    }
    return reason;
  }

  it("decide as their rows and rollouts do one by one", () => {
    fc.assert(
      fc.property(filters, fc.array(person, { minLength: 1, maxLength: 5 }), (of, people) => {
        const compiled = compileOne(of);
        for (const subject of people) {
          const outcome = evaluateFlag(compiled, "f", subject);
          expect(`${outcome?.condition_index} ${outcome?.reason}`).toBe(reasonOf(of, subject));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("rollout", () => {
  it("never takes anyone out when the percentage goes up", () => {
    const percent = fc.double({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(filters, person, percent, percent, fc.nat(3), (entry, subject, a, b, place) => {
        const at = (rollout_percentage: number) => {
          const groups = entry.groups.map((g, i) => (i === place ? { ...g, rollout_percentage } : g));
          return (
            evaluateFlag(compileOne({ ...entry, early_exit: false, groups }), "f", subject)?.value !== false
          );
        };
        if (at(Math.min(a, b))) expect(at(Math.max(a, b))).toBe(true);
      }),
    );
  });

  it("gives variants their shares", () => {
    const weights = [5, 20, 25, 50];
    const variants = weights.map((rollout_percentage, i) => ({ key: `v${i}`, rollout_percentage }));
    const compiled = compileOne({ groups: [{}], multivariate: { variants } });
    const counts = new Map<unknown, number>();
    const people = 20_000;
    for (let i = 0; i < people; i++) {
      const got = evaluateFlag(compiled, "f", { distinct_id: `person-${i}`, now })?.value;
      counts.set(got, (counts.get(got) ?? 0) + 1);
    }
    for (const [i, weight] of weights.entries()) {
      const p = weight / 100;
      const deviation = Math.abs((counts.get(`v${i}`) ?? 0) - people * p);
      expect(deviation).toBeLessThan(4 * Math.sqrt(people * p * (1 - p)));
    }
  });
});

describe("partial mode", () => {
  /** Operators that the two views are meant to differ on are left out: see compileComparison. */
  const agreed = PROPERTY_OPERATORS.filter((operator) => !/^(not_|is_not|gt|lt|gte|lte)/.test(operator));
  const plain = fc.record({
    groups: fc.array(
      fc.record({
        properties: fc.array(
          fc.oneof(
            fc.record({
              key: name,
              type: fc.constant("person"),
              operator: fc.constantFrom(...agreed),
              value,
            }),
            fc.record({
              key: name,
              type: fc.constant("person"),
              operator: fc.constantFrom("gt", "gte", "lt", "lte"),
              value: fc.integer({ min: 0, max: 40 }).map(String),
            }),
          ),
          { maxLength: 3 },
        ),
        rollout_percentage: fc.oneof(fc.constant(100), fc.integer({ min: 0, max: 100 })),
      }),
      { maxLength: 4 },
    ),
  });
  const numeric = fc.record({
    distinct_id: fc.string({ maxLength: 20 }),
    person_properties: fc.dictionary(
      name,
      fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 }).map(String)),
    ),
    now: fc.constant(now),
  });

  it("says what complete mode says whenever it says anything", () => {
    let conclusive = 0;
    fc.assert(
      fc.property(plain, numeric, (entry, subject) => {
        const partial = evaluateFlag(compileOne(entry, "partial"), "f", subject);
        if (partial?.reason === "inconclusive" || partial?.reason === "requires_server") return;
        conclusive += 1;
        expect(evaluateFlag(compileOne(entry), "f", subject)?.value).toBe(partial?.value);
      }),
      { numRuns: 2_000 },
    );
    expect(conclusive).toBeGreaterThan(300);
  });
});
