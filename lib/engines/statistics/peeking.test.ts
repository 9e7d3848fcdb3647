import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalCdf, normalCritical, normalDensity, normalUpper } from "./distributions.ts";
import { criticalValue, distinctLooks, falsePositiveRate, falsePositiveRates } from "./peeking.ts";
import { sequentialHalfWidth, sequentialPValue } from "./sequential.ts";
import type { FrequentistSettings, Settings } from "./types.ts";

const fixed: FrequentistSettings = { method: "frequentist", difference_type: "relative", alpha: 0.05 };
const bayesian: Settings = { method: "bayesian", difference_type: "relative", ci_level: 0.95 };
const sequential: Settings = { ...fixed, sequential: { tuning_parameter: 5000 } };

/** The chance that one of two standard normals with this correlation lies outside its bound, by midpoints. */
function outsideEither(correlation: number, first: number, second: number): number {
  const [steps, rest] = [20_000, Math.sqrt(1 - correlation ** 2)];
  const width = (2 * first) / steps;
  let inside = 0;
  for (let i = 0; i < steps; i++) {
    const z = -first + (i + 0.5) * width;
    const [low, high] = [-second, second].map((bound) => (bound - correlation * z) / rest);
    inside += width * normalDensity(z) * (normalCdf(high ?? 0) - normalCdf(low ?? 0));
  }
  return 1 - inside;
}

describe("the chance of a false alarm", () => {
  const methods = fc.constantFrom<Settings[]>(
    fixed,
    bayesian,
    sequential,
    { ...fixed, alpha: 0.3 },
    { ...bayesian, ci_level: 0.6 },
  );

  it("of two looks is that of two normals with the root of the shared part as correlation", () => {
    fc.assert(
      fc.property(
        methods,
        fc.integer({ min: 100, max: 50_000 }),
        fc.double({ min: 1.02, max: 50, noNaN: true }),
        (settings, first, times) => {
          const second = Math.ceil(first * times);
          const expected = outsideEither(
            Math.sqrt(first / second),
            criticalValue(first, settings),
            criticalValue(second, settings),
          );
          const got = falsePositiveRates([second, first], settings);
          expect(got[0]?.rate).toBeCloseTo(2 * normalUpper(criticalValue(first, settings)), 6);
          expect(Math.abs((got[1]?.rate ?? 0) - expected)).toBeLessThan(1e-4);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("of looks that share nothing is that of independent tests", () => {
    const rate = falsePositiveRate([1, 1e9, 1e18], fixed);
    expect(rate).toBeCloseTo(1 - 0.95 ** 3, 4);
  });

  it.each([0.999, 0.9, 0.5, 0.01, 1e-4])("of one look at a level of %d is the level", (alpha) => {
    expect(falsePositiveRate([1000], { ...fixed, alpha })).toBeCloseTo(alpha, 6);
  });

  it("is nothing where an estimate would have to be beyond eight standard errors", () => {
    const settings: Settings = { ...fixed, alpha: 1e-20 };
    expect(criticalValue(1000, settings)).toBeGreaterThan(9);
    for (const rate of [falsePositiveRate([1000], settings), falsePositiveRate([1000, 2000], settings)]) {
      expect(rate).toBeGreaterThanOrEqual(0);
      expect(rate).toBeLessThan(1e-9);
    }
  });

  it("never falls and never exceeds 1, whatever the looks", () => {
    fc.assert(
      fc.property(
        methods,
        fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 7 }),
        (settings, looks) => {
          const rates = falsePositiveRates(looks, settings);
          expect(rates.map(({ n }) => n)).toEqual(distinctLooks(looks));
          rates.forEach(({ rate }, i) => {
            expect(rate).toBeGreaterThanOrEqual(rates[i - 1]?.rate ?? 0);
            expect(rate).toBeLessThanOrEqual(1);
          });
          expect(falsePositiveRate(looks, settings)).toBe(rates.at(-1)?.rate ?? 0);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("looks", () => {
  it("are the same until the units have grown by more than a hundredth", () => {
    expect(distinctLooks([1000, 1010, 1011, 1021, 1022])).toEqual([1000, 1011, 1022]);
    expect(distinctLooks([0, -3, 0.5])).toEqual([0.5]);
    expect(distinctLooks([900, 1000, 90])).toEqual([90, 900, 1000]);
  });
});

describe("critical values", () => {
  it("are the two-sided normal's, of confidence and of credible intervals", () => {
    expect(criticalValue(10, { ...fixed, alpha: 0.01 })).toBeCloseTo(2.5758293, 6);
    expect(criticalValue(10, { ...bayesian, ci_level: 0.99 } as Settings)).toBeCloseTo(2.5758293, 6);
  });

  it("of sequential tests are where the p value equals the level", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 1_000_000 }),
        fc.double({ min: 1e-4, max: 0.5, noNaN: true }),
        fc.integer({ min: 10, max: 100_000 }),
        (n, alpha, tuning_parameter) => {
          const limit = criticalValue(n, { ...fixed, alpha, sequential: { tuning_parameter } });
          expect(sequentialPValue(limit, 1, n, alpha, tuning_parameter)).toBeCloseTo(alpha, 8);
          expect(limit).toBeGreaterThan(normalCritical(alpha));
        },
      ),
    );
  });

  it("of sequential tests are smallest near the units they are tuned for", () => {
    const at = (n: number) => sequentialHalfWidth(1, n, 0.05, 5000);
    for (const n of [50, 500, 50_000, 500_000]) expect(at(n)).toBeGreaterThan(at(5000));
    // The error is in units of the estimate.
    expect(sequentialHalfWidth(9, 5000, 0.05, 5000)).toBeCloseTo(3 * at(5000), 10);
  });

  it("of sequential tests by hand: alpha 0.05, tuned to and read at 1,000 units", () => {
    // rho^2 = (5.9915 + ln 6.9915)/1000 = 0.0079361; k = 8.9361; sqrt(2 k ln(sqrt(k)/a)/(n rho^2)) = 3.0352.
    expect(sequentialHalfWidth(1, 1000, 0.05, 1000)).toBeCloseTo(3.0352, 4);
    expect(sequentialPValue(0, 1, 1000, 0.05, 1000)).toBe(1);
  });
});
