import { compileFilters, Unsupported } from "#lib/engines/evaluation/event-filters.ts";
import type { Json } from "#lib/engines/json.ts";
import type { SampleType } from "#lib/engines/statistics/types.ts";
import {
  type ExperimentMetric,
  METRIC_KINDS,
  readMetric,
} from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { addMetric, type Plan } from "#lib/experiments/results/plan/plan.ts";
import type { GroupTypes } from "#lib/experiments/results/plan/sources.ts";
import { invalid } from "#lib/platform/http/errors.ts";

const CALLED = "$feature_flag_called";

/** What everybody is who was exposed; the arm is found out otherwise. */
export const EXPOSED = "exposed";

type Counted = {
  guardrails: readonly { metric: ExperimentMetric }[];
  /** Null: whoever does anything is exposed by it. */
  flag_key: string | null;
  start: number;
  timezone: string;
  group_types: GroupTypes;
};

/** What is counted for some guardrails, in their order. @throws Unsupported for a metric that cannot be computed */
export function planMetrics({ guardrails, flag_key, start, timezone, group_types }: Counted): Plan {
  const plan: Plan = {
    exposure: { event: CALLED, flag: flag_key, property: null, ...compileFilters([]) },
    variants: [EXPOSED],
    handling: "first_seen",
    group_type: null,
    start,
    end: null,
    timezone,
    sources: [],
    metrics: [],
  };
  for (const { metric } of guardrails) addMetric(plan, metric, { stats_config: null, group_types });
  return plan;
}

/** A metric that a ramp can watch. @throws ApiError 400 for any other */
export function readGuardrailMetric(sent: Json, group_types: GroupTypes, index: number): ExperimentMetric {
  const refuse = (detail: string) => invalid(detail, "guardrails", "invalid_input", [index, "metric"]);
  const { metric, problem } = readMetric({ kind: "ExperimentMetric", ...sent });
  if (!metric) throw refuse(problem);
  if (
    metric.metric_type === "mean" &&
    (metric.lower_bound_percentile ?? metric.upper_bound_percentile) != null
  )
    throw refuse("A guardrail cannot cap outliers: leave the percentiles out.");
  try {
    planMetrics({ guardrails: [{ metric }], flag_key: null, start: 0, timezone: "UTC", group_types });
    return metric;
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    throw refuse(error.message);
  }
}

/** How a metric's sums turn into a value. */
export const sampleType = ({ metric_type }: ExperimentMetric): SampleType =>
  METRIC_KINDS[metric_type].statistics;
