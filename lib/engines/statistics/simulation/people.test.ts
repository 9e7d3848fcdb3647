import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addPerson,
  COUNT_MEAN,
  counts,
  emptySums,
  FUNNEL_RATE,
  funnel,
  type Person,
  type Population,
  REVENUE_MEAN,
  retention,
  revenue,
  revenuePerOrder,
} from "./people.ts";
import { type Random, randomFrom } from "./random.ts";

/** Numbers that are drawn in the order given; drawing more than that fails. */
function drawing(uniforms: readonly number[], normals: readonly number[] = []): Random {
  const [us, ns] = [[...uniforms], [...normals]];
  const next = (list: number[]) => {
    const value = list.shift();
    if (value === undefined) throw new Error("one number too many was drawn");
    return value;
  };
  return { uniform: () => next(us), normal: () => next(ns) };
}

const meanOf = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const crowd = (population: Population, lift: number, seed = 3) => {
  const random = randomFrom(seed);
  return Array.from({ length: 60_000 }, () => population.person(lift, random));
};
const near = (got: number, expected: number, share: number) =>
  expect(Math.abs(got / expected - 1), `${got} for ${expected}`).toBeLessThan(share);

describe("sums over people", () => {
  it("are those of values, denominators and earlier values, with squares and products", () => {
    const sums = emptySums();
    addPerson(sums, { value: 3, denominator: 2, before: 5 });
    addPerson(sums, { value: -4, denominator: 7, before: 11 });
    expect(sums).toEqual({
      n: 2,
      sum: -1,
      sum_squares: 25,
      denominator_sum: 9,
      denominator_sum_squares: 53,
      numerator_denominator_sum_product: 6 - 28,
      covariate_sum: 16,
      covariate_sum_squares: 146,
      covariate_sum_product: 15 - 44,
    });
  });

  it("take people without a denominator for one unit, and without earlier values for inactive", () => {
    const sums = emptySums();
    addPerson(sums, { value: 3 });
    expect(sums).toMatchObject({
      denominator_sum: 1,
      numerator_denominator_sum_product: 3,
      covariate_sum: 0,
      covariate_sum_product: 0,
    });
  });
});

describe("revenue", () => {
  // Two of five buy, for amounts of exp(N(m, 0.6)) with m chosen so that the mean over everybody is 7.29.
  const typical = 7.29 / (0.4 * Math.exp(0.3));

  it("comes from two of five people, in lognormal amounts", () => {
    const of = (u: number, z: number) => revenue(1).person(0, drawing([u, 0.9], [z])).before;
    expect(of(0.399, 0)).toBeCloseTo(typical, 12);
    expect(of(0, 1)).toBeCloseTo(typical * Math.exp(Math.sqrt(0.6)), 12);
    expect(revenue(1).person(0, drawing([0.4, 0.9])).before).toBe(0);
  });

  it("repeats the earlier amount at a correlation of 1, has nothing to do with it at 0, and mixes between", () => {
    const of = (correlation: number, lift: number) =>
      revenue(correlation).person(lift, drawing([0.1, 0.1], [0, 1]));
    const [first, second] = [typical, typical * Math.exp(Math.sqrt(0.6))];
    expect(of(1, 0.1).value).toBeCloseTo(1.1 * first, 12);
    expect(of(0, 0.1).value).toBeCloseTo(1.1 * second, 12);
    expect(of(0.6, 0).value).toBeCloseTo(7.29 + 0.6 * (first - 7.29) + 0.8 * (second - 7.29), 12);
    for (const correlation of [0, 0.6, 1]) expect(of(correlation, 0).before).toBeCloseTo(first, 12);
  });

  it("has the stated mean, and the variance of a lognormal among zeros", () => {
    const people = crowd(revenue(0.6), 0.2);
    near(meanOf(people.map(({ before }) => before ?? 0)), REVENUE_MEAN, 0.02);
    near(meanOf(people.map(({ value }) => value)), 1.2 * REVENUE_MEAN, 0.02);
    const variance = REVENUE_MEAN ** 2 * (Math.exp(0.6) / 0.4 - 1);
    expect(variance).toBeCloseTo(189, 0);
    near(meanOf(people.map(({ before = 0 }) => (before - REVENUE_MEAN) ** 2)), variance, 0.1);
  });
});

