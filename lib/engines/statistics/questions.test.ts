import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { benjaminiHochberg, correctedChance, holm } from "./corrections.ts";
import { criticalValue, distinctLooks, falsePositiveRate } from "./peeking.ts";
import { compareProportions, netPromoterInterval, wilsonInterval } from "./proportions.ts";
import { MULTIPLE, phasedSampleRatio, sampleRatioMismatch } from "./sample-ratio.ts";
import type { Settings } from "./types.ts";
import { clamp, winsorBounds } from "./winsorise.ts";

const share = fc.double({ min: 0, max: 1, noNaN: true });
const fixed: Settings = { method: "frequentist", difference_type: "relative", alpha: 0.05 };
const bayesian: Settings = { method: "bayesian", difference_type: "relative", ci_level: 0.95 };

describe("several questions", () => {
  // The example of R's p.adjust documentation's formulas, reckoned by hand.
  it("corrects a known family", () => {
    const p = [0.01, 0.04, 0.03, 0.005];
    expect(holm(p).map((x) => Number(x.toFixed(6)))).toEqual([0.03, 0.06, 0.06, 0.02]);
    expect(benjaminiHochberg(p).map((x) => Number(x.toFixed(6)))).toEqual([0.02, 0.04, 0.04, 0.02]);
  });

  it.each([
    ["Holm", holm],
    ["Benjamini-Hochberg", benjaminiHochberg],
  ])("%s never makes a p value smaller, keeps their order and leaves one alone", (_, correct) => {
    fc.assert(
      fc.property(fc.array(share, { maxLength: 30 }), (p) => {
        const adjusted = correct(p);
        p.forEach((value, i) => {
          expect(adjusted[i]).toBeGreaterThanOrEqual(value - 1e-12);
          expect(adjusted[i]).toBeLessThanOrEqual(1);
          p.forEach((other, j) => {
            if (value < other) expect(adjusted[i] ?? 0).toBeLessThanOrEqual((adjusted[j] ?? 0) + 1e-12);
          });
        });
        if (p.length === 1) expect(adjusted).toEqual(p);
      }),
    );
  });

  it("is stricter for any error at all than for a share of errors", () => {
    fc.assert(
      fc.property(fc.array(share, { maxLength: 30 }), (p) => {
        const [strict, mild] = [holm(p), benjaminiHochberg(p)];
        for (const i of p.keys()) expect(strict[i] ?? 0).toBeGreaterThanOrEqual((mild[i] ?? 0) - 1e-12);
      }),
    );
  });

  it("gives a corrected chance on the side of the raw one", () => {
    expect(correctedChance(0.1, 0.98)).toBeCloseTo(0.95, 12);
    expect(correctedChance(0.1, 0.02)).toBeCloseTo(0.05, 12);
  });
});

describe("repeated looks", () => {
  // Armitage, McPherson and Rowe (1969), table 2: evenly spaced looks at 5%.
  it.each([
    [1, 0.05],
    [2, 0.083],
    [3, 0.107],
    [5, 0.142],
    [10, 0.193],
    [20, 0.248],
  ])("%d even looks at 5%% are wrong as tabulated", (looks, rate) => {
    const at = Array.from({ length: looks }, (_, i) => (i + 1) * 1000);
    expect(Math.abs(falsePositiveRate(at, fixed) - rate)).toBeLessThan(0.0006);
  });

  it("starts at 5% with credible intervals of 95%, as intervals exclude zero", () => {
    expect(falsePositiveRate([1000], bayesian)).toBeCloseTo(0.05, 5);
  });

  it("stays below the error rate with sequential intervals, however often one looks", () => {
    const at = Array.from({ length: 60 }, (_, i) => (i + 1) * 400);
    const sequential = { ...fixed, sequential: { tuning_parameter: 5000 } };
    expect(falsePositiveRate(at, sequential)).toBeLessThan(0.05);
    expect(falsePositiveRate(at, fixed)).toBeGreaterThan(0.25);
    expect(criticalValue(5000, sequential)).toBeGreaterThan(criticalValue(5000, fixed));
  });

  it("never rises by looking at the same data and never falls by looking once more", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 50, max: 5000 }), { minLength: 1, maxLength: 6 }), (looks) => {
        const rate = falsePositiveRate(looks, fixed);
        expect(falsePositiveRate([...looks, ...looks], fixed)).toBeCloseTo(rate, 12);
        const later = [...looks, Math.max(...looks) * 2];
        expect(falsePositiveRate(later, fixed)).toBeGreaterThan(rate - 1e-4);
      }),
      { numRuns: 30 },
    );
    expect(distinctLooks([100, 100, 100.5, 200])).toEqual([100, 200]);
    expect(falsePositiveRate([], fixed)).toBe(0);
  });
});

describe("the split of units", () => {
  const even = [
    { key: "control", rollout_percentage: 50 },
    { key: "test", rollout_percentage: 50 },
  ];

  it.each([
    [99, 0, null],
    [60, 39, null],
    [60, 40, 0.0455],
    [100, 0, 1.5e-23],
    [60, 41, 0.0587],
  ])("is judged from a hundred units on: %d and %d", (control, test, p) => {
    const got = sampleRatioMismatch(even, { control, test });
    if (p === null) expect(got).toBeNull();
    else expect(Math.abs((got?.p_value ?? 0) / p - 1)).toBeLessThan(0.05);
  });
});

