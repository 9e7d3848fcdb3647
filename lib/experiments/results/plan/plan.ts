import type { ExperimentMetric, WindowUnit } from "#lib/experiments/experiments/metrics/metric-schema.ts";
import { compileSource, type GroupTypes, type Source } from "./sources.ts";

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A month is 30 days, as the API says. */
export const UNIT_MS: Readonly<Record<WindowUnit, number>> = {
  second: 1_000,
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
};

const DEFAULT_LOOKBACK_DAYS = 14;
const LONGEST_LOOKBACK_DAYS = 30;

/** A metric of a plan. Its sources are in the plan's list, which metrics share. */
export type PlannedMetric = {
  type: "mean" | "funnel" | "ratio" | "retention";
  /** mean: one; funnel: each step; ratio: numerator, denominator; retention: start, completion. */
  sources: number[];
  /** How long after the first exposure events count, in milliseconds; null: until the experiment's end. */
  window: number | null;
  ordered: boolean;
  retention: { from: number; to: number; unit: WindowUnit; last: boolean } | null;
  winsor: { lower: number | null; upper: number | null; ignore_zeros: boolean } | null;
  /** How long before the exposure the covariate is counted; null without one. */
  lookback: number | null;
};

/** Who counts as exposed. */
export type Exposure = Pick<Source, "filtered" | "matches"> & {
  event: string;
  /** The flag that the event must name; null for events that name none. */
  flag: string | null;
  /** Property that holds the variant; null: there is one variant for all, the first. */
  property: string | null;
};

/** Everything that decides an experiment's figures, as plain data and tests. */
export type Plan = {
  exposure: Exposure;
  /** Variants whose units count, in the order in which they are shown. */
  variants: string[];
  /** What becomes of a unit with several variants. */
  handling: "exclude" | "first_seen";
  /** Kind of group that is counted instead of persons. */
  group_type: string | null;
  /** Milliseconds since 1970; events on these moments count too. */
  start: number;
  end: number | null;
  /** IANA time zone of its days. */
  timezone: string;
  sources: Source[];
  metrics: PlannedMetric[];
};

const windowOf = (metric: ExperimentMetric): number | null =>
  metric.conversion_window
    ? metric.conversion_window * UNIT_MS[metric.conversion_window_unit ?? "day"]
    : null;

function lookbackOf(metric: ExperimentMetric, statsConfig: Record<string, unknown> | null): number | null {
  const cuped = statsConfig?.cuped;
  if (typeof cuped !== "object" || cuped === null) return null;
  const { enabled, lookback_days } = cuped as { enabled?: unknown; lookback_days?: unknown };
  const adjusts =
    metric.metric_type === "mean" ||
    (metric.metric_type === "funnel" && metric.funnel_order_type !== "unordered");
  if (enabled !== true || !adjusts) return null;
  const days = typeof lookback_days === "number" ? Math.round(lookback_days) : DEFAULT_LOOKBACK_DAYS;
  return Math.min(LONGEST_LOOKBACK_DAYS, Math.max(1, days)) * DAY_MS;
}

const sourcesOf = (metric: ExperimentMetric) => {
  switch (metric.metric_type) {
    case "mean":
      return [metric.source];
    case "funnel":
      return metric.series;
    case "ratio":
      return [metric.numerator, metric.denominator];
    case "retention":
      return [metric.start_event, metric.completion_event];
  }
};

function winsorOf(metric: ExperimentMetric): PlannedMetric["winsor"] {
  if (metric.metric_type !== "mean") return null;
  const { lower_bound_percentile: lower, upper_bound_percentile: upper, ignore_zeros } = metric;
  if (lower == null && upper == null) return null;
  return { lower: lower ?? null, upper: upper ?? null, ignore_zeros: ignore_zeros ?? false };
}

/**
 * Adds a metric to a plan.
 *
 * @returns its place among the plan's metrics
 * @throws Unsupported with the reason, where its figures cannot be had here; the plan is then as before
 */
export function addMetric(
  plan: Plan,
  metric: ExperimentMetric,
  options: { stats_config: Record<string, unknown> | null; group_types: GroupTypes },
): number {
  const sources = sourcesOf(metric).map((source) => compileSource(source, options.group_types));
  const first = plan.sources.length;
  plan.sources.push(...sources);
  const retention =
    metric.metric_type === "retention"
      ? {
          from: metric.retention_window_start,
          to: metric.retention_window_end,
          unit: metric.retention_window_unit,
          last: metric.start_handling === "last_seen",
        }
      : null;
  return (
    plan.metrics.push({
      type: metric.metric_type,
      sources: sources.map((_, i) => first + i),
      window: windowOf(metric),
      ordered: !(metric.metric_type === "funnel" && metric.funnel_order_type === "unordered"),
      retention,
      winsor: winsorOf(metric),
      lookback: lookbackOf(metric, options.stats_config),
    }) - 1
  );
}

/** The earliest moment at which events matter: the start, or the beginning of the longest look-back. */
export const earliestOf = (plan: Plan): number =>
  plan.start - plan.metrics.reduce((most, { lookback }) => Math.max(most, lookback ?? 0), 0);

/** When nothing can change any more, exclusive; Infinity while there is no end. */
export const latestOf = (plan: Plan): number =>
  plan.end === null
    ? Number.POSITIVE_INFINITY
    : plan.end + 1 + plan.metrics.reduce((most, { window }) => Math.max(most, window ?? 0), 0);
