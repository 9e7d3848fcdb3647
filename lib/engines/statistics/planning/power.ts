import { normalCdf, normalCritical, normalQuantile } from "#lib/engines/statistics/distributions.ts";

/**
 * Planning by the normal approximation, two-sided. `allocation_ratio` is variant units per control unit.
 * Sources: Chow, Shao, Wang, "Sample Size Calculations in Clinical Research", chapters 3 and 4. Against the
 * noncentral t the power differs by at most 7e-4.
 */

interface Plan {
  /** Two-sided error rate in (0, 1). */
  readonly alpha: number;
  /** Chance to find the effect if it is there, in (0, 1). */
  readonly power: number;
  readonly allocation_ratio: number;
}

export interface SampleSize {
  readonly control_n: number;
  readonly variant_n: number;
  readonly control_n_before_rounding: number;
  /** Power with the rounded sizes. */
  readonly achieved_power: number;
}

/** Power of a z test of an effect with this standard error: Phi(d/se - z) + Phi(-d/se - z). */
function powerOf(effect: number, standardError: number, alpha: number): number {
  const [shift, z] = [effect / standardError, normalCritical(alpha)];
  return normalCdf(shift - z) + normalCdf(-shift - z);
}

const factor = ({ alpha, power }: Plan) => normalCritical(alpha) + normalQuantile(power);

const bernoulli = (rate: number) => rate * (1 - rate);

/** Standard error of the difference of two means of `n` and `ratio * n` units. */
const errorOf = (control: number, variant: number, n: number, ratio: number) =>
  Math.sqrt(control / n + variant / (ratio * n));

function sampleSize(effect: number, control: number, variant: number, plan: Plan): SampleSize {
  const exact = (factor(plan) ** 2 * (control + variant / plan.allocation_ratio)) / effect ** 2;
  const [control_n, variant_n] = [Math.ceil(exact), Math.ceil(exact * plan.allocation_ratio)];
  const error = Math.sqrt(control / control_n + variant / variant_n);
  return {
    control_n,
    variant_n,
    control_n_before_rounding: exact,
    achieved_power: powerOf(effect, error, plan.alpha),
  };
}

/** Units to find a difference of means with these standard deviations. */
export const sampleSizeMeans = (
  input: Plan & { readonly control_sd: number; readonly variant_sd: number; readonly difference: number },
): SampleSize => sampleSize(input.difference, input.control_sd ** 2, input.variant_sd ** 2, input);

/** Units to find the difference of two conversion rates, variances unpooled. */
export const sampleSizeProportions = (
  input: Plan & { readonly control_rate: number; readonly variant_rate: number },
): SampleSize =>
  sampleSize(
    input.variant_rate - input.control_rate,
    bernoulli(input.control_rate),
    bernoulli(input.variant_rate),
    input,
  );

/** Smallest difference of means that is found with the plan's power. */
export const detectableMeans = (
  input: Plan & { readonly control_sd: number; readonly variant_sd: number; readonly control_n: number },
): number =>
  factor(input) *
  errorOf(input.control_sd ** 2, input.variant_sd ** 2, input.control_n, input.allocation_ratio);

/** Smallest difference of conversion rates that is found, with the baseline's variance in both variants. */
export function detectableProportions(
  input: Plan & { readonly control_rate: number; readonly control_n: number },
): { readonly absolute: number; readonly relative: number } {
  const spread = bernoulli(input.control_rate);
  const absolute = factor(input) * errorOf(spread, spread, input.control_n, input.allocation_ratio);
  return { absolute, relative: absolute / input.control_rate };
}

type Powered = Omit<Plan, "power"> & { readonly control_n: number };

/** Power to find a difference of means. */
export const powerMeans = (
  input: Powered & { readonly control_sd: number; readonly variant_sd: number; readonly difference: number },
): number =>
  powerOf(
    input.difference,
    errorOf(input.control_sd ** 2, input.variant_sd ** 2, input.control_n, input.allocation_ratio),
    input.alpha,
  );

/** Power to find the difference of two conversion rates. */
export const powerProportions = (
  input: Powered & { readonly control_rate: number; readonly variant_rate: number },
): number =>
  powerOf(
    input.variant_rate - input.control_rate,
    errorOf(
      bernoulli(input.control_rate),
      bernoulli(input.variant_rate),
      input.control_n,
      input.allocation_ratio,
    ),
    input.alpha,
  );
