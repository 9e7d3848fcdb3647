import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalCdf, normalCritical } from "#lib/engines/statistics/distributions.ts";
import type { Effect } from "#lib/engines/statistics/effect.ts";
import { sequentialHalfWidth } from "#lib/engines/statistics/sequential.ts";
import type { FrequentistSettings, Sample, Settings } from "#lib/engines/statistics/types.ts";
import {
  type PlanInput,
  plannedDifference,
  plannedPower,
  plannedReduction,
  plannedSize,
} from "./planning.ts";
import { powerMeans } from "./power.ts";

const fixed: FrequentistSettings = { method: "frequentist", difference_type: "absolute", alpha: 0.05 };
const relative: FrequentistSettings = { ...fixed, difference_type: "relative" };
const cuped: FrequentistSettings = { ...fixed, cuped: "adjusted_means" };

/** 400 people with a mean of 6 and a variance (over n) of 9. */
const baseline: Sample = { n: 400, sum: 2400, sum_squares: 400 * (36 + 9) };
const shares = { control: 0.3, variant: 0.5 };

const plan = (more: Partial<PlanInput> = {}): PlanInput => ({
  type: "mean",
  baseline,
  isCount: false,
  uncapped_share: 1,
  settings: fixed,
  shares,
  counted_share: 1,
  ...more,
});

const near = (got: number | null | undefined, expected: number, share = 1e-6) =>
  expect(Math.abs((got ?? Number.NaN) / expected - 1), `${got} for ${expected}`).toBeLessThan(share);

function same(got: Effect | null, effect: number, variance: number) {
  near(got?.effect, effect);
  near(got?.variance, variance);
}

describe("the variance that is planned with", () => {
  it("of amounts grows with the square of the effect, each variant's over its share", () => {
    same(plannedDifference(plan(), 0.2), 6 * 0.2, 9 / 0.3 + (1.44 * 9) / 0.5);
    same(plannedDifference(plan(), -0.5), -3, 9 / 0.3 + (0.25 * 9) / 0.5);
    // Of a lift: (r^2 v/s_T + r^2 v/s_C)/m^2.
    same(plannedDifference(plan({ settings: relative }), 0.2), 0.2, (1.44 * 9 * (1 / 0.3 + 1 / 0.5)) / 36);
  });

  it("of counts grows as of events that get likelier", () => {
    // E[Y(Y - 1)] = 45 - 6 grows with the square, E[Y] = 6 plainly.
    const after = 1.44 * 39 + 1.2 * 6 - (1.2 * 6) ** 2;
    same(plannedDifference(plan({ isCount: true }), 0.2), 1.2, 9 / 0.3 + after / 0.5);
  });

  it("of shares is p(1 - p)", () => {
    const of = (type: PlanInput["type"]) =>
      plannedDifference(plan({ type, isCount: true, baseline: { n: 50, sum: 10, sum_squares: 10 } }), 0.5);
    for (const type of ["funnel", "mean_threshold"] as const)
      same(of(type), 0.1, 0.16 / 0.3 + (0.3 * 0.7) / 0.5);
  });

  it("of ratios takes the denominator's spread and what it shares with the numerator", () => {
    // Means 6 and 2, variances 9 and 1, covariance 2: 9/4 + 36/16 - 24/8 = 1.5 around a ratio of 3.
    const sums = { denominator_sum: 800, denominator_sum_squares: 400 * 5 };
    const ratio = { ...baseline, ...sums, numerator_denominator_sum_product: 400 * 14 };
    same(
      plannedDifference(plan({ type: "ratio", baseline: ratio }), 0.2),
      0.6,
      1.5 / 0.3 + (1.44 * 1.5) / 0.5,
    );
  });

  it("is one exposed unit's, of whom only some may count", () => {
    const variance = plannedDifference(plan(), 0.2)?.variance ?? 0;
    near(plannedDifference(plan({ counted_share: 0.25 }), 0.2)?.variance, 4 * variance);
  });

  it("is that of a smaller effect where outliers are capped", () => {
    const ratio = 1.2 ** 0.5;
    same(
      plannedDifference(plan({ uncapped_share: 0.5 }), 0.2),
      6 * (ratio - 1),
      9 / 0.3 + (ratio ** 2 * 9) / 0.5,
    );
  });

  it("is what a covariate leaves, with one theta for both variants", () => {
    // Earlier values with a mean of 10 and a variance of 4 that have a covariance of 3 with the later ones.
    const earlier = {
      covariate_sum: 4000,
      covariate_sum_squares: 400 * 104,
      covariate_sum_product: 400 * 63,
    };
    const input = plan({ baseline: { ...baseline, ...earlier }, settings: cuped });
    near(plannedReduction(input), 9 / 36);
    const theta = (3 * (0.3 + 1.2 * 0.5)) / 0.8 / 4;
    const left = (r: number) => r * r * 9 - 2 * r * theta * 3 + theta ** 2 * 4;
    same(plannedDifference(input, 0.2), 1.2, left(1) / 0.3 + left(1.2) / 0.5);
    expect(plannedReduction(plan({ baseline: { ...baseline, ...earlier } }))).toBeNull();
    expect(plannedReduction(plan({ settings: cuped }))).toBeNull();
    expect(plannedReduction(plan({ type: "ratio", settings: cuped, baseline: input.baseline }))).toBeNull();
  });
});

