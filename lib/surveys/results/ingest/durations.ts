/**
 * Durations of responses: from the first event of a submission to its last, for completed responses with more
 * than one event, in whole tenths of a second.
 */

/** Lower ends of the buckets of the histogram, in seconds. */
const BUCKET_SECONDS = [0, 15, 30, 60, 120, 300, 900, 3_600] as const;

/** The displayed percentiles; 50 is the median. */
const PERCENTS = [10, 25, 50, 75, 90] as const;

/**
 * Widths of the intervals in which durations are counted, in tenths of a second: each divides the previous
 * one, and the first divides every bucket boundary. Values are looked up from the widest to the narrowest.
 */
export const DURATION_WIDTHS = [150, 10, 1] as const;

/** A number of responses by duration: lower end of the interval, in tenths of a second, and how many. */
export type DurationCount = readonly [tenths: number, count: number];

/** A percentile as the two durations next to each other that it is the mean of; mostly both are the same. */
type Percentile = { percent: number; low: number; high: number; count: number };

/** Figures of durations; `buckets` in order, all durations in tenths of a second. */
export type Durations = {
  total: number;
  buckets: { from: number; to: number | null; count: number }[];
  percentiles: Percentile[];
};

/** A duration in milliseconds as tenths of a second, rounded to the nearest. */
export const tenthsOf = (milliseconds: number): number => Math.round(milliseconds / 100);

/** A duration in seconds, as in the API. */
export const secondsOf = (tenths: number): number => tenths / 10;

const totalOf = (counts: readonly DurationCount[]): number => counts.reduce((sum, [, n]) => sum + n, 0);

/**
 * The ranks (from 1) of the sorted values whose mean is a percentile (definition 2 of Hyndman and Fan, 1996:
 * the inverse of the empirical distribution, averaged where it jumps). The 50th is the usual median.
 */
export function ranksOf(percent: number, total: number): [low: number, high: number] {
  const hundredths = percent * total;
  const low = Math.ceil(hundredths / 100);
  return hundredths % 100 === 0 ? [low, low + 1] : [low, low];
}

type Found = { rank: number; value: number; before: number; count: number };

/** The interval that contains the value of a rank, and the number of values before it. */
function intervalAt(sorted: readonly DurationCount[], rank: number): Found | null {
  let before = 0;
  for (const [value, count] of sorted) {
    if (before + count >= rank) return { rank, value, before, count };
    before += count;
  }
  return null;
}

/** Reads counts of intervals of a width: those with these lower ends, or all (null). */
export type ReadCounts = (
  width: number,
  starts: readonly number[] | null,
) => Promise<readonly DurationCount[]>;

const sortedCounts = (counts: readonly DurationCount[]) => counts.toSorted(([a], [b]) => a - b);

/** The values of some ranks, from the widest intervals to single values. */
async function valuesAt(blocks: readonly DurationCount[], ranks: readonly number[], read: ReadCounts) {
  let found = ranks.flatMap((rank) => intervalAt(blocks, rank) ?? []);
  for (const [i, width] of DURATION_WIDTHS.slice(1).entries()) {
    const outer = DURATION_WIDTHS[i] ?? 1;
    const starts = [...new Set(found.map(({ value }) => value))].flatMap((from) =>
      Array.from({ length: outer / width }, (_, place) => from + place * width),
    );
    const counts = sortedCounts(await read(width, starts));
    found = found.flatMap(({ rank, value, before }) => {
      const inside = counts.filter(([from]) => from >= value && from < value + outer);
      const at = intervalAt(inside, rank - before);
      return at ? [{ ...at, rank, before: before + at.before }] : [];
    });
  }
  return new Map(found.map((one) => [one.rank, one]));
}

function bucketsOf(counts: readonly DurationCount[]): Durations["buckets"] {
  return BUCKET_SECONDS.map((seconds, i) => {
    const next = BUCKET_SECONDS[i + 1];
    const [from, to] = [seconds * 10, next === undefined ? null : next * 10];
    return {
      from,
      to,
      count: totalOf(counts.filter(([tenths]) => tenths >= from && (to === null || tenths < to))),
    };
  });
}

const ranksNeeded = (total: number): number[] => [
  ...new Set(PERCENTS.flatMap((percent) => ranksOf(percent, total))),
];

function percentilesOf(total: number, values: ReadonlyMap<number, Found>): Percentile[] {
  return PERCENTS.flatMap((percent) => {
    const [low, high] = ranksOf(percent, total).map((rank) => values.get(rank));
    if (!low || !high) return [];
    const count = low.value === high.value ? low.count : low.count + high.count;
    return [{ percent, low: low.value, high: high.value, count }];
  });
}

/**
 * Buckets and percentiles from stored counts: all of the widest intervals are read, and a few of the others.
 */
export async function readDurations(read: ReadCounts): Promise<Durations> {
  const blocks = sortedCounts(await read(DURATION_WIDTHS[0], null));
  const total = totalOf(blocks);
  const values = total > 0 ? await valuesAt(blocks, ranksNeeded(total), read) : new Map<number, Found>();
  return { total, buckets: bucketsOf(blocks), percentiles: percentilesOf(total, values) };
}

/** The same from the counts of all durations. */
export function durationsOf(counts: readonly DurationCount[]): Durations {
  const sorted = sortedCounts(counts);
  const total = totalOf(sorted);
  const found = total > 0 ? ranksNeeded(total).flatMap((rank) => intervalAt(sorted, rank) ?? []) : [];
  const values = new Map(found.map((one) => [one.rank, one]));
  return { total, buckets: bucketsOf(sorted), percentiles: percentilesOf(total, values) };
}
