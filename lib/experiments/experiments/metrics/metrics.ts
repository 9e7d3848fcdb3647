import type { Json } from "#lib/engines/json.ts";
import {
  type ExperimentMetric,
  kindOf,
  readMetric,
  sourcesOf,
} from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { type Circumstances, computeFingerprint } from "./fingerprint.ts";

type MetricRole = "primary" | "secondary";

/** A metric of an experiment, its own or a shared one. */
export type ListedMetric = {
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

/** What a metric is called that nobody named. */
function nameByEvents(metric: ExperimentMetric): string {
  const events = sourcesOf(metric).map((source) =>
    source.kind === "EventsNode" ? (source.event ?? "any event") : "an action",
  );
  return kindOf(metric).defaultName(events);
}

function metricOf(
  raw: Json,
  role: MetricRole,
  given: Circumstances,
  shared: SharedMetric | null,
): ListedMetric {
  const { metric, problem } = readMetric(raw);
  const named = typeof raw.name === "string" && raw.name !== "" ? raw.name : null;
  return {
    role,
    uuid: typeof raw.uuid === "string" ? raw.uuid : "",
    fingerprint: computeFingerprint(raw, given),
    name: shared?.name ?? named ?? (metric ? nameByEvents(metric) : "Metric"),
    saved_metric_id: shared?.saved_metric_id ?? null,
    metric,
    problem,
    raw,
  };
}

function ordered(metrics: ListedMetric[], uuids: string[] | null): ListedMetric[] {
  const place = new Map((uuids ?? []).map((uuid, i) => [uuid, i]));
  const of = (metric: ListedMetric) => place.get(metric.uuid) ?? place.size;
  return metrics.sort((a, b) => of(a) - of(b));
}

/** Every metric of an experiment, primary ones first, each list in the order in which it is shown. */
export function listMetrics(experiment: Stored, shared: readonly SharedMetric[]): ListedMetric[] {
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
