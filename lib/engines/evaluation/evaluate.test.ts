import { describe, expect, it } from "vitest";
import { hashDigits, hashValue } from "#lib/engines/evaluation/hash/hash.ts";
import type {
  FlagDefinition,
  FlagFilters,
  Mode,
  Property,
  Subject,
} from "#lib/engines/evaluation/values/types.ts";
import { compileFlags } from "./compile.ts";
import { evaluateAll, evaluateFlag } from "./evaluate.ts";

const now = Date.parse("2026-03-31T10:30:00Z");
const group_type_mapping = { "0": "company", "1": "team" };
const everyone = { properties: [], rollout_percentage: 100 };
const halves = {
  variants: [
    { key: "red", rollout_percentage: 50 },
    { key: "blue", rollout_percentage: 50 },
  ],
};

function is(key: string, value: unknown, more: Partial<Property> = {}): Property {
  return { key, type: "person", operator: "exact", value, ...more };
}

function flag(key: string, filters: FlagFilters, more: Partial<FlagDefinition> = {}): FlagDefinition {
  return { key, active: true, filters, ...more };
}

/** The value, reason and condition of the first of the flags. */
function decide(
  flags: FlagDefinition | FlagDefinition[],
  subject: Partial<Subject> = {},
  mode: Mode = "complete",
) {
  const list = Array.isArray(flags) ? flags : [flags];
  const compiled = compileFlags({ flags: list, group_type_mapping, mode });
  const outcome = evaluateFlag(compiled, list[0]?.key ?? "", { distinct_id: "ann", now, ...subject });
  return [outcome?.value, outcome?.reason, outcome?.condition_index];
}

/** An id that falls below, or above, half of a flag's rollout. */
function idBelow(key: string, limit: number, below: boolean): string {
  for (let i = 0; ; i++) if (hashValue(key, `id-${i}`) <= limit === below) return `id-${i}`;
}

describe("release conditions", () => {
  const plan = (value: string, more = {}) => ({ properties: [is("plan", value)], ...more });

  it.each([
    { name: "no condition at all", groups: [], expected: [false, "no_condition_match", null] },
    { name: "an empty condition", groups: [{}], expected: [true, "condition_match", 0] },
    {
      name: "a null rollout",
      groups: [{ properties: null, rollout_percentage: null }],
      expected: [true, "condition_match", 0],
    },
    {
      name: "the first that matches",
      groups: [plan("pro"), plan("free"), everyone],
      expected: [true, "condition_match", 1],
    },
    {
      name: "none that matches",
      groups: [plan("pro"), plan("max")],
      expected: [false, "no_condition_match", 1],
    },
    {
      name: "a rollout of nobody",
      groups: [plan("free", { rollout_percentage: 0 }), plan("pro")],
      expected: [false, "out_of_rollout_bound", 0],
    },
    {
      name: "all rows must pass",
      groups: [{ properties: [is("plan", "free"), is("age", 30)] }],
      expected: [false, "no_condition_match", 0],
    },
  ])("$name", ({ groups, expected }) => {
    expect(decide(flag("f", { groups }), { person_properties: { plan: "free" } })).toEqual(expected);
  });

  it("stops at the rollout when early exit is on", () => {
    const groups = [plan("free", { rollout_percentage: 0 }), everyone];
    const subject = { person_properties: { plan: "free" } };
    expect(decide(flag("f", { groups }), subject)).toEqual([true, "condition_match", 1]);
    expect(decide(flag("f", { groups, early_exit: true }), subject)).toEqual([
      false,
      "out_of_rollout_bound",
      0,
    ]);
  });

  it("lets in exactly the ids whose hash is within the percentage", () => {
    const f = flag("half", { groups: [{ rollout_percentage: 50 }] });
    expect(decide(f, { distinct_id: idBelow("half", 0.5, true) })[0]).toBe(true);
    expect(decide(f, { distinct_id: idBelow("half", 0.5, false) })).toEqual([
      false,
      "out_of_rollout_bound",
      0,
    ]);
  });

  it("is off when disabled, whatever the conditions say", () => {
    expect(decide(flag("f", { groups: [everyone] }, { active: false }))).toEqual([false, "disabled", null]);
  });

  it("matches distinct_id like a property, unless one is given", () => {
    const f = flag("f", { groups: [{ properties: [is("distinct_id", "ann")] }] });
    expect(decide(f)[0]).toBe(true);
    expect(decide(f, { person_properties: { distinct_id: "bob" } })[0]).toBe(false);
  });

  it("knows no flag it was not given", () => {
    expect(evaluateFlag(compileFlags({ flags: [] }), "f", { distinct_id: "ann", now })).toBeNull();
  });
});

