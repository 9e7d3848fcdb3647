import type { DifferenceType, Moments } from "./types.ts";

/** An estimated effect and the variance of the estimate. */
export interface Effect {
  readonly effect: number;
  readonly variance: number;
}

/**
 * The effect of a variant over control.
 *
 * - absolute: mT - mC, with sT^2/nT + sC^2/nC
 * - relative: (mT - mC)/mC, with sT^2/(nT mC^2) + mT^2 sC^2/(nC mC^4), the delta method for a quotient of
 *   independent means
 *
 * @param divisor what a relative effect is a share of; the control's mean unless CUPED moved that
 */
export function effectOf(
  control: Moments,
  variant: Moments,
  difference: DifferenceType,
  divisor: number = control.mean,
): Effect {
  const [c, t] = [control.variance / control.n, variant.variance / variant.n];
  const gap = variant.mean - control.mean;
  if (difference === "absolute") return { effect: gap, variance: t + c };
  return { effect: gap / divisor, variance: t / divisor ** 2 + (variant.mean ** 2 * c) / divisor ** 4 };
}
