import type { PlannedMetric, UnitValue } from "#lib/experiments/metric_kinds/kind.ts";
import { createExactSum, type Decimal, decimalOf, type ExactSum } from "./exact.ts";
import { stepOf } from "./sums.ts";
import { addsNothing } from "./unit.ts";

/** Sums over a variant's units that took so many steps, in the order of the columns, as SQL reads numbers. */
export type TotalChange = { series_id: number; variant: string; step: number; units: number; sums: string[] };

/** value, value², other, other², value·other, covariate, covariate², value·covariate. */
const SUMS = 8;

type Bucket = { series_id: number; variant: string; step: number; units: number; sums: ExactSum[] };

const ZERO: Decimal = { digits: 0, scale: 0 };

function addValue(sums: ExactSum[], { value, other, covariate }: UnitValue, sign: 1 | -1): void {
  const [v, o, c] = [value, other, covariate].map((one) => (one === 0 ? ZERO : decimalOf(one)));
  const put = (index: number, a: Decimal | undefined, b: Decimal | undefined) => {
    if (a && b && a !== ZERO && b !== ZERO) sums[index]?.addProduct(a, b, sign);
  };
  const one = (index: number, a: Decimal | undefined) => {
    if (a && a !== ZERO) sums[index]?.add(a, sign);
  };
  one(0, v);
  put(1, v, v);
  one(2, o);
  put(3, o, o);
  put(4, v, o);
  one(5, c);
  put(6, c, c);
  put(7, v, c);
}

/** What units add to sums and take from them, put together. */
export function createTotalsBuilder() {
  const buckets = new Map<string, Bucket>();
  return {
    /** Adds (1) or removes (-1) what a unit adds to a metric. */
    add(
      series_id: number,
      metric: Pick<PlannedMetric, "type">,
      variant: string,
      value: UnitValue,
      sign: 1 | -1,
    ): void {
      if (addsNothing(value)) return;
      const step = stepOf(metric, value);
      const key = `${series_id}:${step}:${variant}`;
      let bucket = buckets.get(key);
      if (!bucket) {
        bucket = { series_id, variant, step, units: 0, sums: Array.from({ length: SUMS }, createExactSum) };
        buckets.set(key, bucket);
      }
      bucket.units += sign;
      addValue(bucket.sums, value, sign);
    },
    list: (): TotalChange[] =>
      [...buckets.values()].map((bucket) => ({ ...bucket, sums: bucket.sums.map((sum) => sum.text()) })),
  };
}

export type TotalsBuilder = ReturnType<typeof createTotalsBuilder>;
