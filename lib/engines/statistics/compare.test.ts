import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare } from "./compare.ts";
import { isRefusalCode } from "./refusals.ts";
import type {
  BayesianEstimate,
  BayesianSettings,
  FrequentistEstimate,
  FrequentistSettings,
  Sample,
  SampleType,
} from "./types.ts";

const bayesian: BayesianSettings = { method: "bayesian", difference_type: "relative", ci_level: 0.95 };
const frequentist: FrequentistSettings = { method: "frequentist", difference_type: "relative", alpha: 0.05 };
const proportion = (sum: number, n: number): Sample => ({ n, sum, sum_squares: sum });

function ok<T extends BayesianEstimate | FrequentistEstimate>(outcome: { status: string }): T {
  expect(outcome.status).toBe("ok");
  return outcome as T;
}

const ask = (type: SampleType, control: Sample, variant: Sample, settings: FrequentistSettings) =>
  ok<FrequentistEstimate>(compare(type, control, variant, settings));
const askBayes = (type: SampleType, control: Sample, variant: Sample, settings: BayesianSettings) =>
  ok<BayesianEstimate>(compare(type, control, variant, settings));

describe("published examples", () => {
  const t = { n: 2461, sum: 1922.7, sum_squares: 94698.29 };
  const c = { n: 2507, sum: 1196.87, sum_squares: 37377.9767 };

  it("compares means as Welch does", () => {
    const got = ask("mean", c, t, frequentist);
    expect(got.effect).toBeCloseTo(0.63647, 5);
    expect(got.interval[0]).toBeCloseTo(-0.0875, 4);
    expect(got.interval[1]).toBeCloseTo(1.36048, 4);
    expect(got.p_value).toBeCloseTo(0.08488, 5);
    expect(got.degrees_of_freedom).toBeCloseTo(4105.07, 1);
  });

  it("may call a Bayesian result significant whose interval contains zero", () => {
    const got = askBayes("mean", c, t, bayesian);
    expect(got.chance_to_win).toBeCloseTo(0.9576, 5);
    expect(got.interval[0]).toBeLessThan(0);
    expect(got.significant).toBe(true);
  });

  it("compares shares without n - 1", () => {
    const got = ask("funnel", proportion(87, 1529), proportion(62, 1471), frequentist);
    expect(got.effect).toBeCloseTo(-0.25926, 5);
    expect(got.p_value).toBeCloseTo(0.03096, 5);
  });

  it("adjusts by a covariate as the public service does", () => {
    const covariate = { covariate_sum: 1000, covariate_sum_squares: 10_300 };
    const got = askBayes(
      "mean",
      { n: 100, sum: 1000, sum_squares: 10_400, ...covariate, covariate_sum_product: 10_300 },
      { n: 100, sum: 1050, sum_squares: 11_500, ...covariate, covariate_sum_product: 10_800 },
      { ...bayesian, cuped: "public_service" },
    );
    expect(got.effect).toBeCloseTo(0.05, 10);
    expect(got.interval[0]).toBeCloseTo(0.023923, 6);
    expect(got.cuped?.theta).toBeCloseTo(1, 12);
  });

  it("keeps to sequential intervals", () => {
    const sequential = { ...frequentist, sequential: { tuning_parameter: 1000 } };
    const got = ask(
      "mean",
      { n: 3000, sum: 1400, sum_squares: 52_000 },
      { n: 3500, sum: 2500, sum_squares: 135_000 },
      sequential,
    );
    expect(got.interval[0]).toBeCloseTo(-0.5323, 4);
    expect(got.p_value).toBe(1);
  });
});

/** A sample of values that differ. */
const sample = fc
  .record({ n: fc.integer({ min: 60, max: 1e6 }), mean: fc.double({ min: 0.5, max: 100, noNaN: true }) })
  .chain(({ n, mean }) =>
    fc.double({ min: 0.1, max: 50, noNaN: true }).map((sd) => ({
      n,
      sum: n * mean,
      sum_squares: n * (mean * mean + sd * sd),
    })),
  );

const scaled = ({ n, sum, sum_squares }: Sample, by: number): Sample => ({
  n,
  sum: sum * by,
  sum_squares: sum_squares * by * by,
});

const nearly = (got: number, expected: number, scale = 1) =>
  expect(Math.abs(got - expected)).toBeLessThan(1e-7 * Math.max(scale, Math.abs(expected)));

