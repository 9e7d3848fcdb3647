import { describe, expect, it } from "vitest";
import { addPerson, emptySums } from "#lib/engines/statistics/simulation/people.ts";
import { adjustByCovariate } from "./cuped.ts";
import type { CupedEstimator, DifferenceType, Sample, SampleType } from "./types.ts";

/** A person's value and the same before the exposure. */
type Pair = readonly [value: number, before: number];

const sumsOf = (people: readonly Pair[]): Sample => {
  const sums = emptySums();
  for (const [value, before] of people) addPerson(sums, { value, before });
  return sums;
};

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const spread = (values: readonly number[], freedom: number) =>
  (mean(values.map((value) => (value - mean(values)) ** 2)) * values.length) / (values.length - freedom);

function adjust(
  control: readonly Pair[],
  variant: readonly Pair[],
  {
    type = "mean",
    difference = "absolute",
    estimator = "adjusted_means",
  }: { type?: SampleType; difference?: DifferenceType; estimator?: CupedEstimator } = {},
) {
  const found = adjustByCovariate(type, sumsOf(control), sumsOf(variant), difference, estimator);
  if (!found?.report) throw new Error("not adjusted");
  return { ...found, report: found.report };
}

/** theta as the slope of the regression of values on earlier ones, both variants together. */
function slopeOf(people: readonly Pair[]): number {
  const [y, x] = [people.map(([value]) => value), people.map(([, before]) => before)];
  const [my, mx] = [mean(y), mean(x)];
  const products = people.map(([value, before]) => (value - my) * (before - mx));
  return mean(products) / mean(x.map((value) => (value - mx) ** 2));
}

const control: Pair[] = [
  [4, 1],
  [7, 3],
  [5, 2],
  [12, 6],
  [9, 3],
];
const variant: Pair[] = [
  [6, 2],
  [11, 4],
  [8, 2],
  [14, 5],
];
const theta = slopeOf([...control, ...variant]);
const left = (people: readonly Pair[]) => people.map(([value, before]) => value - theta * before);
const common = mean([...control, ...variant].map(([, before]) => before));

describe("adjusted means by hand", () => {
  it("are moved along the regression to the common earlier value", () => {
    const { report, effect, control: c, variant: t, divisor } = adjust(control, variant);
    expect(report.theta).toBeCloseTo(theta, 12);
    expect(report.adjusted_control_mean).toBeCloseTo(mean(left(control)) + theta * common, 12);
    expect(report.adjusted_variant_mean).toBeCloseTo(mean(left(variant)) + theta * common, 12);
    expect(report.adjusted_control_variance).toBeCloseTo(spread(left(control), 1), 12);
    expect(report.adjusted_variant_variance).toBeCloseTo(spread(left(variant), 1), 12);
    expect([c.n, t.n]).toEqual([5, 4]);
    expect(divisor).toBe(report.adjusted_control_mean);
    expect(effect.effect).toBeCloseTo(mean(left(variant)) - mean(left(control)), 12);
    expect(effect.variance).toBeCloseTo(spread(left(control), 1) / 5 + spread(left(variant), 1) / 4, 12);
  });

  it("give a lift over the adjusted control", () => {
    const { report, effect } = adjust(control, variant, { difference: "relative" });
    const ratio = report.adjusted_variant_mean / report.adjusted_control_mean;
    expect(effect.effect).toBeCloseTo(ratio - 1, 12);
    // Each person's part of the quotient's linearisation: y - theta k x of the variant, r y - theta k x of control.
    const k = (5 + 4 * ratio) / 9;
    const parts = (people: readonly Pair[], by: number) =>
      spread(
        people.map(([value, before]) => by * value - theta * k * before),
        1,
      ) / people.length;
    const expected = (parts(variant, 1) + parts(control, ratio)) / report.adjusted_control_mean ** 2;
    expect(effect.variance).toBeCloseTo(expected, 12);
  });

  it("of conversions have the variance over n, as p(1 - p) has", () => {
    const people = (rates: readonly number[]): Pair[] =>
      rates.flatMap((count, i) => Array.from({ length: count }, (): Pair => [i % 2, i < 2 ? 0 : 1]));
    // Neither period, only later, only before, both.
    const [c, t] = [people([40, 10, 8, 12]), people([30, 20, 5, 25])];
    const slope = slopeOf([...c, ...t]);
    const residual = (of: readonly Pair[]) =>
      spread(
        of.map(([value, before]) => value - slope * before),
        0,
      );
    const { report, effect } = adjust(c, t, { type: "funnel" });
    expect(report.theta).toBeCloseTo(slope, 12);
    expect(report.adjusted_control_variance).toBeCloseTo(residual(c), 12);
    expect(report.adjusted_variant_variance).toBeCloseTo(residual(t), 12);
    expect(effect.variance).toBeCloseTo(residual(c) / 70 + residual(t) / 80, 12);
    const share = mean(c.map(([value]) => value));
    expect(report.variance_reduction_control).toBeCloseTo(1 - residual(c) / (share * (1 - share)), 12);
  });
});

