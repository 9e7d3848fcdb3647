import { normalCdf, normalCritical, normalDensity, normalUpper } from "./distributions.ts";
import type { Effect } from "./effect.ts";
import type { BayesianEstimate, BayesianSettings, CupedReport, Prior } from "./types.ts";

/** Normal prior times normal likelihood: precisions add, means weigh by them. */
function combine(observed: Effect, prior: Prior | null | undefined): Effect {
  if (!prior?.proper) return observed;
  const [known, seen] = [1 / prior.variance, 1 / observed.variance];
  return {
    effect: (prior.mean * known + observed.effect * seen) / (known + seen),
    variance: 1 / (known + seen),
  };
}

/** E[max(X, 0)] of X ~ N(mean, sd^2): the expected loss of passing by a positive effect. */
function expectedGain(mean: number, sd: number): number {
  const z = mean / sd;
  return Math.max(0, mean * normalCdf(z) + sd * normalDensity(z));
}

/**
 * The posterior of an effect: normal around the estimate, flat prior unless one is given.
 *
 * `significant` is the API's: the chance to win is above the level or below one minus it. That is one-sided at each
 * end: with a level of 95% one of ten experiments without any effect is called significant, and the two-sided interval
 * may contain zero. Verdicts, plans and the ledger of looks ask whether the interval excludes zero.
 *
 * @param observed effect with a positive variance
 */
export function posterior(
  observed: Effect,
  settings: BayesianSettings,
  cuped: CupedReport | null,
): BayesianEstimate {
  const { effect, variance } = combine(observed, settings.prior);
  const sd = Math.sqrt(variance);
  const above = settings.inverse ? normalUpper(effect / sd) : normalCdf(effect / sd);
  const margin = normalCritical(1 - settings.ci_level) * sd;
  return {
    status: "ok",
    method: "bayesian",
    effect,
    interval: [effect - margin, effect + margin],
    variance,
    chance_to_win: above,
    risk_control: expectedGain(effect, sd),
    risk_variant: expectedGain(-effect, sd),
    significant: above > settings.ci_level || above < 1 - settings.ci_level,
    cuped,
  };
}
