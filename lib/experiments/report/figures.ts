import { analyseMetric } from "#lib/engines/statistics/analyse.ts";
import { benjaminiHochberg, evidenceOf, holm } from "#lib/engines/statistics/corrections.ts";
import { computeMoments } from "#lib/engines/statistics/moments.ts";
import { phasedSampleRatio } from "#lib/engines/statistics/sample-ratio.ts";
import { readSettings } from "#lib/engines/statistics/settings.ts";
import type {
  BayesianEstimate,
  FrequentistEstimate,
  Sample,
  Settings,
} from "#lib/engines/statistics/types.ts";
import { describePeeking } from "#lib/engines/statistics/words.ts";
import type {
  DayFigures,
  MetricFigures,
  ReportData,
  ReportDefinitions,
  ReportFigures,
  ReportMetric,
  VariantFigures,
} from "./document.ts";

type Estimate = BayesianEstimate | FrequentistEstimate;

const NOBODY: Sample = { n: 0, sum: 0, sum_squares: 0 };

const finiteOr = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Variants that are compared: all but the baseline, in the flag's order. */
const comparedKeys = ({ variants, baseline }: ReportDefinitions) =>
  variants.map(({ key }) => key).filter((key) => key !== baseline);

interface Drafted {
  readonly metric: MetricFigures;
  readonly role: ReportMetric["role"];
}

function estimateFigures(estimate: Estimate): NonNullable<VariantFigures["estimate"]> {
  const p = evidenceOf(estimate);
  return {
    effect: estimate.effect,
    low: estimate.interval[0],
    high: estimate.interval[1],
    significant: estimate.significant,
    chance_to_win: estimate.method === "bayesian" ? estimate.chance_to_win : null,
    p_value: estimate.method === "frequentist" ? estimate.p_value : null,
    p_two_sided: p,
    p_holm: p,
    p_bh: p,
  };
}

function dayFigures(
  day: string,
  sums: Readonly<Record<string, Sample>>,
  metric: ReportMetric,
  definitions: ReportDefinitions,
  settings: Settings,
): DayFigures {
  const keys = comparedKeys(definitions);
  const { variants } = analyseMetric(
    metric.metric_type,
    sums[definitions.baseline] ?? NOBODY,
    keys.map((key) => sums[key] ?? NOBODY),
    settings,
  );
  const entries = keys.map((key, i) => {
    const estimate = variants[i]?.estimate;
    const [low, high] = estimate?.interval ?? [0, 0];
    return [key, estimate ? { effect: estimate.effect, low, high } : null] as const;
  });
  return { day, variants: Object.fromEntries(entries) };
}

function draft(
  metric: ReportMetric,
  definitions: ReportDefinitions,
  data: ReportData,
  settings: Settings,
): Drafted {
  const sums = data.metrics[metric.id];
  const totals = sums?.totals ?? {};
  const keys = comparedKeys(definitions);
  const baseline = totals[definitions.baseline] ?? NOBODY;
  const samples = keys.map((key) => totals[key] ?? NOBODY);
  const analysis = analyseMetric(metric.metric_type, baseline, samples, settings);
  const variants = keys.map((key, i): VariantFigures => {
    const found = analysis.variants[i];
    return {
      key,
      value: finiteOr(computeMoments(metric.metric_type, samples[i] ?? NOBODY).mean),
      failures: found?.validation_failures ?? [],
      refusal: found?.refusal?.code ?? null,
      estimate: found?.estimate ? estimateFigures(found.estimate) : null,
    };
  });
  return {
    role: metric.role,
    metric: {
      id: metric.id,
      baseline: {
        value: finiteOr(computeMoments(metric.metric_type, baseline).mean),
        failures: analysis.baseline.validation_failures,
      },
      variants,
      days: Object.keys(sums?.days ?? {})
        .sort()
        .map((day) => dayFigures(day, sums?.days[day] ?? {}, metric, definitions, settings)),
    },
  };
}

/** Corrections apply to all variants and metrics of one role: they are one family of comparisons. */
function correct(drafts: readonly Drafted[], role: ReportMetric["role"]): Map<string, [number, number]> {
  const comparisons = drafts
    .filter((each) => each.role === role)
    .flatMap(({ metric }) =>
      metric.variants.flatMap(({ key, estimate }) =>
        estimate ? [{ key: `${metric.id} ${key}`, p: estimate.p_two_sided }] : [],
      ),
    );
  const [strict, mild] = [
    holm(comparisons.map(({ p }) => p)),
    benjaminiHochberg(comparisons.map(({ p }) => p)),
  ];
  return new Map(comparisons.map(({ key }, i) => [key, [strict[i] ?? 1, mild[i] ?? 1]]));
}

function corrected(drafts: readonly Drafted[]): MetricFigures[] {
  const of = { primary: correct(drafts, "primary"), secondary: correct(drafts, "secondary") };
  return drafts.map(({ metric, role }) => ({
    ...metric,
    variants: metric.variants.map((variant) => {
      const [p_holm, p_bh] = of[role].get(`${metric.id} ${variant.key}`) ?? [1, 1];
      return variant.estimate ? { ...variant, estimate: { ...variant.estimate, p_holm, p_bh } } : variant;
    }),
  }));
}

/** Whether units were split as configured; variants that were removed while the experiment ran count nowhere. */
function splitCheckOf({ phases, variants }: ReportDefinitions, { exposures_by_phase }: ReportData) {
  const counted = new Set(variants.map(({ key }) => key));
  return phasedSampleRatio(
    phases.map(({ shares }, i) => ({
      variants: Object.entries(shares)
        .filter(([key]) => counted.has(key))
        .map(([key, rollout_percentage]) => ({ key, rollout_percentage })),
      exposures: exposures_by_phase[i] ?? {},
    })),
  );
}

/**
 * Every number of a report from its data and definitions alone. This is what runs when a sealed report is
 * opened, and what its numbers are compared with.
 */
export function computeFigures(definitions: ReportDefinitions, data: ReportData): ReportFigures {
  const settings = readSettings(definitions.stats_config);
  const { all: ratio, phases } = splitCheckOf(definitions, data);
  const { distinct_looks, actual } = describePeeking(
    data.looks.map(({ total }) => total),
    settings,
  );
  return {
    sample_ratio: ratio && {
      p_value: ratio.p_value,
      mismatch: ratio.mismatch,
      expected: ratio.expected_counts,
      phases: phases.map((found) => found?.p_value ?? null),
    },
    peeking: { distinct_looks, actual },
    metrics: corrected(definitions.metrics.map((metric) => draft(metric, definitions, data, settings))),
  };
}
