import { describe, expect, it } from "vitest";
import { falsePositiveRate } from "#lib/engines/statistics/peeking.ts";
import { powerMeans, powerProportions } from "#lib/engines/statistics/planning/power.ts";
import { wilsonInterval } from "#lib/engines/statistics/proportions.ts";
import type { Settings } from "#lib/engines/statistics/types.ts";
import { randomFrom } from "./random.ts";
import { type Simulated, simulate } from "./simulation.ts";

const fixed: Settings = { method: "frequentist", difference_type: "absolute", alpha: 0.05 };
const sequential: Settings = { ...fixed, sequential: { tuning_parameter: 5000 } };
const bayesian: Settings = { method: "bayesian", difference_type: "relative", ci_level: 0.95 };

const within = (rate: Simulated["daily"], expected: number | null) => {
  expect(expected).not.toBeNull();
  expect(expected ?? 0).toBeGreaterThan(rate.bounds[0]);
  expect(expected ?? 0).toBeLessThan(rate.bounds[1]);
};

describe.each(["conversion", "revenue", "revenue_per_order"] as const)("A/A tests of %s", (metric) => {
  const world = { metric, lift: 0, days: 10, people_per_day: 100 };
  const [plain, valid, bayes] = simulate(world, [fixed, sequential, bayesian], 1200, 7) as [
    Simulated,
    Simulated,
    Simulated,
  ];

  it("are significant as often as stated when read once", () => {
    within(plain.at_the_end, 0.05);
    within(bayes.at_the_end, 0.05);
  });

  it("are significant as often as foretold when read daily", () => {
    within(plain.daily, plain.expected.daily);
    within(bayes.daily, bayes.expected.daily);
    expect(plain.daily.bounds[0]).toBeGreaterThan(0.05);
  });

  it("stay within the stated rate under daily looks with sequential intervals", () => {
    expect(valid.daily.bounds[0]).toBeLessThan(0.05);
    expect(valid.daily.rate).toBeLessThan(plain.at_the_end.rate);
  });
});

describe.each([
  { metric: "conversion", lift: 0.3 },
  { metric: "revenue", lift: 0.08 },
] as const)("A/B tests of $metric with a lift of $lift", ({ metric, lift }) => {
  it("find it with the power that was planned", () => {
    const world = { metric, lift, days: 5, people_per_day: 200 };
    const [plain] = simulate(world, [fixed], 1500, 11) as [Simulated];
    within(plain.at_the_end, plain.expected.at_the_end);
  });
});

describe("random numbers", () => {
  it("are fixed by their seed and have the moments of their distributions", () => {
    const [one, same] = [randomFrom(5), randomFrom(5)];
    const draws = Array.from({ length: 50_000 }, () => one.normal());
    expect(draws.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => same.normal()));
    const mean = draws.reduce((a, b) => a + b, 0) / draws.length;
    const variance = draws.reduce((a, b) => a + (b - mean) ** 2, 0) / draws.length;
    expect(Math.abs(mean)).toBeLessThan(0.02);
    expect(Math.abs(variance - 1)).toBeLessThan(0.03);
  });
});

describe("what the formulas foretell", () => {
  const expected = (metric: "conversion" | "revenue" | "revenue_per_order", lift: number, of: Settings) =>
    simulate({ metric, lift, days: 3, people_per_day: 20 }, [of], 1, 1)[0]?.expected;

  it.each([fixed, sequential, bayesian])("of an A/A test is the chance of a false alarm: %j", (settings) => {
    // Both variants together grow by 40 people a day.
    const got = expected("revenue", 0, settings);
    expect(got?.at_the_end).toBe(falsePositiveRate([120], settings));
    expect(got?.daily).toBe(falsePositiveRate([40, 80, 120], settings));
    expect(got?.daily).toBeGreaterThan(got?.at_the_end ?? 1);
  });

  it("of an A/B test is the power of the closed form, with 60 people in each variant", () => {
    const plan = { alpha: 0.05, allocation_ratio: 1, control_n: 60 };
    expect(expected("conversion", 0.5, fixed)).toEqual({
      at_the_end: powerProportions({ ...plan, control_rate: 0.12, variant_rate: 0.18 }),
      daily: null,
    });
    const spread = { control_sd: 12, variant_sd: 12, difference: 5 };
    expect(expected("revenue", 0.25, fixed)).toEqual({
      at_the_end: powerMeans({ ...plan, ...spread }),
      daily: null,
    });
  });

  it.each<[string, "revenue" | "revenue_per_order", Settings]>([
    ["a ratio", "revenue_per_order", fixed],
    ["a sequential test", "revenue", sequential],
    ["a relative difference", "revenue", { ...fixed, difference_type: "relative" }],
    ["a Bayesian reading", "revenue", { ...bayesian, difference_type: "absolute" }],
  ])("is nothing of the power of %s", (_, metric, settings) => {
    expect(expected(metric, 0.1, settings)).toEqual({ at_the_end: null, daily: null });
  });
});

describe("counting", () => {
  const run = (world: Partial<Parameters<typeof simulate>[0]>, settings: readonly Settings[], times = 40) =>
    simulate({ metric: "revenue", lift: 0, days: 1, people_per_day: 60, ...world }, settings, times, 3);

  it("finds what cannot be missed each time, and nothing that is refused", () => {
    for (const metric of ["revenue", "conversion", "revenue_per_order"] as const) {
      const [got] = run({ metric, lift: 5 }, [fixed]);
      expect(got?.at_the_end).toEqual({
        experiments: 40,
        significant: 40,
        rate: 1,
        bounds: wilsonInterval(40, 40, 0.999),
      });
      expect(got?.daily.rate).toBe(1);
    }
    // Nobody of the variant converts, which the Bayesian engine takes for no answer.
    const [refused] = run({ metric: "conversion", lift: -1 }, [bayesian]);
    expect(refused).toMatchObject({ at_the_end: { significant: 0 }, daily: { significant: 0 } });
  });

  it("of one day is the same daily and at the end, of several at least as much daily", () => {
    const [one] = run({}, [fixed], 300);
    expect(one?.daily).toEqual(one?.at_the_end);
    const [several] = run({ days: 8, people_per_day: 20 }, [fixed], 300);
    expect(several?.daily.significant).toBeGreaterThan(several?.at_the_end.significant ?? 300);
  });

  it("reads the same experiments in every way, and the same again with the same seed", () => {
    const [once, again] = run({ days: 4 }, [fixed, fixed], 200);
    expect(again).toEqual(once);
    expect(run({ days: 4 }, [fixed], 200)).toEqual([once]);
  });

  it("finds a lift of amounts per order as often as their spread around the ratio allows", () => {
    // An order is worth 20; a person's two orders on average deviate by 12 in all, so that a ratio's unit has 12/2.
    const [got] = run({ metric: "revenue_per_order", lift: 0.15 }, [fixed], 1000) as [Simulated];
    const plan = { alpha: 0.05, allocation_ratio: 1, control_n: 60 };
    within(got.at_the_end, powerMeans({ ...plan, control_sd: 6, variant_sd: 6, difference: 3 }));
  });
});
