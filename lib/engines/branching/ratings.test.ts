import { describe, expect, it } from "vitest";
import { ratingOf, summarizeHistogram, summarizeRatings } from "./ratings.ts";

describe("the number of an answer", () => {
  it.each<[unknown, number | null]>([
    [0, 0],
    [-3, -3],
    [1000, 1000],
    [2.5, null],
    [Number.NaN, null],
    ["0", 0],
    ["07", 7],
    ["999", 999],
    ["1000", null],
    ["-1", null],
    ["1.0", null],
    [" 1", null],
    ["1 ", null],
    ["", null],
    [null, null],
    [undefined, null],
    [true, null],
    [[3], null],
  ])("of %j is %j", (response, expected) => {
    expect(ratingOf(response)).toBe(expected);
  });
});

describe("the summary of a rating", () => {
  it("counts answers by value and bucket, with their mean, median and spread", () => {
    // 1, 2, 2, 4, 5: the sum is 14, and of the squares 50, so that the variance is (50 - 14² / 5) / 4.
    expect(summarizeRatings(5, [1, "2", 2, 4, 5, 0, 6, 2.5, "", null])).toEqual({
      total: 5,
      ignored: 5,
      first_value: 1,
      histogram: [1, 2, 0, 1, 1],
      buckets: { negative: 3, neutral: 0, positive: 2 },
      bucket_percent: { negative: 60, neutral: 0, positive: 40 },
      mean: 2.8,
      median: 2,
      sample_variance: 2.7,
    });
  });

  it("has only the scale without answers", () => {
    expect(summarizeRatings(3, [])).toEqual({
      total: 0,
      ignored: 0,
      first_value: 1,
      histogram: [0, 0, 0],
      buckets: { negative: 0, neutral: 0, positive: 0 },
      bucket_percent: null,
      mean: null,
      median: null,
      sample_variance: null,
    });
  });

  it("has no variance with a single answer", () => {
    expect(summarizeRatings(7, [6])).toMatchObject({ mean: 6, median: 6, sample_variance: null });
    expect(summarizeRatings(7, [6, 6])).toMatchObject({ mean: 6, median: 6, sample_variance: 0 });
  });

  it.each<[number[], number]>([
    [[1, 2, 3], 2],
    [[1, 3], 2],
    [[1, 2], 1.5],
    [[5, 1, 5, 5], 5],
    [[1, 1, 5, 5], 3],
    [[1, 1, 1, 5, 5], 1],
    [[2, 2, 3, 3, 4, 5], 3],
  ])("of %j has the median %d", (answers, median) => {
    expect(summarizeRatings(5, answers).median).toBe(median);
  });

  it.each<[unknown[], number, string]>([
    [[], 0, "0.0"],
    [[10, 9], 100, "100.0"],
    [[0, 6], -100, "-100.0"],
    [[7, 8], 0, "0.0"],
    [[9, 7, 6], 0, "0.0"],
    [[10, 10, 3], 100 / 3, "33.3"],
    [[10, 6, 6], -100 / 3, "-33.3"],
  ])("from 0 to 10, of %j has the net promoter score %d", (answers, nps, text) => {
    const summary = summarizeRatings(10, answers);
    expect([summary.nps, summary.nps_text]).toEqual([nps, text]);
    expect(summary.first_value).toBe(0);
  });

  it("has a net promoter score of no other scale", () => {
    for (const scale of [2, 3, 5, 7])
      for (const name of ["nps", "nps_text"]) expect(summarizeRatings(scale, [1])).not.toHaveProperty(name);
  });

  it("is the same from counts as from answers", () => {
    const histogram = [3, 0, 1, 0, 0, 0, 2, 4, 0, 1, 5];
    const answers = histogram.flatMap((count, value) => new Array<number>(count).fill(value));
    expect(summarizeHistogram(10, histogram, 2)).toEqual(summarizeRatings(10, [...answers, null, 11]));
    expect(summarizeHistogram(10, histogram).ignored).toBe(0);
  });

  it("is in no bucket beyond the scale's end", () => {
    expect(summarizeHistogram(2, [1, 2, 4]).buckets).toEqual({ positive: 1, negative: 2 });
  });

  it.each([0, 1, 4, 11])("has no scale of %d", (scale) => {
    const message = `${scale} is not a scale of ratings.`;
    expect(() => summarizeRatings(scale, [])).toThrow(new RangeError(message));
    expect(() => summarizeHistogram(scale, [1])).toThrow(new RangeError(message));
  });
});