describe("variants", () => {
  it("gives the one the hash falls in, a forced one where it exists, and its payload", () => {
    const id = idBelow("f", 1, true);
    const hashed = hashValue("f", id, "variant") < 0.5 ? "red" : "blue";
    const filters = { multivariate: halves, payloads: { red: '{"a":1}', blue: '{"b":2}' } };
    const value = (variant: string | null) =>
      decide(flag("f", { ...filters, groups: [{ ...everyone, variant }] }), { distinct_id: id })[0];
    expect(value(null)).toBe(hashed);
    expect(value("green")).toBe(hashed);
    expect(value("red")).toBe("red");
    const compiled = compileFlags({
      flags: [flag("f", { ...filters, groups: [{ ...everyone, variant: "blue" }] })],
    });
    expect(evaluateFlag(compiled, "f", { distinct_id: id, now })).toMatchObject({
      variant: "blue",
      payload: '{"b":2}',
    });
  });

  it("is plainly on where the variants do not reach", () => {
    const multivariate = { variants: [{ key: "none", rollout_percentage: 0 }] };
    expect(decide(flag("f", { groups: [everyone], multivariate }))).toEqual([true, "condition_match", 0]);
  });

  it("gives the payload of true to a boolean flag, and none when off", () => {
    const payloads = { true: "1", constructor: "2" };
    const of = (groups: FlagFilters["groups"]) => {
      const compiled = compileFlags({ flags: [flag("f", { groups, payloads })] });
      return evaluateFlag(compiled, "f", { distinct_id: "ann", now })?.payload;
    };
    expect(of([everyone])).toBe("1");
    const without = compileFlags({ flags: [flag("f", { groups: [everyone] })] });
    expect(evaluateFlag(without, "f", { distinct_id: "ann", now })?.payload).toBeNull();
    expect(of([])).toBeNull();
    const off = compileFlags({ flags: [flag("f", { groups: [], payloads: { false: "3" } })] });
    expect(evaluateFlag(off, "f", { distinct_id: "ann", now })?.payload).toBeNull();
  });
});

describe("before the release conditions", () => {
  const optIn = "$feature_enrollment/f";

  it.each([
    { given: undefined, expected: [false, "no_condition_match", 0] },
    { given: "true", expected: [true, "super_condition_value", 0] },
    { given: true, expected: [true, "super_condition_value", 0] },
    { given: "false", expected: [false, "super_condition_value", 0] },
  ])("enrollment of $given decides", ({ given, expected }) => {
    const person_properties: Record<string, unknown> = given === undefined ? {} : { [optIn]: given };
    const groups = [{ properties: [is("plan", "pro")] }];
    const old = { super_groups: [{ properties: [is(optIn, ["true"])], rollout_percentage: 100 }] };
    expect(decide(flag("f", { groups, ...old }), { person_properties })).toEqual(expected);
    expect(decide(flag("f", { groups, feature_enrollment: true }), { person_properties })).toEqual(expected);
  });

  it("a holdout keeps the same people out of every flag", () => {
    for (let i = 0; i < 200; i++) {
      const distinct_id = `id-${i}`;
      const inside = Number.parseInt(hashDigits(`holdout-${distinct_id}`), 16) / 2 ** 60 <= 0.1;
      const expected = inside ? ["holdout-7", "holdout_condition_value"] : [true, "condition_match"];
      for (const key of ["f", "g"]) {
        const old = { holdout_groups: [{ properties: [], rollout_percentage: 10, variant: "holdout-7" }] };
        expect(decide(flag(key, { groups: [everyone], ...old }), { distinct_id }).slice(0, 2)).toEqual(
          expected,
        );
        const current = { holdout: { id: 7, exclusion_percentage: 10 } };
        expect(decide(flag(key, { groups: [everyone], ...current }), { distinct_id }).slice(0, 2)).toEqual(
          expected,
        );
      }
    }
  });
});

