import { describe, expect, it } from "vitest";
import { chanceToBeBetter, directionOf } from "#lib/engines/statistics/planning/goal.ts";
import { analyseMetric, withCovariate } from "./analyse.ts";
import { compare } from "./compare.ts";
import { explainFailure } from "./refusals.ts";
import { readSettings } from "./settings.ts";
import { type BayesianSettings, CUPED_ESTIMATORS, type Sample, type SampleType } from "./types.ts";
import { describePeeking } from "./words.ts";

const bayesian: BayesianSettings = { method: "bayesian", difference_type: "relative", ci_level: 0.95 };
const proportion = (sum: number, n: number): Sample => ({ n, sum, sum_squares: sum });

describe("refusals", () => {
  it.each<[string, SampleType, Sample, Sample, string]>([
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

  it.each<[SampleType, number, number, string | null]>([
    ["funnel", 4, 50, "too-few-successes"],
    ["funnel", 50, 4, "too-few-successes"],
    ["funnel", 96, 50, "too-few-failures"],
    ["funnel", 50, 96, "too-few-failures"],
    ["funnel", 5, 95, null],
    ["mean_threshold", 4, 50, "too-few-successes"],
    ["mean_threshold", 50, 4, "too-few-successes"],
    ["mean_threshold", 96, 50, "too-few-failures"],
    ["mean_threshold", 50, 96, "too-few-failures"],
    ["mean_threshold", 5, 95, null],
    ["mean_threshold", 50, 0, "degenerate-proportion"],
    // A mean of ones and zeros is a mean: its variance is the sample's.
    ["mean", 4, 50, null],
  ])("needs five that did and five that did not of a Bayesian %s: %d and %d of 100", (type, c, t, code) => {
    const outcome = compare(type, proportion(c, 100), proportion(t, 100), bayesian);
    expect(outcome.status === "ok" ? null : outcome.code).toBe(code);
    const tested = { method: "frequentist", difference_type: "absolute", alpha: 0.05 } as const;
    expect(compare(type, proportion(c, 100), proportion(t, 100), tested).status).toBe("ok");
  });

  it.each<[string, Sample]>([
    ["a sum above 1e15", { n: 1000, sum: 1.1e15, sum_squares: 2e27 }],
    ["a sum below -1e15", { n: 1000, sum: -1.1e15, sum_squares: 2e27 }],
    ["squares above 1e30", { n: 1000, sum: 9e14, sum_squares: 1.1e30 }],
  ])("has limits on %s in the Bayesian engine alone", (_, large) => {
    const small = { n: 1000, sum: 1e14, sum_squares: 1.1e26 };
    const absolute = { difference_type: "absolute" } as const;
    for (const [control, variant] of [
      [small, large],
      [large, small],
    ] as const) {
      expect(compare("mean", control, variant, { ...bayesian, ...absolute })).toMatchObject({
        status: "refused",
        code: "values-too-large",
      });
      const tested = { method: "frequentist", alpha: 0.05, ...absolute } as const;
      const outcome = compare("mean", control, variant, tested);
      expect(outcome.status === "ok" && Number.isFinite(outcome.effect)).toBe(true);
    }
  });

  it("reaches its limits at 1e15 and 1e30 exactly", () => {
    const sample = { n: 1000, sum: 1e15, sum_squares: 1e30 };
    expect(compare("mean", sample, sample, bayesian).status).toBe("ok");
  });

  it.each([
    { bayesian: { ci_level: 0 } },
    { bayesian: { ci_level: 1 } },
    { method: "frequentist", frequentist: { alpha: 0 } },
    { method: "frequentist", frequentist: { alpha: 1 } },
    { method: "frequentist", frequentist: { alpha: 0, sequential_testing_enabled: true } },
  ])("has no result at the ends of a level: %j", (config) => {
    const settings = readSettings(config);
    const analysis = analyseMetric("mean", proportion(50, 100), [proportion(60, 100)], settings);
    expect(analysis.config_refusal?.code).toBe("level-out-of-range");
    expect(analysis.variants[0]).toMatchObject({ estimate: null, validation_failures: [] });
    expect(describePeeking([100, 200], settings)).toMatchObject({ actual: 0, distinct_looks: 2 });
  });

  it("applies a failing baseline to every variant, a failing variant only to itself", () => {
    const settings = readSettings({});
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
    [{}, { cuped: null }],
    [{ cuped: { enabled: true } }, { cuped: "adjusted_means" }],
    [{ cuped: { enabled: true, estimator: "public_service" } }, { cuped: "public_service" }],
    [{ cuped: { enabled: true, estimator: "tea leaves" } }, { cuped: "adjusted_means" }],
    [{ cuped: { estimator: "public_service" } }, { cuped: null }],
    [[1], { method: "bayesian" }],
  ])("reads %j", (config, expected) => {
    expect(readSettings(config)).toMatchObject(expected);
  });
});

describe("goal", () => {
  it("flips what is shown, never what is computed", () => {
    expect(chanceToBeBetter(0.03, "decrease")).toBeCloseTo(0.97, 12);
    expect(chanceToBeBetter(0.03, "increase")).toBe(0.03);
    expect(directionOf({ effect: -0.1, interval: [-0.2, -0.05] }, "decrease")).toBe("better");
    expect(directionOf({ effect: -0.1, interval: [-0.2, -0.05] }, "increase")).toBe("worse");
    expect(directionOf({ effect: -0.1, interval: [-0.25, 0.05] }, "increase")).toBe("unclear");
  });
});

describe("what is needed for an answer to be shown", () => {
  const settings = readSettings({});
  const failuresOf = (type: SampleType, sample: Sample) => {
    const plenty = { ...proportion(500, 1000), denominator_sum: 1000, denominator_sum_squares: 1000 };
    return {
      baseline: analyseMetric(type, sample, [plenty], settings).baseline.validation_failures,
      variant: analyseMetric(type, plenty, [sample], settings).variants[0]?.validation_failures,
    };
  };
  const alike = (...failures: string[]) => ({ baseline: failures, variant: failures });

  it.each<[SampleType, number, number, object]>([
    ["mean", 50, 20, alike()],
    ["mean", 49, 20, alike("not-enough-exposures")],
    ["funnel", 100, 5, alike()],
    ["funnel", 100, 4, alike("not-enough-metric-data")],
    ["retention", 100, 5, alike()],
    ["retention", 100, 4, alike("not-enough-metric-data")],
    ["mean", 100, 4, alike()],
    ["ratio", 100, 4, alike()],
    ["mean_threshold", 100, 4, alike()],
    ["mean", 100, 0, { baseline: ["baseline-mean-is-zero"], variant: [] }],
    [
      "mean",
      49,
      0,
      { baseline: ["not-enough-exposures", "baseline-mean-is-zero"], variant: ["not-enough-exposures"] },
    ],
  ])("of a %s: %d people with a sum of %d", (type, n, sum, expected) => {
    expect(failuresOf(type, proportion(sum, n))).toEqual(expected);
  });

  it("is said of a failing variant instead of an answer or a refusal", () => {
    const [got] = analyseMetric("mean", proportion(500, 1000), [proportion(20, 49)], settings).variants;
    expect(got).toEqual({ validation_failures: ["not-enough-exposures"], estimate: null, refusal: null });
    const [none] = analyseMetric("mean", proportion(500, 1000), [proportion(0, 100)], settings).variants;
    expect(none).toMatchObject({ estimate: null, refusal: { code: "zero-variance" } });
  });
});

describe("CUPED", () => {
  const plain = { n: 100, sum: 500, sum_squares: 3000 };
  const full = { ...plain, covariate_sum: 400, covariate_sum_squares: 2000, covariate_sum_product: 2200 };
  const { covariate_sum: _sum, ...withoutSum } = full;
  const { covariate_sum_squares: _squares, ...withoutSquares } = full;
  const { covariate_sum_product: _product, ...withoutProduct } = full;
  const cuped = readSettings({ cuped: { enabled: true } });

  it("is left out where either variant lacks any of the sums of earlier values", () => {
    expect(withCovariate(cuped, full, full)).toEqual(cuped);
    for (const lacking of [plain, withoutSum, withoutSquares, withoutProduct]) {
      for (const [control, variant] of [
        [lacking, full],
        [full, lacking],
        [lacking, lacking],
      ] as const) {
        expect(withCovariate(cuped, control, variant)).toEqual({ ...cuped, cuped: null });
        const [got] = analyseMetric("mean", control, [variant], cuped).variants;
        expect(got?.estimate).toMatchObject({ cuped: null, status: "ok" });
        // Asked for directly, there is no answer without them.
        expect(compare("mean", control, variant, cuped)).toMatchObject({ code: "missing-covariate" });
      }
    }
    expect(analyseMetric("mean", full, [full], cuped).variants[0]?.estimate?.cuped).toMatchObject({
      theta: (2200 - (500 * 400) / 100) / (2000 - 400 ** 2 / 100),
    });
  });

  it("is by adjusted means unless an experiment says otherwise", () => {
    expect(CUPED_ESTIMATORS).toEqual(["adjusted_means", "public_service"]);
    expect(cuped.cuped).toBe(CUPED_ESTIMATORS[0]);
  });
});
