import { normalCritical, normalQuantile, normalUpper } from "./distributions.ts";
import type { Interval } from "./types.ts";

const outside = (level: number) => {
  if (!(level > 0 && level < 1)) throw new RangeError("a level lies between 0 and 1");
  return 1 - level;
};

function assertCounts(successes: number, n: number): void {
  if (!(successes >= 0 && successes <= n)) throw new RangeError(`${successes} of ${n} is not a share`);
}

/**
 * Wilson's score interval of a share: the shares that a z test would not reject.
 * (E. B. Wilson, JASA 22, 1927; recommended by Brown, Cai and DasGupta, Statistical Science 16, 2001.)
 *
 * @param successes at most `n`
 * @param level two-sided, in (0, 1)
 * @returns bounds in [0, 1]; [0, 1] where there are no trials
 * @throws RangeError for impossible counts or levels
 */
export function wilsonInterval(successes: number, n: number, level = 0.95): Interval {
  assertCounts(successes, n);
  const z = normalCritical(outside(level));
  const share = successes / n;
  const z2 = z * z;
  const centre = (share + z2 / (2 * n)) / (1 + z2 / n);
  const margin = (z * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n))) / (1 + z2 / n);
  // At the ends the bound is exact, where there are no trials at both of them.
  return [
    successes === 0 ? 0 : Math.max(0, centre - margin),
    successes === n ? 1 : Math.min(1, centre + margin),
  ];
}

/** How two shares differ. `difference` is second less first. */
export interface ProportionTest {
  readonly difference: number;
  readonly interval: Interval;
  readonly z: number;
  /** Two-sided, with the pooled variance; 1 where both shares are all or nothing alike. */
  readonly p_value: number;
}

/**
 * Compares two independent shares: the pooled z test, and Newcombe's interval of the difference, made of both
 * Wilson intervals (R. G. Newcombe, Statistics in Medicine 17, 1998, method 10).
 *
 * @throws RangeError for impossible counts, or where one side has no trials
 */
export function compareProportions(
  first: { readonly successes: number; readonly n: number },
  second: { readonly successes: number; readonly n: number },
  level = 0.95,
): ProportionTest {
  if (first.n === 0 || second.n === 0) throw new RangeError("nobody on one side: nothing to compare");
  const [a, b] = [first.successes / first.n, second.successes / second.n];
  const [aLow, aHigh] = wilsonInterval(first.successes, first.n, level);
  const [bLow, bHigh] = wilsonInterval(second.successes, second.n, level);
  const pooled = (first.successes + second.successes) / (first.n + second.n);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / first.n + 1 / second.n));
  const z = error > 0 ? (b - a) / error : 0;
  return {
    difference: b - a,
    interval: [b - a - Math.hypot(b - bLow, aHigh - a), b - a + Math.hypot(bHigh - b, a - aLow)],
    z,
    p_value: 2 * normalUpper(Math.abs(z)),
  };
}

/** A mean with its interval, in the unit of the values. */
export interface MeanInterval {
  readonly mean: number;
  readonly interval: Interval;
  readonly standard_error: number;
}

/**
 * Net promoter score in points (-100 to 100) with its interval. The score is the mean of +100, 0 and -100, so
 * its variance is 100^2 (p + d - (p - d)^2) / n. So that the interval does not collapse where all agree, each
 * end of the scale gets z^2/4 imagined answers and the middle z^2/2 (the adjustment of Agresti and Min,
 * Biometrics 61, 2005, for differences of shares of one multinomial).
 *
 * @returns null where nobody answered
 */
export function netPromoterInterval(
  counts: { readonly promoters: number; readonly passives: number; readonly detractors: number },
  level = 0.95,
): MeanInterval | null {
  const { promoters, passives, detractors } = counts;
  if (![promoters, passives, detractors].every((count) => count >= 0))
    throw new RangeError("counts are never negative");
  const n = promoters + passives + detractors;
  if (n === 0) return null;
  const z = normalQuantile(1 - outside(level) / 2);
  const padding = z * z;
  const total = n + padding;
  const [up, down] = [(promoters + padding / 4) / total, (detractors + padding / 4) / total];
  const error = 100 * Math.sqrt((up + down - (up - down) ** 2) / total);
  const centre = 100 * (up - down);
  return {
    mean: (100 * (promoters - detractors)) / n,
    interval: [Math.max(-100, centre - z * error), Math.min(100, centre + z * error)],
    standard_error: error,
  };
}