describe("a holdout whose condition an SDK cannot decide", () => {
  const holdout = (rollout_percentage: number) =>
    flag("f", {
      groups: [everyone],
      holdout_groups: [{ properties: [is("plan", "pro")], rollout_percentage, variant: "holdout-7" }],
    });
  const inconclusive = [false, "inconclusive", null];

  it.each([
    { properties: {}, share: 100, expected: inconclusive },
    { properties: {}, share: 0, expected: [true, "condition_match", 0] },
    { properties: { plan: "pro" }, share: 100, expected: ["holdout-7", "holdout_condition_value", 0] },
    { properties: { plan: "free" }, share: 100, expected: [true, "condition_match", 0] },
  ])("$properties, held out $share%: $expected", ({ properties, share, expected }) => {
    expect(decide(holdout(share), { person_properties: properties }, "partial")).toEqual(expected);
  });

  it("only matters to the ids within the holdout's share", () => {
    const isInside = (id: string) => Number.parseInt(hashDigits(`holdout-${id}`), 16) / 2 ** 60 <= 0.5;
    for (let i = 0; i < 50; i++) {
      const outcome = decide(holdout(50), { distinct_id: `id-${i}` }, "partial");
      expect(outcome).toEqual(isInside(`id-${i}`) ? inconclusive : [true, "condition_match", 0]);
    }
  });
});

describe("groups", () => {
  const filters = {
    aggregation_group_type_index: 0,
    groups: [{ properties: [is("size", 5, { type: "group", group_type_index: 0 })] }],
  };

  it.each([
    { groups: null, group_properties: null, expected: [false, "no_group_type", null] },
    { groups: { company: "acme" }, group_properties: null, expected: [false, "no_condition_match", 0] },
    {
      groups: { company: "acme" },
      group_properties: { company: { size: 5 } },
      expected: [true, "condition_match", 0],
    },
  ])("reads the group's properties: $group_properties", ({ groups, group_properties, expected }) => {
    expect(decide(flag("f", filters), { groups, group_properties })).toEqual(expected);
  });

  it("hashes the group's key", () => {
    const f = flag("half", { aggregation_group_type_index: 0, groups: [{ rollout_percentage: 50 }] });
    const [inside, outside] = [idBelow("half", 0.5, true), idBelow("half", 0.5, false)];
    expect(decide(f, { distinct_id: outside, groups: { company: inside } })[0]).toBe(true);
    expect(decide(f, { distinct_id: inside, groups: { company: outside } })[0]).toBe(false);
  });

  it("lets one condition be about a group while others are about the person", () => {
    const mixed = flag("half", {
      groups: [
        { properties: [is("size", 5)], rollout_percentage: 50, aggregation_group_type_index: 1 },
        { properties: [is("plan", "pro")] },
      ],
    });
    const group_properties = { team: { size: 5 } };
    const inside = { groups: { team: idBelow("half", 0.5, true) }, group_properties };
    const outside = { groups: { team: idBelow("half", 0.5, false) }, group_properties };
    expect(decide(mixed, inside)).toEqual([true, "condition_match", 0]);
    expect(decide(mixed, outside)).toEqual([false, "out_of_rollout_bound", 0]);
    expect(decide(mixed, {})).toEqual([false, "no_group_type", 0]);
    expect(decide(mixed, { person_properties: { plan: "pro" } })).toEqual([true, "condition_match", 1]);
  });
});