describe("shares", () => {
  it.each([
    [0, 10, 0, 0.2775327998628892],
    [5, 10, 0.23659309051256394, 0.7634069094874361],
    [81, 263, 0.2552705823989541, 0.3661695543012064],
  ])("%d of %d lies within Wilson's bounds", (successes, n, low, high) => {
    const [lower, upper] = wilsonInterval(successes, n);
    expect(lower).toBeCloseTo(low, 4);
    expect(upper).toBeCloseTo(high, 4);
  });

  it("contains the share and turns round with it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), share, (n, part) => {
        const successes = Math.floor(n * part);
        const [low, high] = wilsonInterval(successes, n);
        expect(low).toBeLessThanOrEqual(successes / n);
        expect(high).toBeGreaterThanOrEqual(successes / n);
        const [other] = wilsonInterval(n - successes, n);
        expect(other).toBeCloseTo(1 - high, 10);
      }),
    );
  });

  it("compares two of them as Newcombe's example does", () => {
    const got = compareProportions({ successes: 48, n: 80 }, { successes: 56, n: 70 });
    expect(got.difference).toBeCloseTo(0.2, 12);
    expect(got.interval[0]).toBeCloseTo(0.0524, 4);
    expect(got.interval[1]).toBeCloseTo(0.3339, 4);
    expect(() => compareProportions({ successes: 0, n: 0 }, { successes: 1, n: 2 })).toThrow(RangeError);
    expect(() => wilsonInterval(3, 2)).toThrow(RangeError);
  });

  it("gives the net promoter score an interval that holds it", () => {
    const got = netPromoterInterval({ promoters: 50, passives: 30, detractors: 20 });
    expect(got?.mean).toBeCloseTo(30, 12);
    expect(got?.interval[0]).toBeLessThan(30);
    expect(got?.interval[1]).toBeGreaterThan(30);
    expect(netPromoterInterval({ promoters: 0, passives: 0, detractors: 0 })).toBeNull();
    const allAgree = netPromoterInterval({ promoters: 4, passives: 0, detractors: 0 });
    expect(allAgree?.interval[0]).toBeLessThan(80);
  });
});

describe("extreme values", () => {
  it("are capped at nearest ranks over everyone", () => {
    const values = Array.from({ length: 100 }, (_, i) => i + 1);
    expect(winsorBounds(values, { lower_bound_percentile: 0.05, upper_bound_percentile: 0.95 })).toEqual({
      low: 5,
      high: 95,
    });
    expect(winsorBounds(values, {})).toEqual({ low: 1, high: 100 });
    expect(winsorBounds([], {})).toBeNull();
  });

  it("leave zeros out for the upper bound alone", () => {
    const values = [...new Array<number>(90).fill(0), 1, 2, 3, 4, 5, 6, 7, 8, 9, 1000];
    expect(winsorBounds(values, { upper_bound_percentile: 0.9 })).toEqual({ low: 0, high: 0 });
    expect(winsorBounds(values, { upper_bound_percentile: 0.9, ignore_zeros: true })).toEqual({
      low: 0,
      high: 9,
    });
    expect(clamp(1000, { low: 0, high: 9 })).toBe(9);
  });
});

describe("who is left out of the check of a split", () => {
  const share = (key: string, rollout_percentage: number) => ({ key, rollout_percentage });

  it("units that saw several variants, variants without a share, and excluded ones", () => {
    expect(MULTIPLE).toBe("$multiple");
    const variants = [share("control", 25), share("test", 75), share("$multiple", 50), share("off", 0)];
    const exposures = { control: 40, test: 80, $multiple: 900, off: 900, gone: 900 };
    const got = sampleRatioMismatch(variants, exposures);
    // 120 units: 30 and 90 expected, 100/30 + 100/90.
    expect(got?.chi_square).toBeCloseTo(100 / 30 + 100 / 90, 12);
    expect(got).toMatchObject({
      degrees_of_freedom: 1,
      expected_counts: { control: 30, test: 90 },
      mismatch: false,
    });
    expect(Object.keys(got?.expected_counts ?? {})).toEqual(["control", "test"]);
    const more = sampleRatioMismatch([...variants, share("bad", 100)], { ...exposures, bad: 5 }, ["bad"]);
    expect(more).toEqual(got);
    expect(sampleRatioMismatch(variants, exposures, ["test"])).toBeNull();
  });

  it("nobody stands for a variant without exposures, whatever it is called", () => {
    const got = sampleRatioMismatch([share("control", 50), share("constructor", 50)], { control: 100 });
    expect(got).toMatchObject({ chi_square: 100, expected_counts: { control: 50, constructor: 50 } });
    expect(got?.mismatch).toBe(true);
  });

  it("phases that cannot be judged, but their units are expected somewhere", () => {
    const even = [share("control", 50), share("test", 50)];
    expect(phasedSampleRatio([])).toEqual({ all: null, phases: [] });
    const small = { variants: even, exposures: { control: 30, test: 20 } };
    expect(phasedSampleRatio([small])).toEqual({ all: null, phases: [null] });
    const large = { variants: even, exposures: { control: 60, test: 40 } };
    const got = phasedSampleRatio([small, large, large]);
    expect(got.phases).toEqual([null, sampleRatioMismatch(even, large.exposures), got.phases[2]]);
    expect(got.all).toMatchObject({
      chi_square: 8,
      degrees_of_freedom: 2,
      expected_counts: { control: 125, test: 125 },
    });
  });
});