describe("impossible effects", () => {
  const half: Partial<PlanInput> = { isCount: true, baseline: { n: 50, sum: 25, sum_squares: 25 } };
  const started = { denominator_sum: 50, denominator_sum_squares: 50, numerator_denominator_sum_product: 25 };

  it.each<[string, Partial<PlanInput>, number, boolean]>([
    ["of a share: all", { ...half, type: "funnel" }, 1, false],
    ["of a share: nearly all", { ...half, type: "funnel" }, 0.99, true],
    ["of a threshold: all", { ...half, type: "mean_threshold" }, 1, false],
    [
      "of retention: all",
      { type: "retention", isCount: true, baseline: { n: 50, sum: 25, sum_squares: 25, ...started } },
      1,
      false,
    ],
    [
      "of retention: nearly all",
      { type: "retention", isCount: true, baseline: { n: 50, sum: 25, sum_squares: 25, ...started } },
      0.99,
      true,
    ],
    ["of a mean: as much as one likes", { ...half, type: "mean" }, 9, true],
    ["of a share: nothing left", { ...half, type: "funnel" }, -1, false],
    ["of a mean: nothing left", {}, -1, false],
    ["of a mean: nearly nothing left", {}, -0.99, true],
    ["of what hardly varies", { baseline: { n: 100, sum: 600, sum_squares: 3600 + 2e-9 } }, 0.1, false],
    ["of a level without results", { settings: { ...fixed, alpha: 1 } }, 0.1, false],
  ])("%s", (_, more, effect, isPossible) => {
    expect(plannedDifference(plan(more), effect) !== null).toBe(isPossible);
    expect(plannedPower(plan(more), effect, 10_000) !== null).toBe(isPossible);
    if (!isPossible) expect(plannedSize(plan(more), effect)).toBeNull();
  });
});

