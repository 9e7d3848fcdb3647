/**
 * Confidence sequences: intervals that hold at every look at once, so that results may be read daily and the
 * experiment stopped at any of them. They are the asymptotic ones of a normal mixture (Waudby-Smith, Arbour,
 * Sinha, Kennedy, Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences", Annals of
 * Statistics 52, 2024, theorem 2.2), with V the variance of the estimate and n the units of both variants:
 *
 *   rho^2 = (-2 ln a + ln(1 - 2 ln a)) / N,  k = n rho^2 + 1
 *   half-width = sqrt(V n) sqrt(2 k ln(sqrt(k)/a) / (n rho)^2)
 *   p = min(1, sqrt(k) exp(-rho^2 effect^2 n / (2 V k)))
 */

/** Units of both variants at which intervals are tightest, unless the experiment says otherwise. */
export const DEFAULT_TUNING = 5000;

const rhoSquared = (alpha: number, tuning: number) =>
  (-2 * Math.log(alpha) + Math.log(1 - 2 * Math.log(alpha))) / tuning;

/**
 * @param variance of the estimate
 * @param n units of both variants
 * @param tuning units at which the interval is tightest, above 0
 */
export function sequentialHalfWidth(variance: number, n: number, alpha: number, tuning: number): number {
  const rho2 = rhoSquared(alpha, tuning);
  const k = n * rho2 + 1;
  return Math.sqrt(variance * n) * Math.sqrt((2 * k * Math.log(Math.sqrt(k) / alpha)) / (n * n * rho2));
}

/** Always-valid p value; often exactly 1 while there is little data. */
export function sequentialPValue(
  effect: number,
  variance: number,
  n: number,
  alpha: number,
  tuning: number,
): number {
  const rho2 = rhoSquared(alpha, tuning);
  const k = n * rho2 + 1;
  return Math.min(1, Math.sqrt(k) * Math.exp((-rho2 * effect * effect * n) / (2 * variance * k)));
}
