import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  counts,
  funnel,
  type Population,
  retention,
  revenue,
  revenuePerOrder,
} from "#lib/engines/statistics/simulation/people.ts";
import { runTrials, storedOf } from "#lib/engines/statistics/simulation/trials.ts";
import type { DifferenceType, FrequentistSettings, Sample, Settings } from "#lib/engines/statistics/types.ts";
import type { WinsorSettings } from "#lib/engines/statistics/winsorise.ts";
import {
  type PlanInput,
  plannedDifference,
  plannedPower,
  plannedReduction,
  plannedSize,
} from "./planning.ts";
import { sampleSizeMeans, sampleSizeProportions } from "./power.ts";

const fixed: FrequentistSettings = { method: "frequentist", difference_type: "absolute", alpha: 0.05 };
const sequential: Settings = { ...fixed, sequential: { tuning_parameter: 5000 } };
const bayesian: Settings = { method: "bayesian", difference_type: "absolute", ci_level: 0.95 };
const relative = <S extends Settings>(settings: S): S => ({ ...settings, difference_type: "relative" });

const sampleOf = (mean: number, variance: number, n = 1000): Sample => ({
  n,
  sum: n * mean,
  sum_squares: (n - 1) * variance + n * mean * mean,
});

const plan = (more: Partial<PlanInput> = {}): PlanInput => ({
  type: "mean",
  baseline: sampleOf(7.29, 188.7, 100_000),
  isCount: false,
  uncapped_share: 1,
  settings: fixed,
  shares: { control: 0.5, variant: 0.5 },
  counted_share: 1,
  ...more,
});

const sizeOf = (input: PlanInput, effect: number, power?: number) => plannedSize(input, effect, power) ?? 0;
const near = (got: number, expected: number, share: number) =>
  expect(Math.abs(got / expected - 1), `${got} for ${expected}`).toBeLessThan(share);

describe("a plan", () => {
  it("needs fourteen times the people for real revenue that a rule of thumb gives", () => {
    // Mean 7.29, variance 188.7, 10%: 11,148 if the variant varied as the baseline does. Amounts that are 10% larger
    // also vary 10 % more, and a lift over an uncertain baseline is less certain than a difference.
    const closed = { alpha: 0.05, power: 0.8, allocation_ratio: 1, difference: 0.729 };
    const sd = Math.sqrt(188.7);
    near(2 * sampleSizeMeans({ ...closed, control_sd: sd, variant_sd: sd }).control_n, 11_148, 0.001);
    const larger = sampleSizeMeans({ ...closed, control_sd: sd, variant_sd: 1.1 * sd });
    near(sizeOf(plan(), 0.1), 2 * larger.control_n, 0.001);
    near(sizeOf(plan(), 0.1), 12_318, 0.002);
    near(sizeOf(plan({ settings: relative(fixed) }), 0.1), 12_800, 0.01);
    // The 800 people of the rule of thumb find it in one of eight experiments.
    expect(plannedPower(plan(), 0.1, 800)).toBeGreaterThan(0.1);
    expect(plannedPower(plan(), 0.1, 800)).toBeLessThan(0.14);
  });

  it("is the closed form of two conversion rates", () => {
    const input = plan({ type: "funnel", baseline: { n: 2000, sum: 410, sum_squares: 410 }, isCount: true });
    const rates = { control_rate: 0.205, variant_rate: 0.205 * 1.25 };
    const closed = sampleSizeProportions({ ...rates, alpha: 0.05, power: 0.8, allocation_ratio: 1 });
    near(sizeOf(input, 0.25), 2 * closed.control_n, 0.002);
  });

  it.each<[string, Settings]>([
    ["two-sided", fixed],
    ["relative", relative(fixed)],
    ["Bayesian", relative(bayesian)],
    ["sequential", sequential],
  ])("has the power it is made for: %s", (_, settings) => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.02, max: 0.5, noNaN: true }),
        fc.double({ min: 0.5, max: 0.95, noNaN: true }),
        (effect, power) => {
          const input = plan({ settings });
          const size = sizeOf(input, effect, power);
          expect(plannedPower(input, effect, size)).toBeGreaterThanOrEqual(power);
          if (size > 100) expect(plannedPower(input, effect, size - 1)).toBeLessThan(power);
          expect(sizeOf(input, effect * 1.1, power)).toBeLessThanOrEqual(size);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("without an effect finds one as often as the method errs", () => {
    expect(plannedPower(plan(), 0, 10_000)).toBeCloseTo(0.05, 10);
    expect(plannedPower(plan({ settings: relative(fixed) }), 0, 10_000)).toBeCloseTo(0.05, 2);
    expect(plannedPower(plan({ settings: bayesian }), 0, 10_000)).toBeCloseTo(0.05, 10);
    expect(plannedPower(plan({ settings: sequential }), 0, 10_000)).toBeLessThan(0.01);
  });

  it("needs as many people for credible intervals, and more for intervals that hold at every look", () => {
    expect(sizeOf(plan({ settings: bayesian }), 0.1)).toBe(sizeOf(plan(), 0.1));
    expect(sizeOf(plan({ settings: sequential }), 0.1) / sizeOf(plan(), 0.1)).toBeGreaterThan(1.5);
  });

  it("needs fewer people by what CUPED removes, where the covariate is stored", () => {
    const baseline = { ...sampleOf(10, 100, 100_000), covariate_sum: 1_000_000 };
    const x = { covariate_sum_squares: 99_999 * 100 + 1e7, covariate_sum_product: 99_999 * 60 + 1e7 };
    const cuped: Settings = { ...fixed, cuped: "adjusted_means" };
    const with_covariate = plan({ baseline: { ...baseline, ...x }, settings: cuped });
    expect(plannedReduction(with_covariate)).toBeCloseTo(0.36, 4);
    near(sizeOf(with_covariate, 0.05) / sizeOf(plan({ baseline }), 0.05), 0.64, 0.01);
    const without = plan({ baseline: sampleOf(10, 100), settings: cuped });
    expect(plannedReduction(without)).toBeNull();
    expect(sizeOf(without, 0.05)).toBe(sizeOf(plan({ baseline: sampleOf(10, 100) }), 0.05));
  });

  it("needs more people the less even the split is, and as many more as do not count", () => {
    const even = sizeOf(plan(), 0.1);
    expect(sizeOf(plan({ shares: { control: 0.8, variant: 0.2 } }), 0.1)).toBeGreaterThan(1.4 * even);
    near(sizeOf(plan({ shares: { control: 1 / 3, variant: 1 / 3 } }), 0.1), 1.5 * even, 0.001);
    near(sizeOf(plan({ counted_share: 0.25 }), 0.1), 4 * even, 0.001);
  });

  it("never asks for fewer people than results are shown from", () => {
    expect(sizeOf(plan({ baseline: sampleOf(10, 0.1) }), 0.5)).toBe(100);
    expect(sizeOf(plan({ baseline: sampleOf(10, 0.1), shares: { control: 0.9, variant: 0.1 } }), 0.5)).toBe(
      500,
    );
  });

  it.each<[string, Partial<PlanInput>, number]>([
    [
      "a share above 1",
      { type: "funnel", baseline: { n: 100, sum: 80, sum_squares: 80 }, isCount: true },
      0.3,
    ],
    ["less than nothing", {}, -1],
    ["a metric that does not vary", { baseline: { n: 100, sum: 500, sum_squares: 2500 } }, 0.1],
    ["nobody", { baseline: { n: 0, sum: 0, sum_squares: 0 } }, 0.1],
    ["a mean of nothing", { baseline: { n: 100, sum: 0, sum_squares: 0 } }, 0.1],
    ["a level of 1", { settings: { ...fixed, alpha: 0 } }, 0.1],
    ["no effect", {}, 0],
  ])("cannot be made for %s", (_, more, effect) => {
    expect(plannedSize(plan(more), effect)).toBeNull();
  });

  it("grows a capped metric by less than the effect", () => {
    const difference = plannedDifference(plan({ uncapped_share: 0.75, settings: relative(fixed) }), 0.1);
    expect(difference?.effect).toBeCloseTo(1.1 ** 0.75 - 1, 12);
  });
});

