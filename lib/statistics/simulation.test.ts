import { describe, expect, it } from "vitest";
import { randomFrom } from "./random.ts";
import { type Simulated, simulate } from "./simulation.ts";
import type { Settings } from "./types.ts";

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
    // Above 95 % or below 5 %: one in ten, by the rule itself.
    within(bayes.at_the_end, 0.1);
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
