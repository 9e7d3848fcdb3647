import { describe, expect, it } from "vitest";
import { chanceToBeBetter, directionOf, verdictOf } from "#lib/engines/statistics/planning/goal.ts";
import { compare } from "./compare.ts";
import { correctedChance, evidenceOf, holm } from "./corrections.ts";
import { effectOf } from "./effect.ts";
import { computeMoments, impossible, sampleCovariance, sampleVariance } from "./moments.ts";
import { criticalValue, distinctLooks, falsePositiveRates } from "./peeking.ts";
import { compareProportions, netPromoterInterval, wilsonInterval } from "./proportions.ts";
import { explainFailure, isRefusalCode, refuse } from "./refusals.ts";
import { readSettings } from "./settings.ts";
import type { BayesianEstimate, FrequentistEstimate, Sample, SampleType, Settings } from "./types.ts";
import { clamp, winsorBounds } from "./winsorise.ts";

const bayesian: Settings = { method: "bayesian", difference_type: "relative", ci_level: 0.95 };
const fixed: Settings = { method: "frequentist", difference_type: "relative", alpha: 0.05 };
const absolute = (settings: Settings): Settings => ({ ...settings, difference_type: "absolute" });

const shareOf = (sum: number, n: number): Sample => ({ n, sum, sum_squares: sum });
/** A sample of values with this mean and variance. */
const valuesOf = (n: number, mean: number, variance: number): Sample => ({
  n,
  sum: n * mean,
  sum_squares: (n - 1) * variance + n * mean * mean,
});

const answer = (type: SampleType, control: Sample, variant: Sample, settings: Settings) => {
  const outcome = compare(type, control, variant, settings);
  return outcome.status === "refused" ? outcome.code : outcome.status;
};

describe("moments", () => {
  it("of values have n - 1, of a single unit no variance", () => {
    expect(sampleVariance(4, 10, 30)).toBeCloseTo(5 / 3, 12);
    expect([sampleVariance(1, 3, 9), sampleVariance(0, 0, 0)]).toEqual([0, 0]);
    expect(sampleCovariance(2, 3, 7, 11)).toBeCloseTo(0.5, 12);
    expect(sampleCovariance(1, 3, 7, 21)).toBe(0);
  });

  it("of shares are those of a coin", () => {
    for (const type of ["funnel", "mean_threshold"] as const)
      expect(computeMoments(type, shareOf(25.9, 100))).toEqual({ n: 100, mean: 0.25, variance: 0.1875 });
  });

  it("of ratios follow the delta method", () => {
    // Units (1, 2), (3, 4), (5, 5): numerator and denominator.
    const sample: Sample = {
      n: 3,
      sum: 9,
      sum_squares: 35,
      denominator_sum: 11,
      denominator_sum_squares: 45,
      numerator_denominator_sum_product: 39,
    };
    const [d, ratio] = [11 / 3, 9 / 11];
    const residuals = [1 - ratio * 2, 3 - ratio * 4, 5 - ratio * 5];
    const variance = residuals.reduce((sum, r) => sum + r * r, 0) / 2 / d ** 2;
    for (const type of ["ratio", "retention"] as const) {
      expect(computeMoments(type, sample).mean).toBeCloseTo(ratio, 12);
      expect(computeMoments(type, sample).variance).toBeCloseTo(variance, 12);
    }
  });

  it.each<[string, SampleType, Sample, string | null]>([
    ["nobody", "mean", { n: 0, sum: 0, sum_squares: 0 }, "impossible-data"],
    ["fewer than nobody", "mean", { n: -1, sum: 0, sum_squares: 0 }, "impossible-data"],
    ["one", "mean", { n: 1, sum: 2, sum_squares: 4 }, null],
    ["no number", "mean", { n: 5, sum: Number.NaN, sum_squares: 4 }, "impossible-data"],
    [
      "no number before",
      "mean",
      { n: 5, sum: 1, sum_squares: 4, covariate_sum: Number.NaN },
      "impossible-data",
    ],
    ["all converted", "funnel", shareOf(5, 5), null],
    ["more than all", "funnel", shareOf(6, 5), "impossible-data"],
    ["nobody converted", "funnel", shareOf(0, 5), null],
    ["less than nobody", "funnel", shareOf(-1, 5), "impossible-data"],
    ["squares at the least possible", "mean", { n: 4, sum: 8, sum_squares: 16 }, null],
    ["squares below it", "mean", { n: 4, sum: 8, sum_squares: 15.9 }, "negative-variance"],
    ["negative squares", "mean", { n: 4, sum: 0, sum_squares: -1 }, "negative-variance"],
    ["a ratio by nothing", "ratio", { n: 4, sum: 8, sum_squares: 20 }, "denominator-zero"],
    [
      "a ratio by less than nothing",
      "ratio",
      { n: 4, sum: 8, sum_squares: 20, denominator_sum: -4, denominator_sum_squares: 4 },
      null,
    ],
    [
      "a denominator that contradicts itself",
      "ratio",
      { n: 4, sum: 8, sum_squares: 20, denominator_sum: 4, denominator_sum_squares: 3 },
      "negative-variance",
    ],
    [
      "a mean with a strange denominator",
      "mean",
      { n: 4, sum: 8, sum_squares: 20, denominator_sum: 0 },
      null,
    ],
  ])("of %s (%s)", (_, type, sample, code) => {
    expect(impossible(type, sample)).toBe(code);
  });
});

