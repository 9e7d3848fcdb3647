import type { Sample } from "#lib/engines/statistics/types.ts";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import { METRIC_KINDS } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import type { MetricType } from "#lib/experiments/metric_kinds/metric-schema.ts";
import type {
  ExperimentResults,
  Look,
  ResultMetric,
  ResultRow,
} from "#lib/experiments/results/result-schema.ts";
import type {
  MetricFigures,
  ReportData,
  ReportDefinitions,
  ReportDocument,
  ReportFigures,
  ReportMetric,
  ReportPlan,
  ReportSums,
} from "./document.ts";
import { computeSeals } from "./seal.ts";
import { type Day, type StoredDays, sampleOf, storedDays } from "./stored-days.ts";

/** What a report says of the experiment's record. */
interface ReportedExperiment {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly feature_flag_key: string;
  readonly start_date: string | null;
  readonly end_date: string | null;
  readonly conclusion: string | null;
  readonly conclusion_comment: string | null;
  readonly shipped_variant: string | null;
  readonly concluded_at: string | null;
  readonly launch_plan: ExperimentRecord["launch_plan"];
  readonly stats_config: unknown;
  readonly exposure_criteria: unknown;
}

/** Everything that the service shows of an experiment, at one moment. */
export interface Shown {
  readonly experiment: ReportedExperiment;
  readonly results: ExperimentResults;
  /** Stored days by `idOf` of the metric. */
  readonly days: ReadonlyMap<string, StoredDays>;
  readonly looks: readonly Look[];
  readonly peeking: ReportFigures["peeking"];
}

/** Id of a metric: a saved metric may be primary and secondary at once. */
export const idOf = ({ role, uuid }: Pick<ResultMetric, "role" | "uuid">): string => `${role}:${uuid}`;

type Sealable = ResultMetric & { metric_type: MetricType };

/** Metrics that have figures: the others have nothing to seal. */
export const sealable = (results: ExperimentResults): Sealable[] =>
  results.metrics.filter(
    (metric): metric is Sealable =>
      !metric.problem && metric.metric_type !== null && metric.baseline !== null,
  );

/** The plan at launch; of people it names no more than their addresses. */
const planOf = ({
  launched_at,
  description,
  metrics,
  stats_config,
  changes,
}: NonNullable<ExperimentRecord["launch_plan"]>): ReportPlan => ({
  launched_at,
  description,
  metrics,
  stats_config,
  changes: changes.map(({ field, at, by }) => ({ field, at, by: by?.email ?? null })),
});

function definitionsOf({ experiment, results }: Shown): ReportDefinitions {
  const metrics = sealable(results).map(
    (metric): ReportMetric => ({
      id: idOf(metric),
      role: metric.role,
      name: metric.name,
      metric_type: METRIC_KINDS[metric.metric_type].statistics,
      goal: metric.goal,
      definition: metric.metric,
    }),
  );
  return {
    experiment: {
      id: experiment.id,
      name: experiment.name,
      description: experiment.description ?? "",
      feature_flag_key: experiment.feature_flag_key,
      start_date: experiment.start_date,
      end_date: experiment.end_date,
      conclusion: experiment.conclusion,
      conclusion_comment: experiment.conclusion_comment,
      shipped_variant: experiment.shipped_variant,
      concluded_at: experiment.concluded_at,
      launch_plan: experiment.launch_plan && planOf(experiment.launch_plan),
    },
    unit: results.unit,
    baseline: results.settings.baseline_key,
    variants: results.variants.map(({ key, name, share }) => ({ key, name, share })),
    phases: results.health.phases.map(({ from, to, shares }) => ({ from, to, shares })),
    stats_config: experiment.stats_config,
    exposure_criteria: experiment.exposure_criteria,
    planned_sample: results.planned.sample,
    metrics,
  };
}

function sumsOf(metric: ResultMetric, days: StoredDays | undefined): ReportSums {
  const rows = [...(metric.baseline ? [metric.baseline] : []), ...metric.variants];
  const stored = storedDays(days).map(({ day, samples }) => [day, samples] as const);
  return {
    totals: Object.fromEntries(rows.map((row): [string, Sample] => [row.key, sampleOf(row)])),
    days: Object.fromEntries(stored),
  };
}

function exposuresByDay(results: ExperimentResults): ReportData["exposures_by_day"] {
  const days: Record<string, Record<string, number>> = {};
  for (const { variant, days: at, exposure_counts } of results.exposures?.timeseries ?? [])
    at.forEach((day, i) => {
      days[day] = { ...days[day], [variant]: exposure_counts[i] ?? 0 };
    });
  return days;
}

function dataOf({ results, days, looks }: Shown): ReportData {
  const sums = sealable(results).map(
    (metric) => [idOf(metric), sumsOf(metric, days.get(idOf(metric)))] as const,
  );
  return {
    as_of: results.as_of,
    exposures: results.exposures?.total_exposures ?? {},
    exposures_by_phase: results.health.phases.map(({ exposures }) => exposures),
    exposures_by_day: exposuresByDay(results),
    metrics: Object.fromEntries(sums),
    looks: looks.map(({ at, total }) => ({ at, total })),
  };
}

function estimateOf({ estimate }: ResultRow): MetricFigures["variants"][number]["estimate"] {
  if (!estimate) return null;
  const [low = Number.NaN, high = Number.NaN] = estimate.interval;
  const { effect, significant, chance_to_win, p_value, p_two_sided, p_holm, p_bh } = estimate;
  return { effect, low, high, significant, chance_to_win, p_value, p_two_sided, p_holm, p_bh };
}

const dayFigures = ({ day, intervals }: Day, keys: readonly string[]): MetricFigures["days"][number] => ({
  day,
  variants: Object.fromEntries(
    keys.map((key) => {
      const found = intervals[key];
      return [key, found ? { effect: (found[0] + found[1]) / 2, low: found[0], high: found[1] } : null];
    }),
  ),
});

/** What the service shows, in the shape of what a report recomputes. */
function figuresOf({ results, days, peeking }: Shown): ReportFigures {
  const { mismatch, phases } = results.health;
  const keys = results.variants.filter(({ is_baseline }) => !is_baseline).map(({ key }) => key);
  return {
    sample_ratio: mismatch && {
      p_value: mismatch.p_value,
      mismatch: mismatch.mismatch,
      expected: mismatch.expected,
      phases: phases.map(({ p_value }) => p_value),
    },
    peeking,
    metrics: sealable(results).map((metric) => ({
      id: idOf(metric),
      baseline: {
        value: metric.baseline?.value ?? null,
        failures: metric.baseline?.validation_failures ?? [],
      },
      variants: metric.variants.map((row) => ({
        key: row.key,
        value: row.value,
        failures: row.validation_failures,
        refusal: row.refusal?.code ?? null,
        estimate: estimateOf(row),
      })),
      days: storedDays(days.get(idOf(metric))).map((day) => dayFigures(day, keys)),
    })),
  };
}

/**
 * A report of what the service shows: its data and definitions sealed, its figures beside them to be compared
 * with what follows from the data.
 *
 * @param made_at ISO 8601
 */
export function assemble(shown: Shown, engine: ReportDocument["engine"], made_at: string): ReportDocument {
  const [definitions, data] = [definitionsOf(shown), dataOf(shown)];
  return {
    format: "switchyard.experiment_report",
    format_version: 1,
    made_at,
    engine,
    definitions,
    data,
    figures: figuresOf(shown),
    seals: computeSeals(definitions, data),
  };
}