describe("what holds for every comparison", () => {
  it("gives the mirror image when the variants change places, in absolute terms", () => {
    fc.assert(
      fc.property(sample, sample, (a, b) => {
        const settings = { ...frequentist, difference_type: "absolute" } as const;
        const [there, back] = [ask("mean", a, b, settings), ask("mean", b, a, settings)];
        const width = there.interval[1] - there.interval[0];
        nearly(there.effect, -back.effect, width);
        nearly(there.interval[0], -back.interval[1], width);
        nearly(there.p_value, back.p_value);
      }),
    );
  });

  it("does not care for the unit of the values: cents or dollars", () => {
    fc.assert(
      fc.property(sample, sample, fc.double({ min: 0.001, max: 1000, noNaN: true }), (a, b, unit) => {
        const [plain, other] = [
          ask("mean", a, b, frequentist),
          ask("mean", scaled(a, unit), scaled(b, unit), frequentist),
        ];
        nearly(other.effect, plain.effect, plain.interval[1] - plain.interval[0]);
        nearly(other.p_value, plain.p_value);
      }),
    );
  });

  it("rejects exactly when the interval leaves zero out", () => {
    fc.assert(
      fc.property(sample, sample, fc.constantFrom(null, { tuning_parameter: 5000 }), (a, b, sequential) => {
        const got = ask("mean", a, b, { ...frequentist, sequential });
        const excludesZero = got.interval[0] > 0 || got.interval[1] < 0;
        if (Math.abs(got.p_value - 0.05) > 1e-9) expect(excludesZero).toBe(got.significant);
      }),
    );
  });

  it("has a chance to win that is one minus half the p value of the same z test", () => {
    fc.assert(
      fc.property(sample, sample, (a, b) => {
        const [chance, p] = [
          askBayes("mean", a, b, bayesian).chance_to_win,
          ask("mean", a, b, frequentist).p_value,
        ];
        // Welch's tails are a little heavier than the normal's; at 60 units and more by less than 0.01.
        expect(Math.abs(2 * Math.min(chance, 1 - chance) - p)).toBeLessThan(0.01);
      }),
    );
  });

  it("is more certain of a larger lift", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1000, max: 100_000 }),
        fc.integer({ min: 100, max: 400 }),
        fc.integer({ min: 1, max: 100 }),
        (n, per, more) => {
          const at = (rate: number) => proportion(Math.round((n * rate) / 1000), n);
          const [less, greater] = [at(per), at(per + more)].map((variant) =>
            askBayes("funnel", at(250), variant, bayesian),
          );
          expect(greater?.chance_to_win ?? 0).toBeGreaterThanOrEqual(less?.chance_to_win ?? 1);
        },
      ),
    );
  });

  it("narrows with more people, and never by looking at more of the same as sequential ones", () => {
    fc.assert(
      fc.property(sample, sample, (a, b) => {
        const fixed = ask("mean", a, b, frequentist);
        const valid = ask("mean", a, b, { ...frequentist, sequential: { tuning_parameter: 5000 } });
        const width = ({ interval }: FrequentistEstimate) => interval[1] - interval[0];
        expect(width(valid)).toBeGreaterThan(width(fixed));
        const four = (s: Sample) => ({ n: s.n * 4, sum: s.sum * 4, sum_squares: s.sum_squares * 4 });
        expect(width(ask("mean", four(a), four(b), frequentist))).toBeLessThan(width(fixed));
      }),
    );
  });

  it("never throws and never answers with something that is no number", () => {
    const any = fc.record({
      n: fc.double(),
      sum: fc.double(),
      sum_squares: fc.double(),
      denominator_sum: fc.option(fc.double()),
      denominator_sum_squares: fc.option(fc.double()),
      numerator_denominator_sum_product: fc.option(fc.double()),
    });
    const types = fc.constantFrom<SampleType[]>("funnel", "mean", "ratio", "retention", "mean_threshold");
    fc.assert(
      fc.property(types, any, any, fc.constantFrom(bayesian, frequentist), (type, a, b, settings) => {
        const got = compare(type, a, b, settings);
        if (got.status === "refused") expect(isRefusalCode(got.code) && got.reason.length > 20).toBe(true);
        else
          for (const value of [got.effect, got.variance, ...got.interval])
            expect(Number.isNaN(value)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});