describe("experience continuity", () => {
  it("hashes the first id the person was seen with", () => {
    const f = flag("half", { groups: [{ rollout_percentage: 50 }] }, { ensure_experience_continuity: true });
    const [inside, outside] = [idBelow("half", 0.5, true), idBelow("half", 0.5, false)];
    expect(decide(f, { distinct_id: inside })[0]).toBe(true);
    expect(decide(f, { distinct_id: inside, hash_key_overrides: { half: outside } })[0]).toBe(false);
    expect(decide(f, { distinct_id: inside, hash_key_overrides: { other: outside } })[0]).toBe(true);
  });

  it("falls back to the subject's own id when the stored hash key is empty", () => {
    const more = { ensure_experience_continuity: true };
    const emptyIsInside = hashValue("half", "") <= 0.5;
    const f = flag("half", { groups: [{ rollout_percentage: 50 }] }, more);
    const distinct_id = idBelow("half", 0.5, !emptyIsInside);
    expect(decide(f, { distinct_id, hash_key_overrides: { half: "" } })[0]).toBe(!emptyIsInside);
  });
});

describe("what a flag without a variant, a group or a certain answer gives", () => {
  it("keeps rows with and without a group apart", () => {
    const rows = [is("size", 5, { type: "group", group_type_index: 1 }), is("plan", "pro")];
    const f = flag("f", { groups: [{ properties: rows }] });
    const person_properties = { plan: "pro", size: 5 };
    expect(decide(f, { person_properties })[0]).toBe(false);
    const groups = { team: "t" };
    expect(decide(f, { person_properties, groups })[0]).toBe(false);
    expect(decide(f, { person_properties, groups, group_properties: { team: { size: 5 } } })[0]).toBe(true);
  });

  it("reads a person's row within a condition about a group from that group", () => {
    const f = flag("f", {
      aggregation_group_type_index: 0,
      groups: [{ properties: [is("plan", "pro")] }],
    });
    const groups = { company: "acme" };
    expect(decide(f, { groups, person_properties: { plan: "pro" } })[0]).toBe(false);
    expect(decide(f, { groups, group_properties: { company: { plan: "pro" } } })[0]).toBe(true);
    expect(
      decide(f, {
        groups: { company: 7 as unknown as string },
        group_properties: { company: { plan: "pro" } },
      })[0],
    ).toBe(true);
  });

  it("reads a group's key as its property $group_key, unless one is given", () => {
    const rows = [is("$group_key", "acme", { type: "group", group_type_index: 0 })];
    const f = flag("f", { aggregation_group_type_index: 0, groups: [{ properties: rows }] });
    expect(decide(f, { groups: { company: "acme" } })[0]).toBe(true);
    expect(decide(f, { groups: { company: "other" } })[0]).toBe(false);
    const group_properties = { company: { $group_key: "other" } };
    expect(decide(f, { groups: { company: "acme" }, group_properties })[0]).toBe(false);
  });

  it("is groupless where its type of group is not mapped, and inconclusive for an SDK", () => {
    const f = flag("f", { aggregation_group_type_index: 4, groups: [{}] });
    expect(decide(f, { groups: { company: "acme" } })).toEqual([false, "no_group_type", null]);
    expect(decide(f, { groups: { company: "acme" } }, "partial")).toEqual([false, "inconclusive", null]);
    const condition = flag("f", { groups: [{ aggregation_group_type_index: 4 }] });
    expect(decide(condition)).toEqual([false, "no_group_type", 0]);
  });

  it("hashes the stored key for the person only, never for a group", () => {
    const more = { ensure_experience_continuity: true };
    const [inside, outside] = [idBelow("half", 0.5, true), idBelow("half", 0.5, false)];
    const groups = [{ rollout_percentage: 50, aggregation_group_type_index: 0 }];
    const f = flag("half", { groups }, more);
    const subject = { groups: { company: outside }, hash_key_overrides: { half: inside } };
    expect(decide(f, subject)[0]).toBe(false);
    const plain = flag("half", { groups: [{ rollout_percentage: 50 }] });
    expect(decide(plain, { distinct_id: outside, hash_key_overrides: { half: inside } })[0]).toBe(false);
  });

  it("reports the condition that came closest, the latest of equals", () => {
    const nobody = { rollout_percentage: 0 };
    const failing = { properties: [is("plan", "pro")] };
    const groupless = { aggregation_group_type_index: 1 };
    expect(decide(flag("f", { groups: [failing, nobody, failing] }))).toEqual([
      false,
      "out_of_rollout_bound",
      1,
    ]);
    expect(decide(flag("f", { groups: [nobody, nobody] }))).toEqual([false, "out_of_rollout_bound", 1]);
    expect(decide(flag("f", { groups: [nobody, groupless, nobody, failing] }))).toEqual([
      false,
      "no_group_type",
      1,
    ]);
    expect(decide(flag("f", { groups: [failing, nobody] }), {}, "partial")).toEqual([
      false,
      "inconclusive",
      null,
    ]);
  });

  it("gives a variant that everyone gets without looking at the id, and the forced one", () => {
    const all = { variants: [{ key: "all", rollout_percentage: 100 }] };
    expect(decide(flag("f", { groups: [{}], multivariate: all }))[0]).toBe("all");
    expect(decide(flag("f", { groups: [{ variant: "blue" }], multivariate: halves }))[0]).toBe("blue");
    const allButForced = { variants: [...all.variants, { key: "rare", rollout_percentage: 0 }] };
    expect(decide(flag("f", { groups: [{ variant: "rare" }], multivariate: allButForced }))[0]).toBe("rare");
    const pro = { properties: [is("plan", "pro")] };
    const person_properties = { plan: "pro" };
    expect(decide(flag("f", { groups: [pro], multivariate: all }), { person_properties })[0]).toBe("all");
    expect(decide(flag("f", { groups: [pro] }), { person_properties })[0]).toBe(true);
  });

  it("lets in everyone who opted in, within the rollout of enrollment without a condition", () => {
    const super_groups = [{ properties: [], rollout_percentage: 50 }];
    const f = flag("half", { groups: [], super_groups });
    expect(decide(f, { distinct_id: idBelow("half", 0.5, true) })).toEqual([
      true,
      "super_condition_value",
      0,
    ]);
    expect(decide(f, { distinct_id: idBelow("half", 0.5, false) })).toEqual([
      false,
      "out_of_rollout_bound",
      0,
    ]);
    expect(decide(flag("f", { groups: [], super_groups: [{ properties: [] }] }))[0]).toBe(true);
    expect(
      decide(flag("f", { groups: [], super_groups: [{ properties: [], rollout_percentage: 0 }] }))[0],
    ).toBe(false);
  });

  it("opts in by rows of its own where they are given", () => {
    const optIn = "$feature_enrollment/f";
    const super_groups = [{ properties: [is("plan", "pro")], rollout_percentage: 0 }];
    const f = flag("f", { groups: [], super_groups });
    expect(decide(f, { person_properties: { plan: "pro" } })[0]).toBe(false);
    expect(decide(f, { person_properties: { plan: "pro", [optIn]: "true" } })).toEqual([
      true,
      "super_condition_value",
      0,
    ]);
    expect(decide(f, { person_properties: { plan: "free", [optIn]: "true" } })).toEqual([
      false,
      "super_condition_value",
      0,
    ]);
  });
});

