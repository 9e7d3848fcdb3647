import { momentsOf, sampleCovariance, sampleVariance } from "./moments.ts";
import type { CupedReport, MetricType, Moments, Sample } from "./types.ts";

/** A covariate that varies less than this explains nothing; an adjusted variance is at least this. */
const FLOOR = 1e-10;

/** Both variants after the adjustment, and what it did. */
export interface Adjusted {
  readonly control: Moments;
  readonly variant: Moments;
  readonly report: CupedReport;
}

interface Covariates {
  readonly sum: number;
  readonly squares: number;
  readonly products: number;
}

/** The covariate's sums; null where the sample has none. */
function covariatesOf(sample: Sample): Covariates | null {
  const { covariate_sum: sum, covariate_sum_squares: squares, covariate_sum_product: products } = sample;
  if (sum == null || squares == null || products == null) return null;
  return { sum, squares, products };
}

function adjust(
  type: MetricType,
  sample: Sample,
  x: Covariates,
  theta: number,
): { moments: Moments; reduction: number } {
  const { n, sum } = sample;
  const before = momentsOf(type, sample).variance;
  const explained =
    theta ** 2 * sampleVariance(n, x.sum, x.squares) -
    2 * theta * sampleCovariance(n, sum, x.sum, x.products);
  const variance = Math.max(before + explained, FLOOR);
  return {
    moments: { n, mean: sum / n - (theta * x.sum) / n, variance },
    reduction: before > 0 ? 1 - variance / before : 0,
  };
}

/**
 * CUPED: takes out of each unit's value what its value before the exposure foretells, y - theta x, with
 * theta = cov(y, x)/var(x) over both variants together (Deng, Xu, Kohavi, Walker, WSDM 2013).
 *
 * @returns null where the covariate's sums are missing
 */
export function adjustByCovariate(type: MetricType, control: Sample, variant: Sample): Adjusted | null {
  const [c, t] = [covariatesOf(control), covariatesOf(variant)];
  if (!c || !t) return null;
  const n = control.n + variant.n;
  const [y, x] = [control.sum + variant.sum, c.sum + t.sum];
  const spread = sampleVariance(n, x, c.squares + t.squares);
  const theta = spread < FLOOR ? 0 : sampleCovariance(n, y, x, c.products + t.products) / spread;
  const [ofControl, ofVariant] = [adjust(type, control, c, theta), adjust(type, variant, t, theta)];
  return {
    control: ofControl.moments,
    variant: ofVariant.moments,
    report: {
      theta,
      adjusted_variant_mean: ofVariant.moments.mean,
      adjusted_control_mean: ofControl.moments.mean,
      adjusted_variant_variance: ofVariant.moments.variance,
      adjusted_control_variance: ofControl.moments.variance,
      variance_reduction_variant: ofVariant.reduction,
      variance_reduction_control: ofControl.reduction,
    },
  };
}
