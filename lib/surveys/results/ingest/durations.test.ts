import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DurationCount, durationsOf, ranksOf, readDurations, secondsOf, tenthsOf } from "./durations.ts";

/** A percentile by its definition: the values themselves in order, and no counts. */
function byDefinition(values: readonly number[], percent: number): { low: number; high: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const atMost = (value: number) => sorted.filter((one) => one <= value).length * 100;
  const low = sorted.find((value) => atMost(value) >= percent * sorted.length) ?? Number.NaN;
  const later = sorted.find((value) => value > low);
  const exactly = atMost(low) === percent * sorted.length;
  return { low, high: exactly && later !== undefined ? later : low };
}

const counted = (values: readonly number[]): DurationCount[] =>
  [...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]);

/** Counts as the database has them, which are read by width and interval. */
const stored = (values: readonly number[]) => {
  let read = 0;
  const reading = readDurations(async (width, wanted) => {
    const starts = values.map((value) => value - (value % width));
    const found = counted(starts.filter((start) => wanted === null || wanted.includes(start)));
    read += found.length;
    return found;
  });
  return reading.then((durations) => ({ durations, read }));
};

const tenths = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.integer({ min: 140, max: 160 }),
  fc.integer({ min: 0, max: 40_000 }),
  fc.integer({ min: 0, max: 50_000_000_000 }),
);

describe("percentiles of durations", () => {
  it("are those of the sorted values, from all counts and from intervals of several widths", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(tenths, { maxLength: 60 }), async (values) => {
        const all = durationsOf(counted(values));
        expect((await stored(values)).durations).toEqual(all);
        expect(all.total).toBe(values.length);
        expect(all.percentiles.map(({ percent }) => percent)).toEqual(
          values.length > 0 ? [10, 25, 50, 75, 90] : [],
        );
        for (const { percent, low, high, count } of all.percentiles) {
          expect({ low, high }).toEqual(byDefinition(values, percent));
          expect(count).toBe(values.filter((value) => value >= low && value <= high).length);
        }
        for (const { from, to, count } of all.buckets)
          expect(count).toBe(values.filter((v) => v >= from && (to === null || v < to)).length);
      }),
    );
  });

  it.each([
    { values: [167], median: 16.7 },
    { values: [100, 200], median: 15 },
    { values: [100, 100, 200], median: 10 },
    { values: [149, 150, 151], median: 15 },
    { values: [149, 150], median: 14.95 },
    { values: [0, 0, 0, 36_000], median: 0 },
  ])("of $values have $median in the middle", ({ values, median }) => {
    const half = durationsOf(counted(values)).percentiles.find(({ percent }) => percent === 50);
    expect(half && secondsOf((half.low + half.high) / 2)).toBe(median);
  });

  it.each([
    [50, 1, [1, 1]],
    [50, 2, [1, 2]],
    [50, 3, [2, 2]],
    [10, 10, [1, 2]],
    [10, 11, [2, 2]],
    [90, 9, [9, 9]],
    [90, 10, [9, 10]],
    [25, 358, [90, 90]],
  ])("the %i th of %i values rests on the values %j", (percent, total, ranks) => {
    expect(ranksOf(percent, total)).toEqual(ranks);
  });

  it("cost a few rows, however many durations there are", async () => {
    const values = Array.from({ length: 20_000 }, (_, i) => Math.floor((i * i) / 20_000));
    const { read, durations } = await stored(values);
    expect(durations).toEqual(durationsOf(counted(values)));
    expect(read).toBeLessThan(500);
  });
});

it("buckets of durations begin where the one before ends, and the last one has no end", () => {
  const seconds = durationsOf([]).buckets.map(({ from, to }) => [from / 10, to === null ? null : to / 10]);
  expect(seconds).toEqual([
    [0, 15],
    [15, 30],
    [30, 60],
    [60, 120],
    [120, 300],
    [300, 900],
    [900, 3_600],
    [3_600, null],
  ]);
});

describe("a duration", () => {
  it.each([
    [49, 0],
    [50, 1],
    [149, 1],
    [150, 2],
    [14_949, 149],
    [14_950, 150],
    [86_400, 864],
  ])("of %i ms is %i tenths of a second", (milliseconds, rounded) => {
    expect(tenthsOf(milliseconds)).toBe(rounded);
  });
});
