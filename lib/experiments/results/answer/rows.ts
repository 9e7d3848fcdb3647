import { benjaminiHochberg, evidenceOf, holm } from "#lib/engines/statistics/corrections.ts";
import { directionOf } from "#lib/engines/statistics/planning/goal.ts";
import { explainFailure } from "#lib/engines/statistics/refusals.ts";
import { levelOf } from "#lib/engines/statistics/settings.ts";
import type { BayesianEstimate, FrequentistEstimate, Goal } from "#lib/engines/statistics/types.ts";
import type { Analysed } from "#lib/experiments/results/days/result.ts";
import { computeResult, type Figures } from "#lib/experiments/results/days/series.ts";
import type { Prepared, PreparedMetric } from "#lib/experiments/results/prepare.ts";
import type { ResultMetric, ResultRow } from "#lib/experiments/results/result-schema.ts";
import type { VariantSums } from "#lib/experiments/results/units/sums.ts";

type Estimate = BayesianEstimate | FrequentistEstimate;
type Analysis = Analysed["analysis"]["variants"][number];

/** Which way a metric should move. */
export const goalOf = (metric: Pick<PreparedMetric, "metric">): Goal =>
  metric.metric?.goal === "decrease" ? "decrease" : "increase";

function meanOf(sums: VariantSums): number | null {
  const under = sums.denominator_sum ?? sums.number_of_samples;
  return under === 0 ? null : sums.sum / under;
}

const chanceOf = (estimate: Estimate) => (estimate.method === "bayesian" ? estimate.chance_to_win : null);
const pOf = (estimate: Estimate) => (estimate.method === "frequentist" ? estimate.p_value : null);

type Corrected = { holm: number; bh: number };

function estimateOf(estimate: Estimate, corrected: Corrected, goal: Goal, alpha: number) {
  return {
    ...estimate,
    interval: [...estimate.interval],
    cuped: estimate.cuped && { ...estimate.cuped },
    chance_to_win: chanceOf(estimate),
    p_value: pOf(estimate),
    p_two_sided: evidenceOf(estimate),
    p_holm: corrected.holm,
    p_bh: corrected.bh,
    significant_holm: corrected.holm < alpha,
    significant_bh: corrected.bh < alpha,
    direction: directionOf(estimate, goal),
  };
}

function rowOf(
  sums: VariantSums,
  analysis: Pick<Analysis, "validation_failures"> & Partial<Analysis>,
  isBaseline: boolean,
  estimate: ResultRow["estimate"],
): ResultRow {
  const { refusal } = analysis;
  const validation_failures = [...analysis.validation_failures];
  return {
    ...sums,
    value: meanOf(sums),
    validation_failures,
    failures: validation_failures.map((failure) =>
      explainFailure(failure, sums.number_of_samples, sums.sum, isBaseline),
    ),
    refusal: refusal ? { code: refusal.code, reason: refusal.reason } : null,
    estimate,
  };
}

type Computed = { metric: PreparedMetric; analysed: Analysed | null };

/** Corrections of all comparisons of metrics together, by metric and variant. */
function correctionsOf(computed: Computed[]): Map<string, Corrected> {
  const list = computed.flatMap(({ analysed }, m) =>
    (analysed?.analysis.variants ?? []).flatMap(({ estimate }, v) =>
      estimate ? [{ key: `${m}:${v}`, p: evidenceOf(estimate) }] : [],
    ),
  );
  const p = list.map((one) => one.p);
  const [byHolm, byBh] = [holm(p), benjaminiHochberg(p)];
  return new Map(list.map(({ key }, i) => [key, { holm: byHolm[i] ?? 1, bh: byBh[i] ?? 1 }]));
}

function metricRows(
  { metric, analysed }: Computed,
  correctedOf: (variant: number) => Corrected,
  alpha: number,
): ResultMetric {
  const goal = goalOf(metric);
  const variants = (analysed?.variants ?? []).map((sums, v) => {
    const analysis = analysed?.analysis.variants[v];
    if (!analysis) throw new RangeError("A variant was not analysed.");
    const estimate = analysis.estimate && estimateOf(analysis.estimate, correctedOf(v), goal, alpha);
    return rowOf(sums, analysis, false, estimate);
  });
  return {
    role: metric.role,
    uuid: metric.uuid,
    fingerprint: metric.fingerprint,
    name: metric.name,
    saved_metric_id: metric.saved_metric_id,
    metric_type: metric.metric?.metric_type ?? null,
    goal,
    metric: metric.raw,
    problem: metric.problem,
    baseline: analysed ? rowOf(analysed.baseline, analysed.analysis.baseline, true, null) : null,
    variants,
  };
}

/** Every metric with its figures by variant; corrections are over all comparisons of primary, or secondary, ones. */
export function buildMetricRows(prepared: Prepared, figures: Figures | null): ResultMetric[] {
  const alpha = 1 - levelOf(prepared.settings);
  const computed = prepared.metrics.map((metric): Computed => {
    const storedMetric = figures?.storedMetrics.find(
      ({ uuid, fingerprint }) => uuid === metric.uuid && fingerprint === metric.fingerprint,
    );
    if (!storedMetric || !figures) return { metric, analysed: null };
    const totals = figures.totals.get(storedMetric.series.id) ?? [];
    return { metric, analysed: computeResult(prepared, storedMetric, figures.units, totals).analysed };
  });
  return judgeMetrics(computed, alpha);
}

/** Rows of computed metrics, primary ones first, each role corrected for all of its comparisons. */
export function judgeMetrics(computed: readonly Computed[], alpha: number): ResultMetric[] {
  return (["primary", "secondary"] as const).flatMap((role) => {
    const mine = computed.filter(({ metric }) => metric.role === role);
    const corrections = correctionsOf(mine);
    const of = (m: number) => (v: number) => corrections.get(`${m}:${v}`) ?? { holm: 1, bh: 1 };
    return mine.map((one, m) => metricRows(one, of(m), alpha));
  });
}
