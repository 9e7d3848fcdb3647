import { type Moments, type RefusalCode, SAMPLE_TYPES, type Sample, type SampleType } from "./types.ts";

/** A mean denominator smaller than this is none. */
const SMALLEST_DENOMINATOR = 1e-10;

/** Variance over units with n - 1 from sums; 0 of a single unit. */
export const sampleVariance = (n: number, sum: number, squares: number): number =>
  n > 1 ? (squares - (sum * sum) / n) / (n - 1) : 0;

/** Covariance over units with n - 1 from sums; 0 of a single unit. */
export const sampleCovariance = (n: number, x: number, y: number, products: number): number =>
  n > 1 ? (products - (x * y) / n) / (n - 1) : 0;

function ratioMoments(sample: Sample): Moments {
  const { n, sum, sum_squares } = sample;
  const total = sample.denominator_sum ?? 0;
  const squares = sample.denominator_sum_squares ?? 0;
  const products = sample.numerator_denominator_sum_product ?? 0;
  const [m, d] = [sum / n, total / n];
  const covariance = sampleCovariance(n, sum, total, products);
  const variance =
    sampleVariance(n, sum, sum_squares) / d ** 2 +
    (m ** 2 * sampleVariance(n, total, squares)) / d ** 4 -
    (2 * m * covariance) / d ** 3;
  return { n, mean: sum / total, variance };
}

/**
 * A metric's value and the variance of one unit.
 *
 * - mean: sum/n, with n - 1
 * - proportion: p = trunc(sum)/n and p(1 - p)
 * - ratio: R = sum/denominator_sum and, by the delta method with per-unit means M and D,
 *   var(M)/D^2 + M^2 var(D)/D^4 - 2 M cov/D^3 (Deng, Knoblich, Lu, KDD 2018)
 *
 * Numbers come back whatever goes in; `impossible` says whether they mean anything.
 */
export function computeMoments(type: SampleType, sample: Sample): Moments {
  const { n, sum, sum_squares } = sample;
  const { value } = SAMPLE_TYPES[type];
  switch (value) {
    case "ratio":
      return ratioMoments(sample);
    case "proportion": {
      const mean = Math.trunc(sum) / n;
      return { n, mean, variance: mean * (1 - mean) };
    }
    case "mean":
      return { n, mean: sum / n, variance: sampleVariance(n, sum, sum_squares) };
  }
}

/** Squares may fall this far, relatively, below what the sum demands before it is more than rounding. */
const ROUNDING = 1e-12;

const contradict = (n: number, sum: number, squares: number) => squares < ((sum * sum) / n) * (1 - ROUNDING);

const MEMBERS = [
  "n",
  "sum",
  "sum_squares",
  "denominator_sum",
  "denominator_sum_squares",
  "numerator_denominator_sum_product",
  "covariate_sum",
  "covariate_sum_squares",
  "covariate_sum_product",
] as const;

/** Why a sample cannot be reckoned with; null where it can. */
export function impossible(type: SampleType, sample: Sample): RefusalCode | null {
  const { n, sum, sum_squares } = sample;
  if (!MEMBERS.every((name) => Number.isFinite(sample[name] ?? 0)) || n <= 0) return "impossible-data";
  const { value } = SAMPLE_TYPES[type];
  if (value === "proportion") return sum > n || sum < 0 ? "impossible-data" : null;
  if (contradict(n, sum, sum_squares)) return "negative-variance";
  if (value !== "ratio") return null;
  const total = sample.denominator_sum ?? 0;
  if (Math.abs(total / n) < SMALLEST_DENOMINATOR) return "denominator-zero";
  if (contradict(n, total, sample.denominator_sum_squares ?? 0)) return "negative-variance";
  return null;
}
