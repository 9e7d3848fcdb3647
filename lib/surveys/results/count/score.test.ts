import { describe, expect, it } from "vitest";
import { scoreInterval } from "./score.ts";

describe("the interval of a net promoter score", () => {
  it("holds the score, also where all agree", () => {
    for (const [buckets, score] of [
      [{ promoters: 3 }, 100],
      [{ detractors: 3 }, -100],
      [{ promoters: 5, passives: 3, detractors: 2 }, 30],
    ] as const) {
      const [lower = NaN, upper = NaN] = scoreInterval(buckets) ?? [];
      expect(lower).toBeLessThanOrEqual(score);
      expect(upper).toBeGreaterThanOrEqual(score);
      expect(upper - lower).toBeGreaterThan(1);
    }
    expect(scoreInterval({ promoters: 3 })?.[1]).toBe(100);
  });

  it("is none without answers", () => {
    expect([scoreInterval({}), scoreInterval({ promoters: 0, passives: 0, detractors: 0 })]).toEqual([
      null,
      null,
    ]);
  });
});