describe("comparisons at the edge of what can be compared", () => {
  const some = valuesOf(100, 5, 4);

  it.each<[string, SampleType, Sample, Sample, Settings, string]>([
    ["four units", "mean", valuesOf(4, 5, 4), some, fixed, "too-few-units"],
    ["four units in the variant", "mean", some, valuesOf(4, 5, 4), fixed, "too-few-units"],
    ["five units", "mean", valuesOf(5, 5, 4), some, fixed, "ok"],
    ["four units, Bayesian", "mean", valuesOf(4, 5, 4), some, bayesian, "ok"],
    ["a baseline of zero", "mean", valuesOf(100, 0, 4), some, fixed, "control-mean-zero"],
    ["the same in absolute terms", "mean", valuesOf(100, 0, 4), some, absolute(fixed), "ok"],
    ["a negative baseline", "mean", valuesOf(100, -1, 4), some, fixed, "ok"],
    [
      "a negative baseline, Bayesian",
      "mean",
      valuesOf(100, -1, 4),
      some,
      bayesian,
      "control-mean-not-positive",
    ],
    [
      "a baseline of zero, Bayesian",
      "mean",
      valuesOf(100, 0, 4),
      some,
      bayesian,
      "control-mean-not-positive",
    ],
    ["the same, absolute", "mean", valuesOf(100, 0, 4), some, absolute(bayesian), "ok"],
    ["five conversions", "funnel", shareOf(5, 100), shareOf(50, 100), bayesian, "ok"],
    [
      "four conversions in the variant",
      "funnel",
      shareOf(50, 100),
      shareOf(4, 100),
      bayesian,
      "too-few-successes",
    ],
    ["four conversions, frequentist", "funnel", shareOf(4, 100), shareOf(50, 100), fixed, "ok"],
    ["five without conversion", "funnel", shareOf(95, 100), shareOf(50, 100), bayesian, "ok"],
    ["everybody converted", "funnel", shareOf(50, 100), shareOf(100, 100), bayesian, "degenerate-proportion"],
    [
      "sums at the limit",
      "mean",
      { n: 1e6, sum: 1e15, sum_squares: 1e30 },
      valuesOf(1e6, 1e9, 4e18),
      bayesian,
      "ok",
    ],
    [
      "a sum beyond it",
      "mean",
      { n: 100, sum: -1.1e15, sum_squares: 1e29 },
      some,
      bayesian,
      "values-too-large",
    ],
    [
      "squares beyond it",
      "mean",
      { n: 100, sum: 1e14, sum_squares: 1.1e30 },
      some,
      bayesian,
      "values-too-large",
    ],
    ["the same, frequentist", "mean", { n: 100, sum: 1e14, sum_squares: 1.1e30 }, some, fixed, "ok"],
    ["equal values", "mean", valuesOf(100, 5, 0), valuesOf(100, 6, 0), fixed, "zero-variance"],
    ["equal values on one side", "mean", valuesOf(100, 5, 0), some, fixed, "ok"],
    ["a level of 0", "mean", some, some, { ...fixed, alpha: 0 } as Settings, "level-out-of-range"],
    ["a level of 1", "mean", some, some, { ...fixed, alpha: 1 } as Settings, "level-out-of-range"],
    [
      "a level of 1, Bayesian",
      "mean",
      some,
      some,
      { ...bayesian, ci_level: 1 } as Settings,
      "level-out-of-range",
    ],
    [
      "CUPED without earlier values",
      "mean",
      some,
      some,
      { ...fixed, cuped: "adjusted_means" } as Settings,
      "missing-covariate",
    ],
    [
      "CUPED of a ratio, which has none",
      "ratio",
      { ...some, denominator_sum: 100, denominator_sum_squares: 200 },
      { ...some, denominator_sum: 100, denominator_sum_squares: 200 },
      { ...fixed, cuped: "adjusted_means" } as Settings,
      "ok",
    ],
  ])("%s", (_, type, control, variant, settings, expected) => {
    expect(answer(type, control, variant, settings)).toBe(expected);
  });

  it("takes the variance of both sides into account", () => {
    const [control, variant] = [
      { n: 100, mean: 4, variance: 9 },
      { n: 50, mean: 5, variance: 2 },
    ];
    expect(effectOf(control, variant, "absolute")).toEqual({ effect: 1, variance: 0.04 + 0.09 });
    const relative = effectOf(control, variant, "relative");
    expect(relative.effect).toBe(0.25);
    expect(relative.variance).toBeCloseTo(0.04 / 16 + (25 * 0.09) / 256, 15);
    expect(effectOf(control, variant, "relative", 2).effect).toBe(0.5);
  });
});

