import { DAY_MS, UNIT_MS } from "#lib/experiments/metric_kinds/calendar.ts";
import type { PlannedMetric } from "#lib/experiments/metric_kinds/kind.ts";
import { type ExperimentMetric, kindOf } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { compileSource, type GroupTypes, type Source } from "./sources.ts";

const DEFAULT_LOOKBACK_DAYS = 14;
const LONGEST_LOOKBACK_DAYS = 30;

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

/** How long CUPED looks back; null without it. */
function lookbackOf(statsConfig: Record<string, unknown> | null): number | null {
  const cuped = statsConfig?.cuped;
  if (typeof cuped !== "object" || cuped === null) return null;
  const { enabled, lookback_days } = cuped as { enabled?: unknown; lookback_days?: unknown };
  if (enabled !== true) return null;
  const days = typeof lookback_days === "number" ? Math.round(lookback_days) : DEFAULT_LOOKBACK_DAYS;
  return Math.min(LONGEST_LOOKBACK_DAYS, Math.max(1, days)) * DAY_MS;
}

/**
 * Adds a metric to a plan.
 *
 * @throws Unsupported with the reason, where its figures cannot be had here; the plan is then as before
 */
export function addMetric(
  plan: Plan,
  metric: ExperimentMetric,
  options: { stats_config: Record<string, unknown> | null; group_types: GroupTypes },
): PlannedMetric {
  const { sources, isAdjustable, ...rules } = kindOf(metric).plan(metric);
  const compiled = sources.map((source) => compileSource(source, options.group_types));
  const first = plan.sources.length;
  plan.sources.push(...compiled);
  const planned: PlannedMetric = {
    ...rules,
    type: metric.metric_type,
    sources: compiled.map((_, i) => first + i),
    window: windowOf(metric),
    lookback: isAdjustable ? lookbackOf(options.stats_config) : null,
  };
  plan.metrics.push(planned);
  return planned;
}

/** The earliest moment at which events matter: the start, or the beginning of the longest look-back. */
export const earliestOf = (plan: Plan): number =>
  plan.start - plan.metrics.reduce((most, { lookback }) => Math.max(most, lookback ?? 0), 0);

/** When nothing can change any more, exclusive; Infinity while there is no end. */
export const latestOf = (plan: Plan): number =>
  plan.end === null
    ? Number.POSITIVE_INFINITY
    : plan.end + 1 + plan.metrics.reduce((most, { window }) => Math.max(most, window ?? 0), 0);