/** Of 3,000 experiments of the planned size, as many find the effect as the plan says, within two points. */
const EXPERIMENTS = 3000;
const TWO_POINTS = 0.02;

type Case = [string, Population, DifferenceType, Settings, number, WinsorSettings | null];
const capped: WinsorSettings = { upper_bound_percentile: 0.95 };
const adjusted = <S extends Settings>(settings: S): S => ({ ...settings, cuped: "adjusted_means" });

describe("power that was planned is found in simulated experiments", () => {
  it.each<Case>([
    ["revenue, two-sided", revenue(0.6), "relative", fixed, 0.3, null],
    ["revenue, Bayesian, CUPED and capped", revenue(0.6), "relative", adjusted(bayesian), 0.4, capped],
    ["counts, sequential, CUPED", counts, "relative", adjusted(sequential), 0.25, null],
    ["a funnel, two-sided, CUPED", funnel, "absolute", adjusted(fixed), 0.3, null],
    ["a ratio, sequential", revenuePerOrder, "relative", sequential, 0.15, null],
    ["retention, Bayesian", retention, "relative", bayesian, 0.25, null],
    ["retention that should fall", retention, "relative", fixed, -0.25, null],
  ])("%s", (_, population, difference_type, method, lift, winsor) => {
    const settings = { ...method, difference_type };
    const trial = { population, winsor };
    const input = { ...storedOf(trial, 200_000, 17), settings, shares: { control: 0.5, variant: 0.5 } };
    const half = Math.ceil(sizeOf(input, lift) / 2);
    const shown = plannedPower(input, lift, 2 * half) ?? 0;
    const [got] = runTrials({ ...trial, lift, sizes: [half, half] }, [settings], () => lift, EXPERIMENTS, 23);
    expect(shown).toBeCloseTo(0.8, 2);
    expect(Math.abs((got?.significant.rate ?? 0) - shown)).toBeLessThan(TWO_POINTS);
  });
});