describe("outcomes", () => {
  it("stay the same objects when an unchanged definition is compiled again", () => {
    const kept = flag("kept", { groups: [{ properties: [is("plan", "pro")] }] });
    const outcome = (other: string) =>
      evaluateFlag(compileFlags({ flags: [kept, flag(other, { groups: [] })] }), "kept", {
        distinct_id: "ann",
        now,
      });
    expect(outcome("a")).toBe(outcome("b"));
  });

  it("are the same frozen object whenever they are reached again", () => {
    const groups = [{ properties: [is("plan", "pro")] }, { rollout_percentage: 50 }];
    const compiled = compileFlags({
      flags: [flag("f", { groups, multivariate: halves }, { id: 3, version: 2 })],
    });
    const seen = new Set();
    for (let i = 0; i < 500; i++) {
      const subject = { distinct_id: `id-${i}`, person_properties: { plan: i % 2 ? "pro" : "free" }, now };
      const [outcome] = evaluateAll(compiled, subject);
      expect(outcome).toMatchObject({ key: "f", id: 3, version: 2 });
      expect(Object.isFrozen(outcome)).toBe(true);
      seen.add(outcome);
    }
    // Two conditions with two variants each, and one way to be off.
    expect(seen.size).toBe(5);
  });

  it("come in the order of the definitions, or of the requested keys", () => {
    const compiled = compileFlags({ flags: ["a", "b", "c"].map((key) => flag(key, { groups: [everyone] })) });
    const subject = { distinct_id: "ann", now };
    expect(evaluateAll(compiled, subject).map((outcome) => outcome.key)).toEqual(["a", "b", "c"]);
    expect(evaluateAll(compiled, subject, ["c", "x", "a"]).map((outcome) => outcome.key)).toEqual(["c", "a"]);
  });
});

