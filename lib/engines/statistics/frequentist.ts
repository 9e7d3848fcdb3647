import { studentCritical, studentTwoSided } from "./distributions.ts";
import type { Effect } from "./effect.ts";
import { sequentialHalfWidth, sequentialPValue } from "./sequential.ts";
import type { CupedReport, FrequentistEstimate, FrequentistSettings, Moments } from "./types.ts";

/** Degrees of freedom of Welch and Satterthwaite (Biometrika 34, 1947), on the metric's own scale. */
function welchDegreesOfFreedom(control: Moments, variant: Moments): number {
  const [c, t] = [control.variance / control.n, variant.variance / variant.n];
  return (t + c) ** 2 / (t ** 2 / (variant.n - 1) + c ** 2 / (control.n - 1));
}

function sequentialTest(
  { effect, variance }: Effect,
  n: number,
  tuning: number,
  alpha: number,
): Pick<FrequentistEstimate, "interval" | "p_value" | "significant"> {
  const margin = sequentialHalfWidth(variance, n, alpha, tuning);
  const p = sequentialPValue(effect, variance, n, alpha, tuning);
  return { interval: [effect - margin, effect + margin], p_value: p, significant: p < alpha };
}

/**
 * Welch's two-sided t test of an effect against zero, or the always-valid test where the settings ask for it.
 *
 * @param observed effect with a positive variance
 */
export function welchTest(
  observed: Effect,
  control: Moments,
  variant: Moments,
  settings: FrequentistSettings,
  cuped: CupedReport | null,
): FrequentistEstimate {
  const { effect, variance } = observed;
  const common = { status: "ok", method: "frequentist", effect, variance, cuped } as const;
  if (settings.sequential) {
    const { tuning_parameter } = settings.sequential;
    const test = sequentialTest(observed, control.n + variant.n, tuning_parameter, settings.alpha);
    return {
      ...common,
      ...test,
      t_statistic: null,
      degrees_of_freedom: null,
      test_type: "sequential_two_sided",
    };
  }
  const error = Math.sqrt(variance);
  const t = effect / error;
  const df = welchDegreesOfFreedom(control, variant);
  const p = studentTwoSided(t, df);
  const margin = studentCritical(settings.alpha, df) * error;
  return {
    ...common,
    interval: [effect - margin, effect + margin],
    p_value: p,
    t_statistic: t,
    degrees_of_freedom: df,
    significant: p < settings.alpha,
    test_type: "two_sided",
  };
}
