import { posterior } from "./bayesian.ts";
import { type Adjusted, adjustByCovariate } from "./cuped.ts";
import { effectOf } from "./effect.ts";
import { welchTest } from "./frequentist.ts";
import { computeMoments, impossible } from "./moments.ts";
import { MINIMUM_CONVERSIONS, refuse } from "./refusals.ts";
import {
  type CupedReport,
  type Outcome,
  type Refusal,
  type RefusalCode,
  SAMPLE_TYPES,
  type Sample,
  type SampleType,
  type Settings,
} from "./types.ts";

/** A baseline nearer to zero than this has no lift in percent; a share this near to 0 or 1 has no spread. */
const NEAR_ZERO = 1e-10;

/** Units per variant below which Welch's test is not run. */
const FEWEST_UNITS = 5;

/** The Bayesian engine takes no sums beyond these: doubles lose whole numbers there. Welch's test has no limit. */
const LARGEST_SUM = 1e15;
const LARGEST_SUM_OF_SQUARES = 1e30;

const isTooLarge = ({ sum, sum_squares }: Sample) =>
  Math.abs(sum) > LARGEST_SUM || sum_squares > LARGEST_SUM_OF_SQUARES;

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
  type: SampleType,
  control: Sample,
  variant: Sample,
  settings: Settings,
): RefusalCode | null {
  const samples = [control, variant];
  const isBayesian = settings.method === "bayesian";
  if (isBayesian && samples.some(isTooLarge)) return "values-too-large";
  const wrong = impossible(type, control) ?? impossible(type, variant);
  if (wrong) return wrong;
  if (!isBayesian && samples.some(({ n }) => n < FEWEST_UNITS)) return "too-few-units";
  const baseline = baselineRefusal(computeMoments(type, control).mean, settings);
  if (baseline) return baseline;
  return isBayesian && SAMPLE_TYPES[type].value === "proportion" ? conversionsRefusal(samples) : null;
}

const isLevel = (level: number) => level > 0 && level < 1;

/** Whether the settings can be reckoned with at all; null where they can. */
export function settingsRefusal(settings: Settings): Refusal | null {
  const level = settings.method === "bayesian" ? settings.ci_level : settings.alpha;
  return isLevel(level) ? null : refuse("level-out-of-range");
}

/** Two variants' values and their difference, before any test. */
export interface Difference extends Omit<Adjusted, "report"> {
  /** Null without CUPED. */
  readonly report: CupedReport | null;
}

/**
 * The arithmetic of a comparison alone, without any check of the numbers.
 *
 * @returns null where CUPED is requested and the covariate's sums are missing
 */
export function differenceOf(
  type: SampleType,
  control: Sample,
  variant: Sample,
  { cuped, difference_type }: Settings,
): Difference | null {
  if (cuped && SAMPLE_TYPES[type].takesCovariate)
    return adjustByCovariate(type, control, variant, difference_type, cuped);
  const [c, t] = [computeMoments(type, control), computeMoments(type, variant)];
  return { control: c, variant: t, divisor: c.mean, effect: effectOf(c, t, difference_type), report: null };
}

/**
 * Compares a variant with control: effect, interval, and chance to win or p value.
 *
 * It refuses only for arithmetic reasons; whether there is enough data to show the answer is `analyseMetric`'s.
 *
 * @returns a refusal with its reason where the formulas have no answer; never throws
 */
export function compare(type: SampleType, control: Sample, variant: Sample, settings: Settings): Outcome {
  const unusable = settingsRefusal(settings);
  if (unusable) return unusable;
  const code = refusalOf(type, control, variant, settings);
  if (code) return refuse(code);
  const found = differenceOf(type, control, variant, settings);
  if (!found) return refuse("missing-covariate");
  const baseline = baselineRefusal(found.divisor, settings);
  return baseline ? refuse(baseline) : conclude(found, settings);
}

function conclude({ control, variant, effect, report }: Difference, settings: Settings): Outcome {
  if (control.variance < 0 || variant.variance < 0) {
    const rounding = Math.min(control.variance, variant.variance) > -NEAR_ZERO;
    return refuse(rounding ? "zero-variance" : "negative-variance");
  }
  if (effect.variance === Number.POSITIVE_INFINITY) return refuse("values-too-large");
  if (!(effect.variance > 0)) return refuse("zero-variance");
  return settings.method === "bayesian"
    ? posterior(effect, settings, report)
    : welchTest(effect, control, variant, settings, report);
}
