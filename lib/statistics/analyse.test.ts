import { describe, expect, it } from "vitest";
import { analyseMetric } from "./analyse.ts";
import { compare } from "./compare.ts";
import { chanceToBeBetter, directionOf } from "./goal.ts";
import { explainFailure } from "./refusals.ts";
import { settingsOf } from "./settings.ts";
import type { BayesianSettings, MetricType, Sample } from "./types.ts";

const bayesian: BayesianSettings = { method: "bayesian", difference_type: "relative", ci_level: 0.95 };
const proportion = (sum: number, n: number): Sample => ({ n, sum, sum_squares: sum });

describe("refusals", () => {
  it.each<[string, MetricType, Sample, Sample, string]>([
    ["more conversions than people", "funnel", proportion(30, 20), proportion(10, 20), "impossible-data"],
    [
      "squares below what the sum demands",
      "mean",
      { n: 100, sum: 500, sum_squares: 100 },
      { n: 100, sum: 500, sum_squares: 9000 },
      "negative-variance",
    ],
    [
      "a ratio by nothing",
      "ratio",
      { n: 100, sum: 5, sum_squares: 5, denominator_sum: 0 },
      {
        n: 100,
        sum: 5,
        sum_squares: 5,
        denominator_sum: 9,
        denominator_sum_squares: 9,
        numerator_denominator_sum_product: 3,
      },
      "denominator-zero",
    ],
    [
      "sums beyond doubles",
      "mean",
      { n: 100, sum: 2e15, sum_squares: 1e31 },
      { n: 100, sum: 1, sum_squares: 2 },
      "values-too-large",
    ],
    ["four conversions", "funnel", proportion(4, 100), proportion(50, 100), "too-few-successes"],
    ["four that did not convert", "funnel", proportion(96, 100), proportion(50, 100), "too-few-failures"],
    ["no conversion at all", "funnel", proportion(50, 100), proportion(0, 100), "degenerate-proportion"],
    [
      "equal values",
      "mean",
      { n: 100, sum: 500, sum_squares: 2500 },
      { n: 100, sum: 500, sum_squares: 2500 },
      "zero-variance",
    ],
  ])("has no answer for %s", (_, type, control, variant, code) => {
    expect(compare(type, control, variant, bayesian)).toMatchObject({ status: "refused", code });
  });

  it("has no interval of 100 %", () => {
    const analysis = analyseMetric(
      "mean",
      proportion(50, 100),
      [proportion(60, 100)],
      settingsOf({ bayesian: { ci_level: 1 } }),
    );
    expect(analysis.config_refusal?.code).toBe("level-out-of-range");
    expect(analysis.variants[0]?.estimate).toBeNull();
  });

  it("lets a failing baseline silence every variant, a failing variant only itself", () => {
    const settings = settingsOf({});
    const large = proportion(50, 500);
    const silenced = analyseMetric("funnel", proportion(3, 40), [large, large], settings);
    expect(silenced.baseline.validation_failures).toEqual(["not-enough-exposures", "not-enough-metric-data"]);
    expect(silenced.variants.map(({ estimate }) => estimate)).toEqual([null, null]);
    const one = analyseMetric("funnel", large, [proportion(4, 500), large], settings);
    expect(one.variants.map(({ estimate }) => estimate !== null)).toEqual([false, true]);
    expect(explainFailure("not-enough-exposures", 40, 3, true)).toContain("40 of the 50 people");
  });
});

describe("settings", () => {
  it.each([
    [null, { method: "bayesian", difference_type: "relative", ci_level: 0.95 }],
    [{ method: "frequentist" }, { method: "frequentist", alpha: 0.05, sequential: null }],
    [{ bayesian: { ci_level: "0.9" } }, { ci_level: 0.9 }],
    [{ bayesian: { ci_level: "" } }, { ci_level: 0.95 }],
    [{ bayesian: { ci_level: 95 } }, { ci_level: 0.95 }],
    [
      { bayesian: { ci_level: null, difference_type: "absolute" } },
      { ci_level: 0.95, difference_type: "relative" },
    ],
    [{ bayesian: { difference_type: "ABSOLUTE" } }, { difference_type: "absolute" }],
    [
      { method: "frequentist", frequentist: { sequential_testing_enabled: true } },
      { sequential: { tuning_parameter: 5000 } },
    ],
    [{ method: "magic" }, { method: "bayesian" }],
    [[1], { method: "bayesian" }],
  ])("reads %j", (config, expected) => {
    expect(settingsOf(config)).toMatchObject(expected);
  });
});

describe("goal", () => {
  it("turns round what is shown, never what is computed", () => {
    expect(chanceToBeBetter(0.03, "decrease")).toBeCloseTo(0.97, 12);
    expect(chanceToBeBetter(0.03, "increase")).toBe(0.03);
    expect(directionOf({ effect: -0.1, significant: true }, "decrease")).toBe("better");
    expect(directionOf({ effect: -0.1, significant: true }, "increase")).toBe("worse");
    expect(directionOf({ effect: -0.1, significant: false }, "increase")).toBe("unclear");
  });
});
