import fc from "fast-check";
import { PostHog } from "posthog-node";
import { describe, expect, it } from "vitest";
import { compileFlags } from "#lib/engines/evaluation/compile.ts";
import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import type { Json } from "#lib/engines/json.ts";
import { findFiltersProblem } from "#lib/flags/feature_flags/filters/filters.ts";
import {
  addPin,
  findPinProblem,
  PIN_IDS_MAX,
  PINS_MAX,
  type Pin,
  pinsOf,
  withoutPins,
  withPins,
} from "./pins.ts";

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
    wanted: fc.array(
      fc.record({
        person: fc.nat(4),
        value: hasVariants ? fc.constantFrom(false, ...KEYS) : fc.boolean(),
      }),
      { maxLength: 4 },
    ),
    added: hasVariants ? set : set.map(({ variant: _, ...rest }) => rest),
  }),
);

type Person = { id: string; plan: string; person: number };

function valuesOf(filters: Json, all: readonly Person[]): Map<string, unknown> {
  const compiled = compileFlags({ flags: [{ id: 1, key: "flag", active: true, filters }] });
  return new Map(
    all.map(({ id: distinct_id, plan }) => [
      distinct_id,
      evaluateFlag(compiled, "flag", { distinct_id, person_properties: { plan }, now: NOW })?.value,
    ]),
  );
}

const pinFor = (person: number, value: boolean | string, all: readonly Person[]): Pin => ({
  person_id: `person-${person}`,
  distinct_ids: all.filter((each) => each.person === person).map((each) => each.id),
  value,
  until: null,
  reason: "To look at it.",
});

const facts = {
  flag_id: 1,
  flag_key: "flag",
  flags: new Map(),
  cohort_ids: new Set<number>(),
};

const check = (property: (filters: Json, all: Person[], pins: Pin[], added: Json) => void, numRuns = 400) =>
  fc.assert(
    fc.property(situation, ({ filters, people: all, wanted, added }) => {
      const pins = wanted
        .map(({ person, value }) => pinFor(person, value, all))
        .filter(({ distinct_ids }) => distinct_ids.length > 0)
        .reduce<Pin[]>(addPin, []);
      property(filters, all, pins, added);
    }),
    { numRuns },
  );

describe("pins", () => {
  it("give everybody who is pinned exactly that value, and change nobody else's", () => {
    check((filters, all, pins) => {
      const expected = valuesOf(filters, all);
      for (const { distinct_ids, value } of pins) for (const each of distinct_ids) expected.set(each, value);
      const pinned = withPins(filters, pins);
      expect(valuesOf(pinned, all)).toEqual(expected);
      expect(findFiltersProblem(pinned, facts)).toEqual(findFiltersProblem(filters, facts));
    });
  });

  it("leave the former filters when they are removed, in any order", () => {
    check((filters, _, pins) => {
      const pinned = withPins(filters, pins);
      expect(pinsOf(pinned)).toEqual(pins);
      expect(withoutPins(pinned)).toEqual(filters);
      expect(withPins(pinned, pins)).toEqual(pinned);
      for (const gone of pins) {
        const others = pins.filter((each) => each !== gone);
        expect(withPins(pinned, others)).toEqual(withPins(filters, others));
      }
    });
  });

  it("hold for sets that are added before and after the others", () => {
    check((filters, all, pins, added) => {
      const { groups } = withPins(filters, pins) as { groups: Json[] };
      const edited = withPins({ ...withPins(filters, pins), groups: [added, ...groups, added] }, pins);
      const values = valuesOf(edited, all);
      for (const { distinct_ids, value } of pins)
        for (const each of distinct_ids) expect(values.get(each)).toBe(value);
    });
  });

  it("replace those of the same person, also after a merge", () => {
    const [ada, anonymous] = [
      { ...pinFor(1, true, []), person_id: "ada", distinct_ids: ["ada"] },
      { ...pinFor(1, true, []), person_id: "anonymous", distinct_ids: ["anonymous"] },
    ];
    const merged = { ...ada, distinct_ids: ["ada", "anonymous"], value: false };
    expect(addPin([ada, anonymous], merged)).toEqual([merged]);
  });
});

it("are obeyed by the Node SDK, which evaluates definitions by itself", async () => {
  const pin = pinFor(1, "test", []);
  const pins = [
    { ...pin, distinct_ids: ["Ada", "a.a"] },
    { ...pin, person_id: "bob", distinct_ids: ["bob|x", "(bob"], value: false },
  ];
  const variants = KEYS.map((key, i) => ({ key, rollout_percentage: i === 0 ? 100 : 0 }));
  const filters = withPins({ groups: [{ rollout_percentage: 100 }], multivariate: { variants } }, pins);
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
  const pin: Pin = { person_id: "p", distinct_ids: ["ada"], value: true, until: null, reason: "" };
  const many = (count: number) => Array.from({ length: count }, (_, i) => `id-${i}`);
  const full = withPins(
    plain,
    many(PINS_MAX).map((each) => ({ ...pin, person_id: each, distinct_ids: [each] })),
  );

  it.each<[string, Json, Partial<Pin>, string | null]>([
    ["a value of a boolean flag", plain, {}, null],
    ["off", plain, { value: false }, null],
    ["a variant", variants, { value: "test" }, null],
    ["an unknown variant", variants, { value: "nope" }, "There is no variant nope in this flag."],
    ["a variant of a boolean flag", plain, { value: "test" }, "There is no variant test in this flag."],
    ["on, for a flag with variants", variants, { value: true }, "This flag has variants"],
    ["a flag about groups", { ...plain, aggregation_group_type_index: 0 }, {}, "decided per group"],
    ["early access", { ...plain, feature_enrollment: true }, {}, "early access"],
    ["early access of old", { ...plain, super_groups: [{ properties: [] }] }, {}, "early access"],
    ["a holdout", { ...plain, holdout: { id: 3, exclusion_percentage: 10 } }, {}, "holdout"],
    ["a holdout of old", { ...plain, holdout_groups: [{ properties: [] }] }, {}, "holdout"],
    [
      "off, with a set about groups",
      { groups: [{ properties: [], aggregation_group_type_index: 0 }] },
      { value: false },
      "about groups",
    ],
    ["no id", plain, { distinct_ids: [] }, "no id"],
    ["too many ids", plain, { distinct_ids: many(PIN_IDS_MAX + 1) }, `at most ${PIN_IDS_MAX}`],
    ["ids that are too long", plain, { distinct_ids: ["a".repeat(1_000)] }, "too long"],
    ["too many pins", full, {}, `at most ${PINS_MAX}`],
    ["a pin in place of another", full, { person_id: "id-0" }, null],
  ])("%s", (_, filters, fields, problem) => {
    const found = findPinProblem(filters, { ...pin, ...fields });
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  });
});
