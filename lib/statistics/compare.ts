import { posterior } from "./bayesian.ts";
import { type Adjusted, adjustByCovariate } from "./cuped.ts";
import { effectOf } from "./effect.ts";
import { welchTest } from "./frequentist.ts";
import { impossible, momentsOf } from "./moments.ts";
import { MINIMUM_CONVERSIONS, refuse } from "./refusals.ts";
import type { MetricType, Moments, Outcome, Refusal, RefusalCode, Sample, Settings } from "./types.ts";

/** A baseline nearer to zero than this has no lift in percent; a share this near to 0 or 1 has no spread. */
const NEAR_ZERO = 1e-10;

/** Units per variant below which Welch's test is not asked. */
const FEWEST_UNITS = 5;

/** CUPED is for values of one unit: means, and funnels as their 0 or 1. */
const takesCovariate = (type: MetricType) => type === "mean" || type === "funnel";

function conversionsRefusal(samples: readonly Sample[]): RefusalCode | null {
  for (const { n, sum } of samples) {
    const share = sum / n;
    if (share < NEAR_ZERO || share > 1 - NEAR_ZERO) return "degenerate-proportion";
  }
  if (samples.some(({ sum }) => sum < MINIMUM_CONVERSIONS)) return "too-few-successes";
  if (samples.some(({ n, sum }) => n - sum < MINIMUM_CONVERSIONS)) return "too-few-failures";
  return null;
}

function baselineRefusal(mean: number, settings: Settings): RefusalCode | null {
  if (settings.difference_type !== "relative") return null;
  if (settings.method === "bayesian") return mean > 0 ? null : "control-mean-not-positive";
  return Math.abs(mean) < NEAR_ZERO ? "control-mean-zero" : null;
}

function refusalOf(
  type: MetricType,
  control: Sample,
  variant: Sample,
  settings: Settings,
): RefusalCode | null {
  const wrong = impossible(type, control) ?? impossible(type, variant);
  if (wrong) return wrong;
  if (settings.method === "frequentist" && Math.min(control.n, variant.n) < FEWEST_UNITS)
    return "too-few-units";
  const baseline = baselineRefusal(momentsOf(type, control).mean, settings);
  if (baseline) return baseline;
  const needsConversions = settings.method === "bayesian" && type === "funnel";
  return needsConversions ? conversionsRefusal([control, variant]) : null;
}

const isLevel = (level: number) => level > 0 && level < 1;

/** Whether the settings can be reckoned with at all; null where they can. */
export function settingsRefusal(settings: Settings): Refusal | null {
  const level = settings.method === "bayesian" ? settings.ci_level : settings.alpha;
  return isLevel(level) ? null : refuse("level-out-of-range");
}

/**
 * Compares a variant with control: effect, interval, and chance to win or p value.
 *
 * Only arithmetic stands in its way; whether there is enough data to show the answer is `analyseMetric`'s.
 *
 * @returns a refusal with its reason where the formulas have no answer; never throws
 */
export function compare(type: MetricType, control: Sample, variant: Sample, settings: Settings): Outcome {
  const unusable = settingsRefusal(settings);
  if (unusable) return unusable;
  const code = refusalOf(type, control, variant, settings);
  if (code) return refuse(code);
  const plain = momentsOf(type, control);
  if (!settings.cuped || !takesCovariate(type))
    return conclude(plain, momentsOf(type, variant), plain.mean, settings, null);
  const both = adjustByCovariate(type, control, variant);
  if (!both) return refuse("missing-covariate");
  return conclude(both.control, both.variant, plain.mean, settings, both.report);
}

function conclude(
  control: Moments,
  variant: Moments,
  divisor: number,
  settings: Settings,
  report: Adjusted["report"] | null,
): Outcome {
  if (control.variance < 0 || variant.variance < 0) {
    const rounding = Math.min(control.variance, variant.variance) > -NEAR_ZERO;
    return refuse(rounding ? "zero-variance" : "negative-variance");
  }
  const effect = effectOf(control, variant, settings.difference_type, divisor);
  if (!(effect.variance > 0)) return refuse("zero-variance");
  return settings.method === "bayesian"
    ? posterior(effect, settings, report)
    : welchTest(effect, control, variant, settings, report);
}
