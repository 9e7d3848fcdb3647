import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Sample, SampleType } from "#lib/engines/statistics/types.ts";
import { boundAt, judge } from "./judge.ts";
import type { Stratum } from "./types.ts";

const share = (n: number, sum: number): Sample => ({ n, sum, sum_squares: sum });
const LEVEL = 0.005;
const read = (
  strata: readonly Stratum[],
  margin = 0,
  type: SampleType = "funnel",
  harm: "increase" | "decrease" = "increase",
) => judge({ harm, margin }, { type, strata }, LEVEL);

const counts = fc
  .tuple(fc.integer({ min: 50, max: 100_000 }), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([n, part]) => share(n, Math.floor(n * part)));

describe("a guardrail", () => {
  it.each<[string, Stratum[], string]>([
    [
      "waits for people in both arms",
      [{ control: share(49, 10), treatment: share(9_000, 8_000) }],
      "waiting",
    ],
    ["waits where nobody has a value", [{ control: share(900, 0), treatment: share(900, 0) }], "waiting"],
    [
      "waits where everybody has the same",
      [{ control: share(900, 900), treatment: share(900, 900) }],
      "waiting",
    ],
    ["waits without anybody", [], "waiting"],
    [
      "waits for numbers that are possible",
      [{ control: share(900, 901), treatment: share(900, 1) }],
      "waiting",
    ],
    ["holds where both arms are alike", [{ control: share(900, 90), treatment: share(900, 90) }], "holding"],
    [
      "is breached by what never happened before",
      [{ control: share(2_000, 0), treatment: share(2_000, 60) }],
      "breached",
    ],
    ["holds where that is nothing", [{ control: share(100, 0), treatment: share(900, 9) }], "holding"],
  ])("%s", (_, strata, status) => {
    expect(read(strata).status).toBe(status);
  });

  it("compares within condition sets: different shares of different people are no difference", () => {
    // 10% of the frequent users are treated and 90% of the rare ones; in each set both arms are alike.
    const strata = [
      { control: share(9_000, 4_500), treatment: share(1_000, 500) },
      { control: share(1_000, 50), treatment: share(9_000, 450) },
    ];
    const verdict = read(strata, 0, "funnel", "decrease");
    expect(verdict.status).toBe("holding");
    expect(verdict.change).toBeCloseTo(0, 12);
  });

  it("is breached exactly where its interval is beyond the margin, in the direction of harm alone", () => {
    fc.assert(
      fc.property(
        counts,
        counts,
        fc.double({ min: 0, max: 0.5, noNaN: true }),
        (control, treatment, margin) => {
          const [up, down] = [
            read([{ control, treatment }], margin),
            read([{ control, treatment }], margin, "funnel", "decrease"),
          ];
          const [low, high] = up.interval;
          expect(up.status === "breached").toBe(low !== null && low > margin);
          expect(down.status === "breached").toBe(high !== null && high < -margin);
          if (low !== null && up.change !== null) expect(low).toBeLessThanOrEqual(up.change);
          if (high !== null && up.change !== null) expect(high).toBeGreaterThanOrEqual(up.change);
        },
      ),
    );
  });

  it("has the bound of the formula: level 0.005, information 100", () => {
    // 100 * 0.25 = 25; 2 * (1 + 1/25) * ln(1 + sqrt(26) / 0.01) = 12.9707.
    expect(boundAt(100, LEVEL)).toBeCloseTo(Math.sqrt(2.08 * Math.log(1 + Math.sqrt(26) / 0.01)), 12);
    expect(boundAt(100, LEVEL)).toBeCloseTo(3.602, 3);
  });

  it("bounds changes as Fieller does: the ends solve the equation that defines them", () => {
    const [control, treatment] = [share(4_000, 800), share(1_000, 260)];
    const { interval } = read([{ control, treatment }]);
    const pooled = (1_060 / 5_000) * (1 - 1_060 / 5_000);
    const [v, w] = [Math.max(0.26 * 0.74, pooled) / 1_000, Math.max(0.2 * 0.8, pooled) / 4_000];
    const bound = boundAt((1_060 / 5_000) ** 2 / (v + w), LEVEL);
    for (const end of interval) {
      const r = 1 + (end ?? Number.NaN);
      expect(Math.abs(0.26 - r * 0.2) / Math.sqrt(v + r * r * w)).toBeCloseTo(bound, 9);
    }
  });

  it("takes means and ratios as it takes shares", () => {
    const mean = (n: number, each: number): Sample => ({
      n,
      sum: n * each,
      sum_squares: n * (each * each + 4),
    });
    const verdict = read([{ control: mean(2_000, 10), treatment: mean(2_000, 9) }], 0, "mean", "decrease");
    expect(verdict).toMatchObject({ status: "breached", control: 10, treatment: 9 });
    expect(verdict.change).toBeCloseTo(-0.1);
    const ratio = (n: number, each: number): Sample => ({
      ...mean(n, 2 * each),
      denominator_sum: 2 * n,
      denominator_sum_squares: 5 * n,
      numerator_denominator_sum_product: 4 * n * each,
    });
    expect(read([{ control: ratio(3_000, 10), treatment: ratio(3_000, 12) }], 0.05, "ratio")).toMatchObject({
      status: "breached",
      control: 10,
      treatment: 12,
    });
  });
});