describe("counts", () => {
  const rate = 2 * Math.exp(-0.32);

  it("multiply uniforms until these fall to exp(-rate) (Knuth)", () => {
    const limit = Math.exp(-rate);
    const of = (uniforms: number[], lift = 0) => counts.person(lift, drawing(uniforms, [0]));
    // 0.9, 0.45 and 0.225 against 0.234.
    expect(of([0.9, 0.5, 0.5, limit])).toEqual({ value: 2, before: 0 });
    expect(of([limit, 0.9, 0.1])).toEqual({ value: 0, before: 1 });
    // A lift of 10% lowers the limit to 0.202: the same numbers make one event more.
    expect(of([0.9, 0.5, 0.5, 0.5, 0.1], 0.1)).toEqual({ value: 3, before: 0 });
  });

  it("have the stated mean, more with a lift, and people who differ", () => {
    const people = crowd(counts, 0.25);
    near(meanOf(people.map(({ before }) => before ?? 0)), COUNT_MEAN, 0.02);
    near(meanOf(people.map(({ value }) => value)), 1.25 * COUNT_MEAN, 0.02);
    // Mixed Poisson: the mean, and the variance of the rates (lognormal with 0.64).
    const variance = COUNT_MEAN + COUNT_MEAN ** 2 * (Math.exp(0.64) - 1);
    near(meanOf(people.map(({ before = 0 }) => (before - COUNT_MEAN) ** 2)), variance, 0.06);
  });
});

describe("shares", () => {
  it.each<[Population, number, number[], Person]>([
    [funnel, 0, [0.199, 0.519], { value: 1, before: 1 }],
    [funnel, 0, [0.199, 0.52], { value: 0, before: 1 }],
    [funnel, 0, [0.2, 0.119], { value: 1, before: 0 }],
    [funnel, 0, [0.2, 0.12], { value: 0, before: 0 }],
    [funnel, 0.5, [0.2, 0.179], { value: 1, before: 0 }],
    [funnel, 0.5, [0.2, 0.181], { value: 0, before: 0 }],
    [retention, 0, [0.299], { value: 1 }],
    [retention, 0, [0.3], { value: 0 }],
    [retention, -0.5, [0.149], { value: 1 }],
    [retention, -0.5, [0.15], { value: 0 }],
  ])("$name with a lift of %d: %j makes %j", (population, lift, uniforms, person) => {
    expect(population.person(lift, drawing(uniforms))).toEqual(person);
  });

  it("convert alike in both periods", () => {
    const people = crowd(funnel, 0);
    near(meanOf(people.map(({ value }) => value)), FUNNEL_RATE, 0.03);
    near(meanOf(people.map(({ before }) => before ?? 0)), FUNNEL_RATE, 0.03);
  });
});

it("people order one to three times, always at their own price", () => {
  const of = (uniform: number, normal: number, lift = 0) =>
    revenuePerOrder.person(lift, drawing([uniform], [normal]));
  for (const [uniform, orders] of [
    [0, 1],
    [0.333, 1],
    [0.334, 2],
    [0.667, 3],
    [0.999, 3],
  ] as const) {
    expect(of(uniform, 0).denominator).toBe(orders);
    expect(of(uniform, 0).value).toBeCloseTo(orders * Math.exp(3), 9);
  }
  expect(of(0, 2).value).toBeCloseTo(Math.exp(4), 9);
  expect(of(0, 2, 0.25).value).toBeCloseTo(1.25 * Math.exp(4), 9);
});

it("a lift makes counts likelier and multiplies amounts", () => {
  const isCount = [revenue(0), counts, funnel, revenuePerOrder, retention].map(({ name, type, isCount }) => [
    name,
    type,
    isCount,
  ]);
  expect(isCount).toEqual([
    ["revenue", "mean", false],
    ["count", "mean", true],
    ["funnel", "funnel", true],
    ["ratio", "ratio", false],
    ["retention", "retention", true],
  ]);
  fc.assert(
    fc.property(fc.integer(), fc.double({ min: 0, max: 3, noNaN: true }), (seed, lift) => {
      for (const population of [revenue(0.5), revenuePerOrder]) {
        const [plain, lifted] = [0, lift].map((by) => population.person(by, randomFrom(seed)).value);
        expect(lifted).toBeCloseTo((plain ?? 0) * (1 + lift), 6);
      }
    }),
  );
});
