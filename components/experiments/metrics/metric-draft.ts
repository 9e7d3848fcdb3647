import { isObject, type Json } from "#lib/engines/json.ts";
import type { MetricKind } from "./metric-words.ts";

const blankSource = (): Json => ({ kind: "EventsNode", event: "", math: "total", properties: [] });
const blankStep = (): Json => ({ kind: "EventsNode", event: "", properties: [] });

/** A blank metric of a kind; name, goal and uuid carry over from another kind. */
export function createMetric(kind: MetricKind, before: Json = {}): Json {
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

function sourceProblem(source: unknown, what: string): string | null {
  if (!isObject(source)) return `Choose ${what}.`;
  if (source.kind !== "EventsNode") return null;
  if (!source.event) return `Choose ${what}.`;
  const reads = ["sum", "avg", "min", "max"].includes(String(source.math));
  return reads && !source.math_property ? `Choose a property for ${what}.` : null;
}

/** What a metric lacks before it can be saved; null if nothing. */
export function findMetricProblem(metric: Json): string | null {
  switch (metric.metric_type) {
    case "mean":
      return sourceProblem(metric.source, "the event to count");
    case "funnel": {
      const steps = Array.isArray(metric.series) ? metric.series : [];
      const missing = steps.findIndex((step) => sourceProblem(step, "") !== null);
      return missing === -1 ? null : sourceProblem(steps[missing], `the event of step ${missing + 1}`);
    }
    case "ratio":
      return (
        sourceProblem(metric.numerator, "the numerator") ??
        sourceProblem(metric.denominator, "the denominator")
      );
    case "retention":
      if (Number(metric.retention_window_end) < Number(metric.retention_window_start))
        return "The window ends before it begins.";
      return (
        sourceProblem(metric.start_event, "the start event") ??
        sourceProblem(metric.completion_event, "the return event")
      );
    default:
      return null;
  }
}

const cleanSource = (source: unknown): unknown =>
  isObject(source) && Array.isArray(source.properties)
    ? { ...source, properties: source.properties.filter((row) => isObject(row) && row.key) }
    : source;

/** A metric ready to be saved: without conditions that name no property, and without an empty name. */
export function finishMetric(metric: Json): Json {
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
