import type { MetricKind } from "./metric_words.ts";

type Json = Record<string, unknown>;

const blankSource = (): Json => ({ kind: "EventsNode", event: "", math: "total", properties: [] });
const blankStep = (): Json => ({ kind: "EventsNode", event: "", properties: [] });

/** What a metric of a kind begins as; name, goal and uuid go over from another kind. */
export function metricOfKind(kind: MetricKind, before: Json = {}): Json {
  const { uuid, name, goal, conversion_window, conversion_window_unit } = before;
  const common = {
    kind: "ExperimentMetric",
    metric_type: kind,
    uuid: uuid ?? crypto.randomUUID(),
    name: name ?? "",
    goal: goal ?? "increase",
    ...(conversion_window !== undefined && { conversion_window, conversion_window_unit }),
  };
  switch (kind) {
    case "mean":
      return { ...common, source: blankSource() };
    case "funnel":
      return { ...common, series: [blankStep()], funnel_order_type: "ordered" };
    case "ratio":
      return { ...common, numerator: blankSource(), denominator: blankSource() };
    case "retention":
      return {
        ...common,
        start_event: blankStep(),
        completion_event: blankStep(),
        retention_window_start: 1,
        retention_window_end: 7,
        retention_window_unit: "day",
        start_handling: "first_seen",
      };
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function sourceProblem(source: unknown, what: string): string | null {
  if (!isObject(source)) return `Choose ${what}.`;
  if (source.kind !== "EventsNode") return null;
  if (!source.event) return `Choose ${what}.`;
  const reads = ["sum", "avg", "min", "max"].includes(String(source.math));
  return reads && !source.math_property ? `Choose the property that is read of ${what}.` : null;
}

/** What is missing of a metric before it can be kept; null when nothing is. */
export function metricProblem(metric: Json): string | null {
  switch (metric.metric_type) {
    case "mean":
      return sourceProblem(metric.source, "the event that is counted");
    case "funnel": {
      const steps = Array.isArray(metric.series) ? metric.series : [];
      const missing = steps.findIndex((step) => sourceProblem(step, "") !== null);
      return missing === -1 ? null : sourceProblem(steps[missing], `the event of step ${missing + 1}`);
    }
    case "ratio":
      return (
        sourceProblem(metric.numerator, "what is divided") ??
        sourceProblem(metric.denominator, "what it is divided by")
      );
    case "retention":
      if (Number(metric.retention_window_end) < Number(metric.retention_window_start))
        return "The window ends before it begins.";
      return (
        sourceProblem(metric.start_event, "the event people begin with") ??
        sourceProblem(metric.completion_event, "the event they come back for")
      );
    default:
      return null;
  }
}

const cleanSource = (source: unknown): unknown =>
  isObject(source) && Array.isArray(source.properties)
    ? { ...source, properties: source.properties.filter((row) => isObject(row) && row.key) }
    : source;

/** A metric as it is kept: without rows that name no property, and without an empty name. */
export function finished(metric: Json): Json {
  const { name, ...rest } = metric;
  const sources = ["source", "numerator", "denominator", "start_event", "completion_event"].filter(
    (part) => part in rest,
  );
  return {
    ...rest,
    ...Object.fromEntries(sources.map((part) => [part, cleanSource(rest[part])])),
    ...(Array.isArray(rest.series) && { series: rest.series.map(cleanSource) }),
    ...(typeof name === "string" && name.trim() !== "" && { name: name.trim() }),
  };
}
