import fc from "fast-check";
import { expect, it } from "vitest";
import type { CohortDefinition, FlagDefinition } from "#lib/engines/evaluation/values/types.ts";
import { compileFlags } from "./compile.ts";
import { evaluateAll } from "./evaluate.ts";

const property = (key: string, value: unknown) => ({ key, type: "person", operator: "exact", value });

/** A flag with these filters; each is an object of its own. */
const flagWith = (id: number, filters: unknown, active = true, version = 1): FlagDefinition =>
  ({ id, key: `flag-${id}`, active, filters, version }) as FlagDefinition;

const setOf = (properties: unknown[]) => ({ properties, rollout_percentage: 50 });

const flagOf = (id: number, properties: unknown[], active = true) =>
  flagWith(id, { groups: [setOf(properties)] }, active);

const IDS = [0, 1, 2, 3, 4];
const row = fc.oneof(
  fc.constantFrom("pro", "free", "team").map((plan) => property("plan", plan)),
  fc.integer({ min: 0, max: 6 }).map((key) => ({
    key: String(key),
    type: "flag",
    operator: "flag_evaluates_to",
    value: true,
  })),
  fc.integer({ min: 1, max: 3 }).map((value) => ({ key: "id", type: "cohort", value })),
  fc.constantFrom(null, { type: "person" }, property("constructor", ["a"])),
);
const change = fc.record({
  id: fc.constantFrom(...IDS),
  filters: fc.record({
    groups: fc.array(
      fc.record({
        properties: fc.array(row, { maxLength: 2 }),
        rollout_percentage: fc.constantFrom(0, 50, 100),
      }),
      { maxLength: 2 },
    ),
    early_exit: fc.boolean(),
  }),
  active: fc.boolean(),
  /** Flags in another order are at other places of the set. */
  moves: fc.boolean(),
  /** The plan of cohort 1; null: there is none. */
  cohort_plan: fc.constantFrom("pro", "free", null),
});

const cohortsOf = (plan: string | null): CohortDefinition[] =>
  plan === null
    ? []
    : [{ id: 1, is_static: false, properties: { type: "AND", values: [property("plan", plan)] } } as never];

const SUBJECTS = ["pro", "free", "team", undefined].flatMap((plan) =>
  ["ann", "ben", "cleo"].map((distinct_id) => ({
    distinct_id,
    person_properties: plan === undefined ? {} : { plan },
    now: 0,
  })),
);

it("gives the same values whether it goes on from what was compiled before or compiles all of it", () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
      let flags = IDS.map((id) => flagOf(id, [property("plan", "pro")]));
      let compiled = compileFlags({ flags, cohorts: cohortsOf("pro") });
      for (const [n, { id, filters, active, moves, cohort_plan }] of changes.entries()) {
        const changed = flagWith(id, filters, active, n + 2);
        flags = flags.map((flag) => (flag.id === id ? changed : flag));
        if (moves) flags = [changed, ...flags.filter((flag) => flag !== changed)];
        const input = { flags, cohorts: cohortsOf(cohort_plan) };
        const before = compiled;
        const values = SUBJECTS.map((subject) => evaluateAll(before, subject));
        compiled = compileFlags(input, before);
        expect(SUBJECTS.map((subject) => evaluateAll(before, subject))).toEqual(values);
        const whole = compileFlags(input);
        expect(compiled.needs).toEqual(whole.needs);
        expect(compiled.flags.map((flag) => flag.index)).toEqual(flags.map((_, index) => index));
        for (const subject of SUBJECTS)
          expect(evaluateAll(compiled, subject)).toEqual(evaluateAll(whole, subject));
      }
    }),
  );
});

it("compiles only what has changed, and what looks at other flags or at cohorts", () => {
  const [same, changing] = [flagOf(1, [property("plan", "pro")]), flagOf(2, [])];
  const dependent = flagOf(3, [{ key: "2", type: "flag", operator: "flag_evaluates_to", value: true }]);
  const inCohort = flagOf(4, [{ key: "id", type: "cohort", value: 9 }]);
  const before = compileFlags({ flags: [same, changing, dependent, inCohort] });
  const flags = [same, flagOf(2, [], false), dependent, inCohort];
  const after = compileFlags({ flags }, before);
  const isKept = after.flags.map((flag, index) => flag === before.flags[index]);
  expect(isKept).toEqual([true, false, false, false]);
});

it("keeps everything but the flag that was changed where all stand alone", () => {
  const plans = ["pro", "free", "team"];
  const flags = plans.map((plan, id) => flagOf(id, [property("plan", plan)]));
  const before = compileFlags({ flags });
  const changed = flags.with(1, flagWith(1, { groups: [setOf([property("name", "ann")]), setOf([])] }));
  const after = compileFlags({ flags: changed }, before);
  expect(after.flags.map((flag, index) => flag === before.flags[index])).toEqual([true, false, true]);
  expect(after.by_key.get("flag-1")).toBe(after.flags[1]);
  expect(after.needs.person_properties.toSorted()).toEqual(["name", "plan"]);
});

it("compiles all of it when rows of former definitions have piled up", () => {
  const others = Array.from({ length: 20 }, (_, id) => flagOf(id + 1, [property("plan", id)]));
  let compiled = compileFlags({ flags: others });
  for (let value = 0; value < 1_000; value++) {
    compiled = compileFlags({ flags: [flagOf(0, [property("name", value)]), ...others] }, compiled);
    expect(compiled.packed_rows.rows.length).toBeLessThan(250);
  }
});

it("compiles all of it for other group types", () => {
  const flag = flagOf(1, [property("plan", "pro")]);
  const [first, second] = [{ "0": "company" }, { "0": "team" }];
  const before = compileFlags({ flags: [flag], group_type_mapping: first });
  expect(compileFlags({ flags: [flag], group_type_mapping: first }, before).flags[0]).toBe(before.flags[0]);
  const after = compileFlags({ flags: [flag], group_type_mapping: second }, before);
  expect(after.flags[0]).not.toBe(before.flags[0]);
});