describe("what must hold at the ends of a rollout", () => {
  const ids = Array.from({ length: 60 }, (_, i) => `id-${i}`);

  it.each([
    [0, false],
    [-5, false],
    ["0", false],
    ["many", false],
    [100, true],
    [250, true],
    [null, true],
    [undefined, true],
  ])("a rollout of %j percent lets everyone in: %s", (rollout_percentage, isIn) => {
    // A second condition that never matches keeps the flag from being settled beforehand.
    const groups = [{ properties: [is("plan", "pro")], rollout_percentage: rollout_percentage as number }];
    for (const distinct_id of ids)
      expect(decide(flag("f", { groups }), { distinct_id, person_properties: { plan: "pro" } })).toEqual(
        isIn ? [true, "condition_match", 0] : [false, "out_of_rollout_bound", 0],
      );
  });

  it("lets in an id whose hash is the percentage exactly", () => {
    // A share in 2^-60 steps that is the id's own hash, as a percentage and back.
    const exact = ids.filter((id) => (hashValue("f", id) * 100) / 100 === hashValue("f", id));
    expect(exact.length).toBeGreaterThan(10);
    for (const distinct_id of exact) {
      const hash = hashValue("f", distinct_id);
      const at = (percent: number) =>
        decide(flag("f", { groups: [{ rollout_percentage: percent }] }), { distinct_id })[0];
      expect(at(hash * 100)).toBe(true);
      expect(at(hash * 100 - 1e-9)).toBe(false);
    }
  });

  it("holds nobody out by a holdout of nothing, and everyone by one of everything", () => {
    const of = (exclusion_percentage: unknown, more: object = {}) =>
      flag("f", { groups: [everyone], holdout: { id: 7, exclusion_percentage, ...more } as never });
    for (const distinct_id of ids) {
      for (const nothing of [0, -1, null, undefined])
        expect(decide(of(nothing), { distinct_id })).toEqual([true, "condition_match", 0]);
      expect(decide(of(100), { distinct_id })).toEqual(["holdout-7", "holdout_condition_value", 0]);
      for (const id of [null, undefined])
        expect(decide(of(100, { id }), { distinct_id })).toEqual([true, "condition_match", 0]);
    }
  });

  it("falls back to the old holdouts where the current one has no id", () => {
    const holdout_groups = [{ rollout_percentage: 100 }];
    for (const holdout of [null, {}, { id: null }, { id: undefined, exclusion_percentage: 0 }])
      expect(decide(flag("f", { groups: [everyone], holdout_groups, holdout: holdout as never }))).toEqual([
        "holdout",
        "holdout_condition_value",
        0,
      ]);
    expect(
      decide(flag("f", { groups: [everyone], holdout_groups, holdout: { id: 0, exclusion_percentage: 0 } })),
    ).toEqual([true, "condition_match", 0]);
  });
});

