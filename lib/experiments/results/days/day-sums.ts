import type { UnitValue } from "#lib/experiments/metric_kinds/kind.ts";
import type { Totals } from "#lib/experiments/results/units/sums.ts";

const FIELDS = 9;

/** Sums by day: changes are added per day and read as totals at its end. */
export type DaySums = {
  /** Adds (1) or removes (-1) a value on a day. */
  add(day: number, variant: string, step: number, value: UnitValue, sign: 1 | -1): void;
  /** The totals as of the end of each day. */
  byDay(): Totals[][];
};

/** Adds with the rounding error in a second float (Knuth's two-sum), so that the order makes no difference. */
function addTo(sums: Float64Array, at: number, term: number): void {
  const high = sums[at] ?? 0;
  const sum = high + term;
  const part = sum - high;
  sums[at] = sum;
  sums[at + 1] = (sums[at + 1] ?? 0) + (high - (sum - part)) + (term - part);
}

const sumAt = (sums: Float64Array, at: number) => (sums[at] ?? 0) + (sums[at + 1] ?? 0);

const termsOf = ({ value, other, covariate }: UnitValue) => [
  1,
  value,
  value * value,
  other,
  other * other,
  value * other,
  covariate,
  covariate * covariate,
  value * covariate,
];

function totalsOf(variant: string, step: number, sums: Float64Array): Totals {
  const of = (field: number) => sumAt(sums, field * 2);
  return {
    variant,
    step,
    units: of(0),
    value: of(1),
    value_squares: of(2),
    other: of(3),
    other_squares: of(4),
    value_other: of(5),
    covariate: of(6),
    covariate_squares: of(7),
    value_covariate: of(8),
  };
}

/** Sums over so many days. */
export function createDaySums(days: number): DaySums {
  const buckets = new Map<string, { variant: string; step: number; sums: Float64Array }>();
  const width = FIELDS * 2;
  return {
    add(day, variant, step, value, sign) {
      const key = `${step}:${variant}`;
      let bucket = buckets.get(key);
      if (!bucket) {
        bucket = { variant, step, sums: new Float64Array(days * width) };
        buckets.set(key, bucket);
      }
      for (const [field, term] of termsOf(value).entries())
        addTo(bucket.sums, day * width + field * 2, sign * term);
    },
    byDay() {
      const all: Totals[][] = Array.from({ length: days }, () => []);
      for (const { variant, step, sums } of buckets.values()) {
        const running = new Float64Array(width);
        for (let day = 0; day < days; day += 1) {
          for (let field = 0; field < FIELDS; field += 1) {
            addTo(running, field * 2, sums[day * width + field * 2] ?? 0);
            addTo(running, field * 2, sums[day * width + field * 2 + 1] ?? 0);
          }
          all[day]?.push(totalsOf(variant, step, running));
        }
      }
      return all;
    },
  };
}

/** Counts by variant and day, read as what there is at each day's end. */
export function createDayCounts(days: number) {
  const counts = new Map<string, Float64Array>();
  return {
    add(day: number, variant: string, by: number): void {
      const list = counts.get(variant) ?? new Float64Array(days);
      counts.set(variant, list);
      list[day] = (list[day] ?? 0) + by;
    },
    byDay(): Map<string, number>[] {
      const all = Array.from({ length: days }, () => new Map<string, number>());
      for (const [variant, list] of counts) {
        let running = 0;
        for (let day = 0; day < days; day += 1) {
          running += list[day] ?? 0;
          all[day]?.set(variant, running);
        }
      }
      return all;
    },
  };
}
