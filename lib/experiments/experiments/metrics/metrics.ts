import type { Json } from "#lib/engines/json.ts";
import { type Circumstances, computeFingerprint } from "./fingerprint.ts";
import { type ExperimentMetric, experimentMetric } from "./metric-schema.ts";

type MetricRole = "primary" | "secondary";

/** A metric of an experiment, its own or a shared one. */
export type MetricOf = {
  role: MetricRole;
  uuid: string;
  /** Of its configuration in this experiment, as of now. */
  fingerprint: string;
  name: string;
  /** Id of the saved metric; null for the experiment's own metric. */
  saved_metric_id: number | null;
  /** The parsed metric; null if it cannot be computed. */
  metric: ExperimentMetric | null;
  /** Why `metric` is null. */
  problem: string | null;
  /** As it is stored. */
  raw: Json;
};

type Stored = Circumstances & {
  metrics: Json[];
  metrics_secondary: Json[];
  primary_metrics_ordered_uuids: string[] | null;
  secondary_metrics_ordered_uuids: string[] | null;
};
export type SharedMetric = { saved_metric_id: number; name: string; query: Json; metadata: Json };

/** Name of a metric without a name of its own. */
function defaultName(metric: ExperimentMetric): string {
  const event = (source: { kind: string; event?: string | null; id?: number }) =>
    source.kind === "EventsNode" ? (source.event ?? "any event") : "an action";
  switch (metric.metric_type) {
    case "mean":
      return `${event(metric.source as { kind: string })} per unit`;
    case "funnel":
      return metric.series.map((step) => event(step as { kind: string })).join(" → ");
    case "ratio":
      return `${event(metric.numerator as { kind: string })} / ${event(metric.denominator as { kind: string })}`;
    case "retention":
      return `back for ${event(metric.completion_event as { kind: string })}`;
  }
}

/** Reads a stored metric as one that can be computed. */
export function readMetric(raw: Json): { metric: ExperimentMetric | null; problem: string | null } {
  if (raw.kind === "ExperimentTrendsQuery" || raw.kind === "ExperimentFunnelsQuery")
    return { metric: null, problem: "This is a legacy metric, which is not computed." };
  const parsed = experimentMetric.safeParse(raw);
  if (parsed.success) return { metric: parsed.data, problem: null };
  const [issue] = parsed.error.issues;
  return {
    metric: null,
    problem: `${issue?.path.join(".") || "The metric"}: ${issue?.message ?? "unreadable"}`,
  };
}

function metricOf(raw: Json, role: MetricRole, given: Circumstances, shared: SharedMetric | null): MetricOf {
  const { metric, problem } = readMetric(raw);
  const named = typeof raw.name === "string" && raw.name !== "" ? raw.name : null;
  return {
    role,
    uuid: typeof raw.uuid === "string" ? raw.uuid : "",
    fingerprint: computeFingerprint(raw, given),
    name: shared?.name ?? named ?? (metric ? defaultName(metric) : "Metric"),
    saved_metric_id: shared?.saved_metric_id ?? null,
    metric,
    problem,
    raw,
  };
}

function ordered(metrics: MetricOf[], uuids: string[] | null): MetricOf[] {
  const place = new Map((uuids ?? []).map((uuid, i) => [uuid, i]));
  const of = (metric: MetricOf) => place.get(metric.uuid) ?? place.size;
  return metrics.sort((a, b) => of(a) - of(b));
}

/** Every metric of an experiment, primary ones first, each list in the order in which it is shown. */
export function listMetrics(experiment: Stored, shared: readonly SharedMetric[]): MetricOf[] {
  const list = (role: MetricRole, own: Json[], uuids: string[] | null) => {
    const mine = shared.filter(({ metadata }) => (metadata.type === "secondary") === (role === "secondary"));
    return ordered(
      [
        ...own.map((raw) => metricOf(raw, role, experiment, null)),
        ...mine.map((link) => metricOf(link.query, role, experiment, link)),
      ],
      uuids,
    );
  };
  return [
    ...list("primary", experiment.metrics, experiment.primary_metrics_ordered_uuids),
    ...list("secondary", experiment.metrics_secondary, experiment.secondary_metrics_ordered_uuids),
  ];
}