describe("what comes before the release conditions", () => {
  const rare = { properties: [is("plan", "rare")], rollout_percentage: 100, variant: "holdout-1" };
  const pro = { properties: [is("plan", "pro")], rollout_percentage: 100, variant: "holdout-2" };
  const person_properties = { plan: "pro" };

  it("are evaluated in order: enrollment, then every holdout", () => {
    const holdout_groups = [rare, pro];
    for (const feature_enrollment of [false, true])
      expect(
        decide(flag("f", { groups: [everyone], holdout_groups, feature_enrollment }), { person_properties }),
      ).toEqual(["holdout-2", "holdout_condition_value", 1]);
    const chosen = { ...person_properties, "$feature_enrollment/f": "true" };
    expect(
      decide(flag("f", { groups: [], holdout_groups, feature_enrollment: true }), {
        person_properties: chosen,
      }),
    ).toEqual([true, "super_condition_value", 0]);
  });
});

describe("what an SDK cannot know", () => {
  it("is the first id of a person, for flags that keep their answer by it", () => {
    const more = { ensure_experience_continuity: true };
    for (const groups of [[everyone], [{ properties: [is("plan", "pro")] }], [{ rollout_percentage: 50 }]])
      expect(decide(flag("f", { groups }, more), { person_properties: { plan: "pro" } }, "partial")).toEqual([
        false,
        "inconclusive",
        null,
      ]);
    // Of a group nothing is kept: its key never changes.
    const byGroup = flag("f", { groups: [everyone], aggregation_group_type_index: 0 }, more);
    expect(decide(byGroup, { groups: { company: "acme" } }, "partial")).toEqual([true, "condition_match", 0]);
  });

  it("is not how a row of no condition is negated: only a cohort's rows can be", () => {
    const groups = [{ properties: [is("plan", "pro", { negation: true })] }];
    expect(decide(flag("f", { groups }), { person_properties: { plan: "pro" } })[0]).toBe(true);
    expect(decide(flag("f", { groups }), { person_properties: { plan: "free" } })[0]).toBe(false);
  });
});

describe("a set of flags that share rows", () => {
  it("answers each row for each person and group by its own properties", () => {
    const size = is("size", 5, { type: "group", group_type_index: 0 });
    const flags = [
      flag("person", { groups: [{ properties: [is("size", 5)] }] }),
      flag("company", { groups: [{ properties: [size] }] }),
      flag("both", { groups: [{ properties: [is("size", 5), size] }] }),
      flag("again", { groups: [{ properties: [is("size", 5)] }, { properties: [is("size", 6)] }] }),
    ];
    const compiled = compileFlags({ flags, group_type_mapping });
    const on = (person: number, company: number) =>
      evaluateAll(compiled, {
        distinct_id: "ann",
        now,
        person_properties: { size: person },
        groups: { company: "acme" },
        group_properties: { company: { size: company } },
      })
        .filter(({ value }) => value === true)
        .map(({ key }) => key);
    expect(on(5, 6)).toEqual(["person", "again"]);
    expect(on(6, 5)).toEqual(["company", "again"]);
    expect(on(5, 5)).toEqual(["person", "company", "both", "again"]);
    expect(on(7, 7)).toEqual([]);
    expect(on(7, 5)).toEqual(["company"]);
    // One row for each question about the person; those about groups are not remembered.
    expect(compiled.packed_rows.rows.length).toBe(2);
  });
});
