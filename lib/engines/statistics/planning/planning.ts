import { withCovariate } from "#lib/engines/statistics/analyse.ts";
import { differenceOf, settingsRefusal } from "#lib/engines/statistics/compare.ts";
import { normalCdf } from "#lib/engines/statistics/distributions.ts";
import type { Effect } from "#lib/engines/statistics/effect.ts";
import { criticalValue } from "#lib/engines/statistics/peeking.ts";
import { MINIMUM_UNITS } from "#lib/engines/statistics/refusals.ts";
import { SAMPLE_TYPES, type Sample, type SampleType, type Settings } from "#lib/engines/statistics/types.ts";

/** What is known about a metric before an experiment, and how the experiment will be analysed. */
export interface PlanInput {
  readonly type: SampleType;
  /**
   * The metric's sums over stored units, as a result's baseline has them: after winsorising, and with the covariate's
   * sums where CUPED is on. The mean is not 0.
   */
  readonly baseline: Sample;
  /** Whether the value counts things that get likelier (events, conversions); otherwise an effect scales amounts. */
  readonly isCount: boolean;
  /** Share of the value that comes from units whose value is not capped; 1 without winsorising. */
  readonly uncapped_share: number;
  readonly settings: Settings;
  /** Shares of the exposed units that the baseline and the compared variant get, each in (0, 1). */
  readonly shares: { readonly control: number; readonly variant: number };
  /** Share of exposed units that the metric counts: less than 1 for retention, where not everybody starts. */
  readonly counted_share: number;
}

/** Units for which the variance is computed: so many that nothing is lost to whole numbers and n - 1. */
const MANY = 1e9;

/** A variance below this share of the squared mean is rounding. */
const ROUNDING = 1e-12;

/** More units than there are. */
const MOST = 1e12;

const MEMBERS = [
  "denominator_sum",
  "denominator_sum_squares",
  "numerator_denominator_sum_product",
  "covariate_sum",
  "covariate_sum_squares",
  "covariate_sum_product",
] as const;

/**
 * A sample of `n` units that behave like the stored ones after an effect.
 *
 * Amounts are multiplied by the ratio, so that the standard deviation grows with the mean. Of counts, E[Y(Y - 1)]
 * grows with the square of the ratio and E[Y] with the ratio: that is exact for conversions, where p(1 - p) follows,
 * and for events whose rate differs between people (mixed Poisson).
 */
function sampleAt({ baseline, isCount }: PlanInput, ratio: number, n: number): Sample {
  const scale = n / baseline.n;
  const { sum, sum_squares } = baseline;
  const squares = isCount ? ratio ** 2 * (sum_squares - sum) + ratio * sum : ratio ** 2 * sum_squares;
  const others = MEMBERS.flatMap((name) => {
    const value = baseline[name];
    const withEffect = name.endsWith("product") ? ratio : 1;
    return value == null ? [] : [[name, value * scale * withEffect] as const];
  });
  return { n, sum: sum * scale * ratio, sum_squares: squares * scale, ...Object.fromEntries(others) };
}

/** A share of units stays below 1 and nothing falls to 0 or below it. */
function isPossible({ type, baseline }: PlanInput, ratio: number): boolean {
  return ratio > 0 && (!SAMPLE_TYPES[type].isShare || (baseline.sum / baseline.n) * ratio < 1);
}

/**
 * The difference that an effect makes in the results, and the variance of its estimate with one exposed unit in all
 * (with N units it is an Nth of that). Both come from the formulas of the results themselves, so that relative
 * differences, CUPED and each variant's own variance are planned for as they will be computed.
 *
 * Winsorising hides part of an effect: capped values do not grow. With every value multiplied by r the mean of capped
 * values grows by r^e, e being the share of it that is not capped (its elasticity; the caps are quantiles of both
 * variants together and move halfway, which makes errors of first order cancel).
 *
 * @param relative_effect a fraction of the baseline, above -1
 * @returns null where such an effect is impossible, or nothing varies
 */
