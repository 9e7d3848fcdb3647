import { compare, settingsRefusal } from "./compare.ts";
import { MINIMUM_CONVERSIONS, MINIMUM_UNITS } from "./refusals.ts";
import {
  type BayesianEstimate,
  type FrequentistEstimate,
  type Refusal,
  SAMPLE_TYPES,
  type Sample,
  type SampleType,
  type Settings,
  type ValidationFailure,
} from "./types.ts";

/** The result of one variant. Both null: its or the baseline's validation failures are the reason. */
interface VariantAnalysis {
  readonly validation_failures: readonly ValidationFailure[];
  readonly estimate: BayesianEstimate | FrequentistEstimate | null;
  readonly refusal: Refusal | null;
}

/** A metric's result for every variant, in the given order. */
export interface MetricAnalysis {
  readonly settings: Settings;
  /** The settings themselves are impossible: nothing is computed. */
  readonly config_refusal: Refusal | null;
  readonly baseline: { readonly validation_failures: readonly ValidationFailure[] };
  readonly variants: readonly VariantAnalysis[];
}

/** Why a sample cannot be compared, in the API's codes. */
function validate(type: SampleType, sample: Sample, isBaseline: boolean): ValidationFailure[] {
  const failures: ValidationFailure[] = [];
  if (sample.n < MINIMUM_UNITS) failures.push("not-enough-exposures");
  if (SAMPLE_TYPES[type].needsConversions && sample.sum < MINIMUM_CONVERSIONS)
    failures.push("not-enough-metric-data");
  if (isBaseline && sample.sum === 0) failures.push("baseline-mean-is-zero");
  return failures;
}

/** Ratios that cannot be adjusted are compared as they are: CUPED is for values of one unit alone. */
export function withCovariate(settings: Settings, baseline: Sample, variant: Sample): Settings {
  const known = [baseline, variant].every(
    (sample) =>
      sample.covariate_sum != null &&
      sample.covariate_sum_squares != null &&
      sample.covariate_sum_product != null,
  );
  return known ? settings : { ...settings, cuped: null };
}

/**
 * Every variant against the baseline, or why it cannot be compared. A failure of the baseline
 * applies to every variant, a variant's own only to itself.
 */
export function analyseMetric(
  type: SampleType,
  baseline: Sample,
  variants: readonly Sample[],
  settings: Settings,
): MetricAnalysis {
  const config_refusal = settingsRefusal(settings);
  const failures = validate(type, baseline, true);
  const analyse = (variant: Sample): VariantAnalysis => {
    const validation_failures = validate(type, variant, false);
    if (config_refusal || failures.length > 0 || validation_failures.length > 0)
      return { validation_failures, estimate: null, refusal: config_refusal };
    const outcome = compare(type, baseline, variant, withCovariate(settings, baseline, variant));
    return outcome.status === "ok"
      ? { validation_failures, estimate: outcome, refusal: null }
      : { validation_failures, estimate: null, refusal: outcome };
  };
  return {
    settings,
    config_refusal,
    baseline: { validation_failures: failures },
    variants: variants.map(analyse),
  };
}