describe("the power", () => {
  const effects = fc.double({ min: -0.4, max: 0.8, noNaN: true });
  const totals = fc.integer({ min: 100, max: 20_000 });

  it("of an absolute difference is that of a z test with each variant's own variance", () => {
    fc.assert(
      fc.property(effects, totals, fc.double({ min: 0.2, max: 1, noNaN: true }), (effect, total, counted) => {
        const closed = powerMeans({
          alpha: 0.05,
          allocation_ratio: 5 / 3,
          control_n: total * 0.3 * counted,
          control_sd: 3,
          variant_sd: 3 * (1 + effect),
          difference: 6 * effect,
        });
        expect(plannedPower(plan({ counted_share: counted }), effect, total)).toBeCloseTo(closed, 6);
      }),
    );
  });

  it("of a sequential test counts the units of both variants that count", () => {
    const settings = { ...fixed, sequential: { tuning_parameter: 800 } };
    const got = plannedPower(plan({ settings, counted_share: 0.5 }), 0.1, 2000);
    const z = sequentialHalfWidth(1, 2000 * 0.5 * 0.8, 0.05, 800);
    const shift = 0.6 / Math.sqrt((9 / 0.3 + (1.21 * 9) / 0.5) / 0.5 / 2000);
    expect(got).toBeCloseTo(normalCdf(shift - z) + normalCdf(-shift - z), 6);
  });

  it("of a lift is the chance that the quotient of two normal means lies beyond its limits", () => {
    const even = { control: 0.5, variant: 0.5 };
    const spreads = fc.double({ min: 0.3, max: 8, noNaN: true });
    fc.assert(
      fc.property(effects, totals, spreads, (effect, total, spread) => {
        // Both means have the same coefficient of variation, over the root of their units.
        const error = spread / Math.sqrt(total / 2);
        const sums = { n: 400, sum: 2400, sum_squares: 400 * 36 * (1 + spread ** 2) };
        const step = normalCritical(0.05) * Math.SQRT2 * error;
        // y_T/y_C > r is y_T - r y_C > 0; the limits are where the quotient less 1 is z of its standard errors.
        const beyond = (r: number) => (1 + effect - r) / (error * Math.hypot(1 + effect, r));
        // Beyond a step of 1 no estimate is large enough.
        const above = step < 1 ? normalCdf(beyond(1 / (1 - step))) : 0;
        const below = normalCdf(-beyond(1 / (1 + step)));
        const got = plannedPower(plan({ settings: relative, shares: even, baseline: sums }), effect, total);
        expect(got).toBeCloseTo(above + below, 6);
      }),
    );
  });
});

describe("the size", () => {
  const methods = fc.constantFrom<Settings>(fixed, relative, {
    ...fixed,
    sequential: { tuning_parameter: 500 },
  });

  it("is the smallest that has the power", () => {
    fc.assert(
      fc.property(
        methods,
        fc.double({ min: 0.01, max: 0.5, noNaN: true }),
        fc.double({ min: 0.5, max: 0.95, noNaN: true }),
        (settings, effect, power) => {
          const input = plan({ settings });
          const size = plannedSize(input, effect, power) ?? 0;
          expect(Number.isInteger(size)).toBe(true);
          expect(plannedPower(input, effect, size)).toBeGreaterThanOrEqual(power);
          // 50 people in the smaller variant, of 30%.
          expect(size).toBeGreaterThanOrEqual(167);
          if (size > 167) expect(plannedPower(input, effect, size - 1)).toBeLessThan(power);
        },
      ),
    );
  });

  it("is at least fifty counted people in the smaller variant", () => {
    const sure = { baseline: { n: 400, sum: 2400, sum_squares: 400 * 36.01 } };
    expect(plannedSize(plan(sure), 0.5)).toBe(167);
    expect(plannedSize(plan({ ...sure, counted_share: 0.3 }), 0.5)).toBe(556);
    expect(plannedSize(plan({ ...sure, shares: { control: 0.5, variant: 0.3 } }), 0.5)).toBe(167);
  });

  it("is the least one where that already has the power exactly asked for", () => {
    const power = plannedPower(plan(), 0.3, 167) ?? 0;
    expect(plannedSize(plan(), 0.3, power)).toBe(167);
    expect(plannedSize(plan(), 0.3, power + 1e-9)).toBe(168);
    for (const size of [168, 169, 1000, 4321])
      expect(plannedSize(plan(), 0.05, plannedPower(plan(), 0.05, size) ?? 0)).toBe(size);
  });

  it("is none where a million million people are too few", () => {
    expect(plannedSize(plan(), 1e-7)).toBeNull();
    expect(plannedSize(plan(), 1e-5)).toBeGreaterThan(1e10);
  });
});