export function plannedDifference(input: PlanInput, relative_effect: number): Effect | null {
  const { type, shares, counted_share } = input;
  const ratio = (1 + relative_effect) ** input.uncapped_share;
  if (settingsRefusal(input.settings) || !isPossible(input, ratio)) return null;
  const control = sampleAt(input, 1, MANY * shares.control);
  const variant = sampleAt(input, ratio, MANY * shares.variant);
  const settings = withCovariate(input.settings, control, variant);
  const found = differenceOf(type, control, variant, settings);
  if (!found || !(found.control.variance > ROUNDING * found.control.mean ** 2)) return null;
  return { effect: found.effect.effect, variance: (found.effect.variance * MANY) / counted_share };
}

/** Chance of an estimate beyond `limit`, above it or below it, of a quotient around 1 + effect. */
function tailOf(effect: number, error: number, limit: number, side: 1 | -1): number {
  const share = (1 + limit) / (1 + effect);
  return normalCdf((side * (effect - limit)) / (error * Math.sqrt((1 + share ** 2) / 2)));
}

/**
 * The chance that the interval excludes zero. Of an absolute difference the standard error does not depend on the estimate,
 * so that it is that of a z test. That of a relative one is proportional to the estimated quotient r: an estimate is
 * found beyond 1 + R = r with R = z se (1 + R)/(1 + effect), and y_T/y_C > r is y_T - r y_C > 0, whose
 * variance has r where the estimate's has 1 + effect (E. C. Fieller, JRSS B 16, 1954).
 */
function powerWith({ effect, variance }: Effect, input: PlanInput, total: number): number {
  const { shares, counted_share, settings } = input;
  const compared = total * counted_share * (shares.control + shares.variant);
  const error = Math.sqrt(variance / total);
  const limit = criticalValue(compared, settings);
  if (settings.difference_type === "absolute")
    return normalCdf(effect / error - limit) + normalCdf(-effect / error - limit);
  const step = (limit * error) / (1 + effect);
  const above = step < 1 ? tailOf(effect, error, step / (1 - step), 1) : 0;
  return above + tailOf(effect, error, -step / (1 + step), -1);
}

/**
 * The chance that an effect is found, its interval excluding zero, read once with `total` units: confidence, credible
 * or, at that size, sequential. Normal approximation.
 *
 * @param total exposed units of all variants together, above 0
 * @returns null where such an effect is impossible
 */
export function plannedPower(input: PlanInput, relative_effect: number, total: number): number | null {
  const difference = plannedDifference(input, relative_effect);
  return difference && powerWith(difference, input, total);
}

/**
 * Exposed units of all variants together that an effect is found with, with the given chance; at least as many as
 * results are shown from.
 *
 * @param power in (0, 1)
 * @returns null where no number of units is enough
 */
export function plannedSize(input: PlanInput, relative_effect: number, power = 0.8): number | null {
  const difference = plannedDifference(input, relative_effect);
  if (!difference) return null;
  const { shares, counted_share } = input;
  let low = Math.ceil(MINIMUM_UNITS / Math.min(shares.control, shares.variant) / counted_share);
  if (powerWith(difference, input, low) >= power) return low;
  let high = MOST;
  if (powerWith(difference, input, high) < power) return null;
  while (high - low > 1) {
    const middle = Math.floor(Math.sqrt(low * high));
    const next = middle > low ? middle : Math.floor((low + high) / 2);
    if (powerWith(difference, input, next) < power) low = next;
    else high = next;
  }
  return high;
}

/** How much narrower or wider than without them the settings' CUPED makes the estimate: its share of the variance. */
export function plannedReduction(input: PlanInput): number | null {
  const { settings, type } = input;
  const [control, variant] = [sampleAt(input, 1, MANY), sampleAt(input, 1, MANY)];
  const kept = withCovariate(settings, control, variant);
  return differenceOf(type, control, variant, kept)?.report?.variance_reduction ?? null;
}
