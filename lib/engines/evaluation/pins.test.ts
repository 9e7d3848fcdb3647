import fc from "fast-check";
import { PostHog } from "posthog-node";
import { describe, expect, it } from "vitest";
import type { Pin } from "#lib/engines/evaluation/values/types.ts";
import type { Json } from "#lib/engines/json.ts";
import { compileFlags } from "./compile.ts";
import { evaluateFlag } from "./evaluate.ts";
import { explainFlag } from "./explain.ts";
import { findPinProblem, fitsPattern, writeOutPins } from "./pins.ts";

const NOW = Date.UTC(2026, 0, 1);
const KEYS = ["control", "test"];

const percentage = fc.constantFrom(undefined, null, 0, 30, 100);
const row = fc.record({
  key: fc.constantFrom("plan", "distinct_id"),
  type: fc.constant("person"),
  operator: fc.constantFrom("exact", "is_not", "is_set", "icontains"),
  value: fc.constantFrom("pro", "ada", "Ada", "a"),
});
const set = fc.record(
  {
    properties: fc.array(row, { maxLength: 2 }),
    rollout_percentage: percentage,
    variant: fc.constantFrom(null, "test"),
    description: fc.string(),
  },
  { requiredKeys: [] },
);
const filtersWith = (hasVariants: boolean): fc.Arbitrary<Json> =>
  fc.record(
    {
      groups: fc.array(hasVariants ? set : set.map(({ variant: _, ...rest }) => rest), {
        minLength: 1,
        maxLength: 4,
      }),
      multivariate: fc.constant(
        hasVariants ? { variants: KEYS.map((key) => ({ key, name: key, rollout_percentage: 50 })) } : null,
      ),
      early_exit: fc.boolean(),
      payloads: fc.constant({}),
    },
    { requiredKeys: ["groups", "multivariate"] },
  );
/** Ids that patterns and comparisons could confuse. */
const id = fc.oneof(
  fc.constantFrom(
    "ada",
    "Ada",
    "ADA",
    "ada ",
    "ad",
    "a.a",
    "aba",
    "a|b",
    "^ada$",
    "(ada",
    "ada\\",
    "[a]",
    "true",
  ),
  fc.string({ minLength: 1, maxLength: 8 }),
);
const people = fc
  .uniqueArray(id, { minLength: 3, maxLength: 12 })
  .map((ids) => ids.map((each, i) => ({ id: each, plan: i % 2 ? "pro" : "free", person: i % 5 })));

const situation = fc.boolean().chain((hasVariants) =>
  fc.record({
    filters: filtersWith(hasVariants),
    people,
    wanted: fc.uniqueArray(
      fc.record({
        person: fc.nat(4),
        value: hasVariants ? fc.constantFrom(false, ...KEYS) : fc.boolean(),
      }),
      { maxLength: 4, selector: ({ person }) => person },
    ),
  }),
);

type Person = { id: string; plan: string; person: number };

const compiledWith = (filters: Json, pins: readonly Pin[], mode: "complete" | "partial" = "complete") =>
  compileFlags({ flags: [{ id: 1, key: "flag", active: true, filters, pins }], mode });

function valuesOf(filters: Json, pins: readonly Pin[], all: readonly Person[], now = NOW) {
  const compiled = compiledWith(filters, pins);
  return new Map(
    all.map(({ id: distinct_id, plan }) => [
      distinct_id,
      evaluateFlag(compiled, "flag", { distinct_id, person_properties: { plan }, now })?.value,
    ]),
  );
}

const check = (property: (filters: Json, all: Person[], pins: Pin[]) => void) =>
  fc.assert(
    fc.property(situation, ({ filters, people: all, wanted }) => {
      const pins = wanted
        .map(({ person, value }) => ({
          distinct_ids: all.filter((each) => each.person === person).map((each) => each.id),
          value,
          until: null,
        }))
        .filter(({ distinct_ids }) => distinct_ids.length > 0);
      property(filters, all, pins);
    }),
    { numRuns: 400 },
  );

function expectedOf(filters: Json, all: readonly Person[], pins: readonly Pin[]) {
  const expected = valuesOf(filters, [], all);
  for (const { distinct_ids, value } of pins) for (const each of distinct_ids) expected.set(each, value);
  return expected;
}

