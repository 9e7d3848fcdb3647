import { describe, expect, it } from "vitest";
import { eventTest, membershipOf } from "./membership.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const and = (...values: unknown[]) => ({ properties: { type: "AND", values } });
const or = (...values: unknown[]) => ({ properties: { type: "OR", values } });
const plan = (value: string, more: object = {}) => ({
  key: "plan",
  type: "person",
  operator: "exact",
  value: [value],
  ...more,
});
const inCohort = (value: number, more: object = {}) => ({
  key: "id",
  type: "cohort",
  operator: "in",
  value,
  ...more,
});
const performed = (key: string, more: object = {}) => ({
  type: "behavioral",
  key,
  value: "performed_event",
  event_type: "events",
  ...more,
});

const STATIC = { id: 1, is_static: true, filters: {} };
const PAYING = { id: 2, is_static: false, filters: and(plan("pro")) };
/** The question about one cohort. */
function asked(id: number, all: Parameters<typeof membershipOf>[1]) {
  const membership = membershipOf([id], all, NOW);
  return {
    ...membership,
    has: (candidate: ReturnType<typeof person>) => membership.of(candidate).length > 0,
  };
}
const membership = (filters: Record<string, unknown>) =>
  asked(9, [STATIC, PAYING, { id: 9, is_static: false, filters }]);
const person = (properties: object = {}, lists: number[] = [], distinct_id = "p") => ({
  distinct_id,
  properties: properties as Record<string, unknown>,
  static_cohorts: new Set(lists),
});

describe("membership of a cohort", () => {
  it.each<[string, Record<string, unknown>, Parameters<typeof person>, Parameters<typeof person>]>([
    ["a property", and(plan("pro")), [{ plan: "pro" }], [{ plan: "free" }]],
    ["all of AND", and(plan("pro"), inCohort(1)), [{ plan: "pro" }, [1]], [{ plan: "pro" }]],
    ["any of OR", or(plan("pro"), inCohort(1)), [{}, [1]], [{}]],
    ["a negated property", and(plan("pro", { negation: true })), [{}], [{ plan: "pro" }]],
    ["a negated list", and(inCohort(1, { negation: true })), [{}], [{}, [1]]],
    ["not in a list", and(inCohort(1, { operator: "not_in" })), [{}], [{}, [1]]],
    ["another cohort by properties", and(inCohort(2)), [{ plan: "pro" }], [{}, [2]]],
    [
      "the distinct id",
      and(plan("zoe", { key: "distinct_id" })),
      [{}, [], "zoe"],
      [{ distinct_id: "bob" }, [], "bob"],
    ],
    [
      "a span that counts back from now",
      and(plan("", { key: "joined", operator: "is_date_after", value: "-7d" })),
      [{ joined: "2026-03-04" }],
      [{ joined: "2026-03-03" }],
    ],
    ["a behavior", and(performed("paid")), [{}, [-1]], [{}, [1]]],
    ["one of two behaviors", or(performed("paid"), performed("left")), [{}, [-2]], [{}, [-3]]],
    [
      "no behavior",
      and(plan("pro"), performed("paid", { negation: true })),
      [{ plan: "pro" }],
      [{ plan: "pro" }, [-1]],
    ],
  ])("follows %s", (_, filters, inside, outside) => {
    const { has } = membership(filters);
    expect(has(person(...inside))).toBe(true);
    expect(has(person(...outside))).toBe(false);
  });

  it("of a static cohort follows its list", () => {
    const { has, static_cohort_ids } = asked(1, [STATIC, PAYING]);
    expect(static_cohort_ids).toEqual([1]);
    expect(has(person({}, [1]))).toBe(true);
    expect(has(person({ plan: "pro" }, [2]))).toBe(false);
  });

  it("answers for several cohorts at once", () => {
    const { of } = membershipOf([1, 2, 7], [STATIC, PAYING], NOW);
    expect(of(person({ plan: "pro" }, [1]))).toEqual([1, 2]);
    expect(of(person({ plan: "pro" }))).toEqual([2]);
    expect(of(person({}, [7]))).toEqual([]);
  });

  it("is nobody's where filters are empty or the cohort is unknown", () => {
    expect(membership({}).has(person({ plan: "pro" }, [1, 9]))).toBe(false);
    expect(asked(7, [STATIC, PAYING]).has(person({ plan: "pro" }, [1, 7]))).toBe(false);
  });

  it("tells which properties, lists and behaviors it looks at", () => {
    const question = membership(or(plan("pro"), inCohort(1), performed("paid"), performed("left")));
    expect(question.properties).toEqual(["plan"]);
    expect(question.static_cohort_ids).toEqual([1]);
    expect(question.behaviors).toEqual(
      new Map([
        [-1, { event: "paid", since: null, rows: [] }],
        [-2, { event: "left", since: null, rows: [] }],
      ]),
    );
    expect(membership(and(plan("pro")))).toMatchObject({ static_cohort_ids: [], behaviors: new Map() });
  });

  it("does not look for a behavior that nobody can show", () => {
    const question = membership(or(performed("paid", { value: "stopped_event" }), plan("pro")));
    expect(question).toMatchObject({ static_cohort_ids: [], behaviors: new Map() });
    expect(question.has(person({ plan: "pro" }))).toBe(true);
    expect(question.has(person({ plan: "free" }))).toBe(false);
  });

  it("leaves out behaviors of cohorts that it does not refer to", () => {
    const other = { id: 5, is_static: false, filters: and(performed("left")) };
    const own = { id: 9, is_static: false, filters: and(performed("paid")) };
    const { behaviors } = asked(9, [other, own]);
    expect([...behaviors.values()].map(({ event }) => event)).toEqual(["paid"]);
  });
});

describe("an event's properties", () => {
  const test = (...rows: Record<string, unknown>[]) => eventTest({ event: "paid", since: null, rows }, NOW);

  it("always do where nothing is asked of them", () => {
    expect(test()({})).toBe(true);
    expect(test()({ price: 1 })).toBe(true);
  });

  it.each<[string, Record<string, unknown>[], Record<string, unknown>, Record<string, unknown>]>([
    [
      "equality",
      [{ key: "price", type: "event", operator: "exact", value: 10 }],
      { price: 10 },
      { price: 11 },
    ],
    ["an order", [{ key: "price", type: "event", operator: "gt", value: 10 }], { price: 11 }, { price: 10 }],
    ["absence", [{ key: "price", type: "event", operator: "is_not_set" }], {}, { price: 1 }],
    ["a feature's property", [{ key: "price", type: "feature", operator: "is_set" }], { price: 0 }, {}],
    [
      "a text in any case",
      [{ key: "a", type: "event", value: "x" }],
      { a: "X", distinct_id: "p" },
      { distinct_id: "x" },
    ],
    [
      "a span that counts back from now",
      [{ key: "due", type: "event", operator: "is_date_before", value: "-1d" }],
      { due: "2026-03-08" },
      { due: "2026-03-10" },
    ],
    [
      "all of several conditions",
      [
        { key: "price", operator: "gte", value: 10 },
        { key: "currency", value: ["EUR", "CHF"] },
      ],
      { price: 10, currency: "CHF" },
      { price: 10, currency: "USD" },
    ],
  ])("answer %s", (_, rows, fits, fails) => {
    expect(test(...rows)(fits)).toBe(true);
    expect(test(...rows)(fails)).toBe(false);
  });
});