describe("words of refusal", () => {
  it("have a reason for every code", () => {
    expect(refuse("too-few-units")).toMatchObject({ status: "refused", code: "too-few-units" });
    expect(refuse("too-few-units").reason).toContain("5 people");
    expect([isRefusalCode("too-few-units"), isRefusalCode("toString"), isRefusalCode("")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("say who is short of what", () => {
    expect(explainFailure("not-enough-exposures", 49, 3, true)).toMatch(
      /^The baseline has 49 of the 50 .*No variant/,
    );
    expect(explainFailure("not-enough-metric-data", 49, 3, false)).toMatch(
      /^This variant has 3 of the 5 .*from then on/,
    );
    expect(explainFailure("baseline-mean-is-zero", 49, 0, true)).toMatch(/^Nobody in the baseline/);
  });
});

describe("goals and corrections", () => {
  it.each([
    [1, [0.5, 1.5], "increase", "better", "better"],
    [-1, [-1.5, -0.5], "increase", "worse", "worse"],
    [1, [0.5, 1.5], "decrease", "worse", "worse"],
    [-1, [-1.5, -0.5], "decrease", "better", "better"],
    [0, [0, 0], "increase", "unclear", "unclear"],
    [1, [-0.1, 2.1], "increase", "unclear", "leaning_better"],
    [-1, [-2.1, 0.1], "increase", "unclear", "leaning_worse"],
    [-1, [-2.1, 0.1], "decrease", "unclear", "leaning_better"],
  ] as const)("an effect of %d in %j, to %s, is %s; called significant, %s", (...given) => {
    const [effect, interval, goal, direction, verdict] = given;
    expect(directionOf({ effect, interval }, goal)).toBe(direction);
    expect(verdictOf({ effect, interval, significant: true }, goal)).toBe(verdict);
    const insignificant = { effect, interval, significant: false };
    expect(verdictOf(insignificant, goal)).toBe(direction);
    const leaning = direction === "unclear" ? "unclear" : `leaning_${direction}`;
    expect(verdictOf({ ...insignificant, significant_holm: false }, goal)).toBe(leaning);
  });

  it("turn evidence around where lower is better, and into a p value", () => {
    expect([chanceToBeBetter(0.9, "increase"), chanceToBeBetter(0.25, "decrease")]).toEqual([0.9, 0.75]);
    const chance = (chance_to_win: number) =>
      evidenceOf({ method: "bayesian", chance_to_win } as unknown as BayesianEstimate);
    expect([chance(0.5), chance(0.95), chance(0.05)].map((p) => Number(p.toFixed(12)))).toEqual([
      1, 0.1, 0.1,
    ]);
    expect(evidenceOf({ method: "frequentist", p_value: 0.3 } as unknown as FrequentistEstimate)).toBe(0.3);
    expect([correctedChance(1, 0.5), correctedChance(0.2, 0.5), correctedChance(0.2, 0.49)]).toEqual([
      0.5, 0.9, 0.1,
    ]);
    expect(holm([0.5, 0.6])).toEqual([1, 1]);
  });
});

describe("outliers", () => {
  const values = [0, 0, 0, 0, 0, 0, 1, 2, 3, 100];

  it.each([
    [{}, 0, 100],
    [{ upper_bound_percentile: 0.9 }, 0, 3],
    [{ upper_bound_percentile: 0.91 }, 0, 100],
    [{ lower_bound_percentile: 0.7 }, 1, 100],
    [{ lower_bound_percentile: 0 }, 0, 100],
    [{ upper_bound_percentile: 0.5, ignore_zeros: true }, 0, 2],
    [{ upper_bound_percentile: 0.5, ignore_zeros: false }, 0, 0],
    [{ upper_bound_percentile: 0 }, 0, 0],
    [{ lower_bound_percentile: 1, upper_bound_percentile: 0.5 }, 100, 100],
    [{ lower_bound_percentile: null, upper_bound_percentile: null }, 0, 100],
  ])("%j: from %d to %d", (settings, low, high) => {
    expect(winsorBounds(values, settings)).toEqual({ low, high });
    expect(winsorBounds(values.toReversed(), settings)).toEqual({ low, high });
  });

  it("have no bounds where there is nobody, and the plain ones where all are zero", () => {
    expect(winsorBounds([], { upper_bound_percentile: 0.9 })).toBeNull();
    const zeros = { upper_bound_percentile: 0.9, ignore_zeros: true };
    expect(winsorBounds([0, 0], zeros)).toEqual({ low: 0, high: 0 });
    expect(winsorBounds([-5, 0, 0], zeros)).toEqual({ low: -5, high: -5 });
  });

  it("are capped at the bounds", () => {
    expect([-1, 2, 5, 9, 10, 11].map((value) => clamp(value, { low: 2, high: 10 }))).toEqual([
      2, 2, 5, 9, 10, 10,
    ]);
  });
});

describe("shares and scores", () => {
  it("refuse what cannot be counted, and accept the ends", () => {
    for (const [successes, n] of [
      [2, 1],
      [-1, 5],
      [0, -1],
      [Number.NaN, 5],
    ] as const)
      expect(() => wilsonInterval(successes, n)).toThrow(RangeError);
    for (const level of [0, 1, 1.5, -1, Number.NaN])
      expect(() => wilsonInterval(1, 2, level)).toThrow(RangeError);
    expect(wilsonInterval(0, 0)).toEqual([0, 1]);
    expect(wilsonInterval(0, 5)[0]).toBe(0);
    expect(wilsonInterval(5, 5)[1]).toBe(1);
    const counts = { successes: 1, n: 2 };
    expect(() => compareProportions({ successes: 0, n: 0 }, counts)).toThrow(RangeError);
    expect(() => compareProportions(counts, { successes: 0, n: 0 })).toThrow(RangeError);
    expect(() => compareProportions(counts, { successes: 3, n: 2 })).toThrow(RangeError);
    expect(() => compareProportions({ successes: 3, n: 2 }, counts)).toThrow(RangeError);
    expect(() => netPromoterInterval({ promoters: -1, passives: 5, detractors: 5 })).toThrow(RangeError);
  });

  it("find no evidence where all agree", () => {
    const all = { successes: 5, n: 5 };
    expect(compareProportions(all, all)).toMatchObject({ difference: 0, z: 0, p_value: 1 });
  });

  it("compare in the order of the arguments", () => {
    const [few, many] = [
      { successes: 10, n: 100 },
      { successes: 30, n: 100 },
    ];
    const there = compareProportions(few, many);
    const back = compareProportions(many, few);
    expect(there.difference).toBeCloseTo(0.2, 12);
    expect(there.z).toBeCloseTo(3.5355339, 6);
    expect([there.z, there.p_value]).toEqual([-back.z, back.p_value]);
    expect(there.interval[0]).toBeCloseTo(-back.interval[1], 12);
    expect(there.interval[0]).toBeGreaterThan(0);
  });

  it("score promoters less detractors, in points", () => {
    const score = netPromoterInterval({ promoters: 50, passives: 30, detractors: 20 });
    expect(score?.mean).toBeCloseTo(30, 12);
    expect(score?.interval[0]).toBeLessThan(30);
    expect(score?.interval[1]).toBeGreaterThan(29);
    const agreed = netPromoterInterval({ promoters: 9, passives: 0, detractors: 0 });
    expect(agreed?.mean).toBe(100);
    expect(agreed?.interval[1]).toBe(100);
    expect(agreed?.interval[0]).toBeGreaterThan(20);
    expect(netPromoterInterval({ promoters: 0, passives: 0, detractors: 9 })?.interval[0]).toBe(-100);
    expect(netPromoterInterval({ promoters: 0, passives: 0, detractors: 0 })).toBeNull();
  });
});

describe("looks", () => {
  it("count as one below a hundredth of new units", () => {
    expect(distinctLooks([100, 101])).toEqual([100]);
    expect(distinctLooks([100, 101.01])).toEqual([100, 101.01]);
    expect(distinctLooks([200, 0, -5, 100])).toEqual([100, 200]);
  });

  it("are judged by the method's own critical value", () => {
    expect(criticalValue(1000, fixed)).toBeCloseTo(1.959964, 5);
    expect(criticalValue(1000, bayesian)).toBeCloseTo(1.959964, 5);
    expect(criticalValue(1000, { ...bayesian, ci_level: 0.05 } as Settings)).toBeCloseTo(0.062707, 5);
  });

  it("have a rate each, which never falls; none at levels that find nothing", () => {
    const rates = falsePositiveRates([3000, 1000, 2000], fixed);
    expect(rates.map(({ n }) => n)).toEqual([1000, 2000, 3000]);
    expect(rates[0]?.rate).toBeCloseTo(0.05, 4);
    expect(rates[2]?.rate).toBeCloseTo(0.107, 3);
    expect(falsePositiveRates([100, 200], { ...fixed, alpha: 0 } as Settings)).toEqual([
      { n: 100, rate: 0 },
      { n: 200, rate: 0 },
    ]);
    expect(falsePositiveRates([], fixed)).toEqual([]);
  });
});

describe("stored settings", () => {
  const frequentist = (fields: object) => readSettings({ method: "frequentist", frequentist: fields });
  const bayes = (fields: object) => readSettings({ method: "bayesian", bayesian: fields });

  it.each([null, undefined, "x", [], {}, { method: "other" }, { bayesian: [] }, { method: null }])(
    "%j fall back to the documented defaults",
    (stored) => {
      expect(readSettings(stored)).toMatchObject({
        method: "bayesian",
        difference_type: "relative",
        ci_level: 0.95,
        cuped: null,
      });
    },
  );

  it.each([
    [0.1, 0.1],
    ["0.1", 0.1],
    [0, 0],
    [1, 1],
    [-0.1, 0.05],
    [1.1, 0.05],
    ["", 0.05],
    [" ", 0.05],
    ["x", 0.05],
    [Number.NaN, 0.05],
    [null, 0.05],
  ])("an alpha of %j is read as %d", (alpha, expected) => {
    expect(frequentist({ alpha })).toMatchObject({ method: "frequentist", alpha: expected });
    expect(bayes({ ci_level: alpha })).toMatchObject({ ci_level: expected === 0.05 ? 0.95 : expected });
  });

  it("read the kind of difference, sequential testing and CUPED", () => {
    expect(bayes({ difference_type: "ABSOLUTE" }).difference_type).toBe("absolute");
    expect(frequentist({ difference_type: "ABSOLUTE" }).difference_type).toBe("absolute");
    expect(frequentist({ difference_type: "absolute" }).difference_type).toBe("relative");
    expect(frequentist({})).toMatchObject({ sequential: null });
    expect(frequentist({ sequential_testing_enabled: "yes" })).toMatchObject({ sequential: null });
    const tuned = (sequential_tuning_parameter: unknown) =>
      frequentist({ sequential_testing_enabled: true, sequential_tuning_parameter });
    expect(tuned(100)).toMatchObject({ sequential: { tuning_parameter: 100 } });
    for (const odd of [0, -1, "x", null, Number.NaN, Number.POSITIVE_INFINITY, "Infinity"])
      expect(tuned(odd)).toMatchObject({ sequential: { tuning_parameter: 5000 } });
    expect(readSettings({ cuped: { enabled: true } }).cuped).toBe("adjusted_means");
    expect(readSettings({ cuped: { enabled: true, estimator: "public_service" } }).cuped).toBe(
      "public_service",
    );
    expect(readSettings({ cuped: { enabled: "true" } }).cuped).toBeNull();
    expect(readSettings({ method: "frequentist", cuped: { enabled: true } }).cuped).toBe("adjusted_means");
  });
});

describe("levels that evidence meets exactly", () => {
  const [control, variant] = [valuesOf(400, 5, 4), valuesOf(400, 5.3, 4)];
  const ask = (settings: Settings, [c, t] = [control, variant]) => {
    const outcome = compare("mean", c, t, settings);
    if (outcome.status !== "ok") throw new Error(outcome.code);
    return outcome;
  };

  it("are not enough to be significant", () => {
    const test = ask(fixed) as FrequentistEstimate;
    expect(test).toMatchObject({ method: "frequentist", test_type: "two_sided", significant: true });
    expect(ask({ ...fixed, alpha: test.p_value } as Settings).significant).toBe(false);
    expect(ask({ ...fixed, alpha: test.p_value * 1.000001 } as Settings).significant).toBe(true);
    const { chance_to_win } = ask(bayesian) as BayesianEstimate;
    expect(ask({ ...bayesian, ci_level: chance_to_win } as Settings).significant).toBe(false);
    expect(ask({ ...bayesian, ci_level: chance_to_win - 1e-9 } as Settings).significant).toBe(true);
    // A chance of exactly one half is neither above nor below a level of one half.
    const even = ask({ ...bayesian, ci_level: 0.5 } as Settings, [control, control]) as BayesianEstimate;
    expect(even).toMatchObject({ chance_to_win: 0.5, significant: false });
  });

  it("are flipped with the chance where it is the chance to be below", () => {
    const plain = ask(bayesian) as BayesianEstimate;
    const inverse = ask({ ...bayesian, inverse: true } as Settings) as BayesianEstimate;
    expect(inverse.chance_to_win).toBeCloseTo(1 - plain.chance_to_win, 12);
    expect(inverse).toMatchObject({ effect: plain.effect, interval: plain.interval, significant: true });
  });
});

describe("sums at the edge of what can be computed", () => {
  const ratioOf = (n: number, more: Partial<Sample>): Sample => ({ n, sum: 8, sum_squares: 20, ...more });
  const some = valuesOf(100, 5, 4);

  it.each([
    "n",
    "sum",
    "sum_squares",
    "denominator_sum",
    "denominator_sum_squares",
    "numerator_denominator_sum_product",
    "covariate_sum",
    "covariate_sum_squares",
    "covariate_sum_product",
  ])("are impossible where %s is no finite number", (name) => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(impossible("mean", { ...some, [name]: value })).toBe("impossible-data");
      expect(answer("mean", some, { ...some, [name]: value }, fixed)).toBe("impossible-data");
      expect(answer("mean", { ...some, [name]: value }, some, fixed)).toBe("impossible-data");
    }
  });

  it("have a denominator from 1e-10 per unit on", () => {
    const of = (n: number, total: number) =>
      impossible("ratio", ratioOf(n, { denominator_sum: total, denominator_sum_squares: 1 }));
    expect(1e-8 / 100).toBe(1e-10);
    expect(of(100, 1e-8)).toBeNull();
    expect(of(100, -1e-8)).toBeNull();
    expect(of(100, 9.9e-9)).toBe("denominator-zero");
    expect(of(1e6, 1e-5)).toBe("denominator-zero");
  });

  it("of ratios count as 0 where they are missing", () => {
    expect(impossible("ratio", ratioOf(4, { denominator_sum: 4 }))).toBe("negative-variance");
    // Units with a mean of 2 and a variance of 4/3, over a denominator of 1 with a variance of -4/3, covariance -8/3.
    const { mean, variance } = computeMoments("ratio", ratioOf(4, { denominator_sum: 4 }));
    expect(mean).toBe(2);
    expect(variance).toBeCloseTo(4 / 3 + 4 * (-4 / 3) - 2 * 2 * (-8 / 3), 12);
    expect(computeMoments("ratio", ratioOf(4, {})).mean).toBe(Number.POSITIVE_INFINITY);
  });

  it("of a baseline have a lift from 1e-10 on", () => {
    const tiny = (sum: number): Sample => ({ n: 100, sum, sum_squares: 1 });
    expect(answer("mean", tiny(1e-8), some, fixed)).toBe("ok");
    expect(answer("mean", tiny(-1e-8), some, fixed)).toBe("ok");
    expect(answer("mean", tiny(9.9e-9), some, fixed)).toBe("control-mean-zero");
  });

  it("of shares are degenerate within 1e-10 of none or all, and too few before that", () => {
    const of = (sum: number) => answer("funnel", shareOf(5e9, 1e10), shareOf(sum, 1e10), bayesian);
    expect([of(0), of(1), of(4), of(5)]).toEqual([
      "degenerate-proportion",
      "too-few-successes",
      "too-few-successes",
      "ok",
    ]);
    expect([of(1e10), of(1e10 - 1), of(1e10 - 4), of(1e10 - 5)]).toEqual([
      "degenerate-proportion",
      "too-few-failures",
      "too-few-failures",
      "ok",
    ]);
  });

  it("name the baseline's zero before anything else is found wrong with its conversions", () => {
    expect(answer("funnel", shareOf(0, 100), shareOf(50, 100), bayesian)).toBe("control-mean-not-positive");
    expect(answer("funnel", shareOf(0, 100), shareOf(50, 100), absolute(bayesian))).toBe(
      "degenerate-proportion",
    );
  });

  it("of a plain baseline are refused even where adjusting for the past would make them positive", () => {
    const covariate = { covariate_sum_squares: 400, covariate_sum_product: 300 };
    const control = { ...valuesOf(100, -0.1, 4), covariate_sum: -100, ...covariate };
    const variant = { ...valuesOf(100, 3, 4), covariate_sum: 100, ...covariate };
    const settings = { ...bayesian, cuped: "adjusted_means" } as Settings;
    expect(answer("mean", control, variant, settings)).toBe("control-mean-not-positive");
    const shifted = { ...control, sum: 10 };
    expect(compare("mean", shifted, variant, settings)).toMatchObject({ status: "ok" });
  });

  it("that contradict each other are distinguished from those of identical units", () => {
    // The products ask for more covariance than the variances allow.
    const torn: Sample = {
      n: 100,
      sum: 500,
      sum_squares: 2600,
      denominator_sum: 500,
      denominator_sum_squares: 2600,
      numerator_denominator_sum_product: 2900,
    };
    const sound = { ...torn, numerator_denominator_sum_product: 2550 };
    expect(computeMoments("ratio", torn).variance).toBeLessThan(-0.1);
    expect(answer("ratio", sound, sound, fixed)).toBe("ok");
    for (const [control, variant] of [
      [torn, sound],
      [sound, torn],
      [torn, torn],
    ] as const)
      expect(answer("ratio", control, variant, fixed)).toBe("negative-variance");
    // Numerator and denominator differ by a constant factor: below zero by rounding only.
    const constant = (by: number): Sample => ({
      n: 3,
      sum: 0.6 * by,
      sum_squares: 0.14 * by * by,
      denominator_sum: 0.6,
      denominator_sum_squares: 0.14,
      numerator_denominator_sum_product: 0.14 * by,
    });
    const below = Array.from({ length: 200 }, (_, i) => constant(1.1 + i / 7)).filter((sample) => {
      const { variance } = computeMoments("ratio", sample);
      return variance < 0 && variance > -1e-12;
    });
    expect(below.length).toBeGreaterThan(0);
    for (const sample of below) {
      expect(answer("ratio", sample, sample, bayesian)).toBe("zero-variance");
      expect(answer("ratio", sample, sound, bayesian)).toBe("zero-variance");
      expect(answer("ratio", sound, sample, bayesian)).toBe("zero-variance");
      expect(answer("ratio", sample, torn, bayesian)).toBe("negative-variance");
    }
  });

  it("are too large where the variance of a lift overflows", () => {
    const tiny: Sample = { n: 100, sum: 1e-6, sum_squares: 1e100 };
    const huge: Sample = { n: 100, sum: 1e152, sum_squares: 2e302 };
    expect(answer("mean", tiny, huge, fixed)).toBe("values-too-large");
    expect(answer("mean", tiny, huge, absolute(fixed))).toBe("ok");
  });
});

describe("shares by the book", () => {
  it("compare with the pooled z test", () => {
    // 10 and 30 of 100: pooled 0.2, error sqrt(0.16 * 0.02), z 3.5355, two-sided 0.000407.
    const got = compareProportions({ successes: 10, n: 100 }, { successes: 30, n: 100 });
    expect(got.p_value).toBeCloseTo(0.000407, 6);
    const none = { successes: 0, n: 7 };
    expect(compareProportions(none, none)).toMatchObject({ difference: 0, z: 0, p_value: 1 });
  });

  it("give the net promoter score z^2 more answers, half of them in the middle", () => {
    // 1.96^2 = 3.8415: 50.9604 and 20.9604 of 103.8415, so 28.891 and an error of 7.6594.
    const score = netPromoterInterval({ promoters: 50, passives: 30, detractors: 20 });
    expect(score?.standard_error).toBeCloseTo(7.6594, 3);
    expect(score?.interval[0]).toBeCloseTo(28.8902 - 1.959964 * 7.6594, 2);
    expect(score?.interval[1]).toBeCloseTo(28.8902 + 1.959964 * 7.6594, 2);
    const wide = netPromoterInterval({ promoters: 50, passives: 30, detractors: 20 }, 0.99);
    expect(wide?.interval[0]).toBeLessThan(score?.interval[0] ?? -100);
  });
});