describe("pins", () => {
  it("give everybody who is pinned exactly that value, and change nobody else's", () => {
    check((filters, all, pins) => {
      expect(valuesOf(filters, pins, all)).toEqual(expectedOf(filters, all, pins));
    });
  });

  it("do the same when they are written out as conditions", () => {
    check((filters, all, pins) => {
      const written = writeOutPins(filters, pins);
      expect(valuesOf(written, [], all)).toEqual(expectedOf(filters, all, pins));
    });
  });

  it("end", () => {
    const pins = [{ distinct_ids: ["ada"], value: false, until: new Date(NOW).toISOString() }];
    const all = [{ id: "ada", plan: "free", person: 1 }];
    const everyone = { groups: [{}] };
    expect([...valuesOf(everyone, pins, all, NOW - 1).values()]).toEqual([false]);
    expect([...valuesOf(everyone, pins, all, NOW).values()]).toEqual([true]);
  });

  it("come before conditions that an SDK could not decide, and are the reason", () => {
    const filters = { groups: [{ properties: [{ key: "unknown", operator: "exact", value: "x" }] }] };
    const pins = [{ distinct_ids: ["ada"], value: true, until: null }];
    const subject = { distinct_id: "ada", now: NOW };
    const partial = compiledWith(filters, pins, "partial");
    expect(evaluateFlag(partial, "flag", subject)).toMatchObject({ value: true, reason: "pinned" });
    expect(evaluateFlag(partial, "flag", { ...subject, distinct_id: "bob" })?.reason).toBe("inconclusive");
    const explained = explainFlag(compiledWith(filters, pins), "flag", subject);
    expect(explained?.outcome).toMatchObject({ reason: "pinned", condition_index: null });
    expect(explained?.sets.map(({ result }) => result)).toEqual(["skipped"]);
  });

  it("have no effect on a flag that is off", () => {
    const pins = [{ distinct_ids: ["ada"], value: true, until: null }];
    const compiled = compileFlags({
      flags: [{ key: "flag", active: false, filters: { groups: [{}] }, pins }],
    });
    expect(evaluateFlag(compiled, "flag", { distinct_id: "ada", now: NOW })).toMatchObject({
      value: false,
      reason: "disabled",
    });
  });
});

it("are obeyed by the Node SDK, which evaluates definitions by itself", async () => {
  const pins = [
    { distinct_ids: ["Ada", "a.a"], value: "test", until: null },
    { distinct_ids: ["bob|x", "(bob"], value: false, until: null },
  ];
  const variants = KEYS.map((key, i) => ({ key, rollout_percentage: i === 0 ? 100 : 0 }));
  const filters = writeOutPins({ groups: [{ rollout_percentage: 100 }], multivariate: { variants } }, pins);
  const flags = [{ id: 1, key: "flag", active: true, filters }];
  const client = new PostHog("phc_test", {
    host: "http://127.0.0.1:9",
    personalApiKey: "phx_test",
    featureFlagsPollingInterval: 3_600_000,
    fetch: async () => new Response(JSON.stringify({ flags, group_type_mapping: {}, cohorts: {} })),
  });
  await client.reloadFeatureFlags();
  const options = { onlyEvaluateLocally: true };
  const found: Record<string, unknown> = {};
  for (const each of ["Ada", "a.a", "ada", "aba", "bob|x", "(bob", "bob", "x"])
    found[each] = (await client.getAllFlags(each, options)).flag;
  await client.shutdown(1_000);
  const others = { ada: "control", aba: "control", bob: "control", x: "control" };
  expect(found).toEqual({ Ada: "test", "a.a": "test", "bob|x": false, "(bob": false, ...others });
});

describe("what cannot be pinned", () => {
  const plain = { groups: [{ properties: [] }] };
  const variants = {
    ...plain,
    multivariate: { variants: KEYS.map((key) => ({ key, rollout_percentage: 50 })) },
  };

  it.each<[string, Json, boolean | string, string | null]>([
    ["on, for a boolean flag", plain, true, null],
    ["off", plain, false, null],
    ["a variant", variants, "test", null],
    ["an unknown variant", variants, "nope", "There is no variant nope in this flag."],
    ["a variant of a boolean flag", plain, "test", "There is no variant test in this flag."],
    ["on, for a flag with variants", variants, true, "The flag has variants"],
    ["a flag about groups", { ...plain, aggregation_group_type_index: 0 }, true, "decided per group"],
    ["early access", { ...plain, feature_enrollment: true }, true, "early access"],
    ["early access of old", { ...plain, super_groups: [{ properties: [] }] }, true, "early access"],
    ["a holdout", { ...plain, holdout: { id: 3, exclusion_percentage: 10 } }, true, "holdout"],
    ["a holdout of old", { ...plain, holdout_groups: [{ properties: [] }] }, true, "holdout"],
    [
      "off, with a set about groups",
      { groups: [{ properties: [], aggregation_group_type_index: 0 }] },
      false,
      "about groups",
    ],
    ["filters of any shape", { groups: "none", multivariate: { variants: [null] } }, "test", "no variant"],
  ])("%s", (_, filters, value, problem) => {
    const found = findPinProblem(filters, value);
    if (problem === null) return expect(found).toBeNull();
    expect(found).toContain(problem);
    // Stored with such a flag later, a pin has no effect, wherever the flag is evaluated.
    const pins = [{ distinct_ids: ["ada"], value, until: null }];
    expect(writeOutPins(filters, pins)).toBe(filters);
    expect(compiledWith(filters, pins).by_key.get("flag")?.pins).toBeNull();
  });

  it("ids that are too long", () => {
    expect(fitsPattern(["ada", "a".repeat(100)])).toBe(true);
    expect(fitsPattern(["a".repeat(1_000)])).toBe(false);
  });
});
