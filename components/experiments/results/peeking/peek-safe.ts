import type { MetricResult, Results, Row } from "#components/experiments/results/model.ts";
import { analyseMetric } from "#lib/engines/statistics/analyse.ts";
import { benjaminiHochberg, evidenceOf, holm } from "#lib/engines/statistics/corrections.ts";
import { directionOf } from "#lib/engines/statistics/planning/goal.ts";
import { DEFAULT_TUNING } from "#lib/engines/statistics/sequential.ts";
import type { FrequentistSettings, Sample, Settings } from "#lib/engines/statistics/types.ts";
import { METRIC_KINDS } from "#lib/experiments/metric_kinds/metric-kinds.ts";

/** The settings read sequentially: the same error rate, valid at every look. */
export function peekSafeSettings(settings: Settings): FrequentistSettings {
  const alpha = settings.method === "bayesian" ? 1 - settings.ci_level : settings.alpha;
  const { difference_type, cuped = null } = settings;
  return {
    method: "frequentist",
    difference_type,
    alpha,
    cuped,
    sequential: { tuning_parameter: DEFAULT_TUNING },
  };
}

const sampleOf = ({ number_of_samples, ...sums }: Row): Sample => ({ ...sums, n: number_of_samples });

function reread(metric: MetricResult, settings: FrequentistSettings): MetricResult {
  const { baseline, metric_type, goal } = metric;
  if (!baseline || !metric_type) return metric;
  const analysis = analyseMetric(
    METRIC_KINDS[metric_type].statistics,
    sampleOf(baseline),
    metric.variants.map(sampleOf),
    settings,
  );
  const variants = metric.variants.map((row, i): Row => {
    const estimate = analysis.variants[i]?.estimate;
    const refusal = analysis.variants[i]?.refusal;
    if (estimate?.method !== "frequentist")
      return {
        ...row,
        estimate: null,
        refusal: refusal ? { code: refusal.code, reason: refusal.reason } : null,
      };
    const p = evidenceOf(estimate);
    const of = {
      method: "frequentist" as const,
      effect: estimate.effect,
      interval: [...estimate.interval],
      significant: estimate.significant,
      variance: estimate.variance,
      chance_to_win: null,
      p_value: estimate.p_value,
      direction: directionOf(estimate, goal),
      cuped: estimate.cuped && { ...estimate.cuped },
    };
    const uncorrected = {
      p_two_sided: p,
      p_holm: p,
      p_bh: p,
      significant_holm: false,
      significant_bh: false,
    };
    return { ...row, refusal: null, estimate: { ...of, ...uncorrected } };
  });
  return { ...metric, variants };
}

/** Recomputes the corrections of one role. */
function correct(metrics: readonly MetricResult[], alpha: number): MetricResult[] {
  const p = metrics.flatMap(({ variants }) =>
    variants.flatMap(({ estimate }) => (estimate ? [estimate.p_two_sided] : [])),
  );
  const [strict, mild] = [holm(p), benjaminiHochberg(p)];
  let index = 0;
  return metrics.map((metric) => ({
    ...metric,
    variants: metric.variants.map((row) => {
      if (!row.estimate) return row;
      const [p_holm = 1, p_bh = 1] = [strict[index], mild[index]];
      index += 1;
      const significant = { significant_holm: p_holm < alpha, significant_bh: p_bh < alpha };
      return { ...row, estimate: { ...row.estimate, p_holm, p_bh, ...significant } };
    }),
  }));
}

/** The same sums with always-valid intervals, which stay valid despite peeking. */
export function readPeekSafe(results: Results, settings: FrequentistSettings): Results {
  const metrics = results.metrics.map((metric) => reread(metric, settings));
  const of = (role: MetricResult["role"]) =>
    correct(
      metrics.filter((metric) => metric.role === role),
      settings.alpha,
    );
  return { ...results, metrics: [...of("primary"), ...of("secondary")] };
}