describe("the public service's way", () => {
  const publicly = { estimator: "public_service" } as const;

  it("leaves the means where they are moved to, and divides by the plain control", () => {
    const { report, effect, divisor } = adjust(control, variant, { ...publicly, difference: "relative" });
    expect(report.adjusted_control_mean).toBeCloseTo(mean(left(control)), 12);
    expect(report.adjusted_variant_mean).toBeCloseTo(mean(left(variant)), 12);
    expect(divisor).toBe(mean(control.map(([value]) => value)));
    expect(effect.effect).toBeCloseTo((mean(left(variant)) - mean(left(control))) / divisor, 12);
    expect(report.adjusted_control_variance).toBeCloseTo(spread(left(control), 1), 12);
    expect(report.estimator).toBe("public_service");
  });

  it("takes variances of conversions with n - 1 for the covariate alone", () => {
    const c: Pair[] = [...control, ...variant].map(([value, before]) => [
      value > 7 ? 1 : 0,
      before > 2 ? 1 : 0,
    ]);
    const { report } = adjust(c, c, { ...publicly, type: "funnel" });
    const [y, x] = [c.map(([value]) => value), c.map(([, before]) => before)];
    const products = mean(c.map(([value, before]) => (value - mean(y)) * (before - mean(x)))) * (9 / 8);
    const expected = spread(y, 0) + report.theta ** 2 * spread(x, 1) - 2 * report.theta * products;
    expect(report.adjusted_control_variance).toBeCloseTo(expected, 12);
  });
});

describe("a covariate that cannot explain anything", () => {
  const withBefore = (before: (i: number) => number): Pair[] =>
    Array.from({ length: 40 }, (_, i): Pair => [5 + (i % 4), before(i)]);
  const thetaOf = (before: (i: number) => number, estimator: CupedEstimator) =>
    adjust(withBefore(before), withBefore(before), { estimator }).report.theta;

  it.each<[string, (i: number) => number, boolean, boolean]>([
    ["nobody did anything before", () => 0, false, false],
    ["all did the same before", () => 3, false, false],
    ["all did nearly the same, but for rounding", (i) => 1e8 + (i % 4), false, false],
    ["all did a lot, and differ", (i) => 1e3 + (i % 4), true, true],
    ["all did very little, and differ", (i) => 1e-6 * (i % 4), true, false],
    ["people differ", (i) => i % 4, true, true],
  ])("%s", (_, before, isUsed, isUsedPublicly) => {
    expect(thetaOf(before, "adjusted_means") !== 0).toBe(isUsed);
    expect(thetaOf(before, "public_service") !== 0).toBe(isUsedPublicly);
  });

  it("changes neither means nor variances", () => {
    const { report, effect } = adjust(
      withBefore(() => 3),
      withBefore(() => 3),
    );
    expect(report).toMatchObject({ adjusted_control_mean: 6.5, adjusted_variant_mean: 6.5, theta: 0 });
    expect(report.variance_reduction).toBeCloseTo(0, 12);
    expect(effect.effect).toBe(0);
  });

  it("takes nothing away from values that do not vary", () => {
    const still = Array.from({ length: 40 }, (_, i): Pair => [5, i % 4]);
    const { report } = adjust(
      still,
      withBefore((i) => i % 4),
    );
    expect(report.variance_reduction_control).toBe(0);
    expect(adjust(still, still).report).toMatchObject({ theta: 0, variance_reduction: 0 });
  });
});

it("nothing is adjusted where a variant's earlier sums are missing", () => {
  const { covariate_sum: _, ...lacking } = sumsOf(control);
  for (const [c, t] of [
    [lacking, sumsOf(variant)],
    [sumsOf(variant), lacking],
  ] as const)
    expect(adjustByCovariate("mean", c, t, "absolute", "adjusted_means")).toBeNull();
});
