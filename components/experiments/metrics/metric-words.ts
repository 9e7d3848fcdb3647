import { OPERATOR_WORDS } from "#components/conditions/events/event-draft.ts";
import type {
  ExperimentMetric,
  MetricSource,
  SourceFilter,
} from "#lib/experiments/experiments/metrics/metric-schema.ts";
import { experimentMetric, filtersOf } from "#lib/experiments/experiments/metrics/metric-schema.ts";

export const METRIC_KINDS = [
  {
    value: "funnel",
    label: "Conversion",
    description: "Share of people who complete one or more steps after exposure.",
  },
  {
    value: "mean",
    label: "Count or sum",
    description: "How often, or how much, per person: orders, revenue, minutes.",
  },
  {
    value: "ratio",
    label: "Ratio",
    description: "One total over another: revenue per order, errors per request.",
  },
  {
    value: "retention",
    label: "Retention",
    description: "Share of people who come back within a set time.",
  },
] as const;

export type MetricKind = (typeof METRIC_KINDS)[number]["value"];

export const kindWord = (kind: string): string =>
  METRIC_KINDS.find((each) => each.value === kind)?.label ?? kind;

export function filterText(filter: SourceFilter): string {
  const operator = filter.operator ?? "exact";
  const word = OPERATOR_WORDS[operator] ?? operator.replaceAll("_", " ");
  if (operator === "is_set" || operator === "is_not_set") return `${filter.key} ${word}`;
  const values: unknown[] = Array.isArray(filter.value) ? filter.value : [filter.value];
  return `${filter.key} ${word} ${values.map(String).join(" or ")}`;
}

function eventText(source: MetricSource): string {
  if (source.kind === "ActionsNode") return `action ${source.id}`;
  if (source.kind === "ExperimentDataWarehouseNode") return `table ${source.table_name}`;
  const filters = filtersOf(source);
  const where = filters.length > 0 ? ` where ${filters.map(filterText).join(" and ")}` : "";
  return `${source.event ? `“${source.event}”` : "any event"}${where}`;
}

const MATHS: Record<string, (property: string) => string> = {
  sum: (property) => `sum of ${property} of`,
  avg: (property) => `average ${property} of`,
  min: (property) => `smallest ${property} of`,
  max: (property) => `largest ${property} of`,
  dau: () => "people with",
  unique_session: () => "sessions with",
  unique_group: () => "groups with",
  hogql: () => "expression over",
};

/** What a source counts: "sum of amount of paid where plan is pro". */
function sourceText(source: MetricSource): string {
  const math = MATHS[source.math ?? "total"];
  return `${math ? math(source.math_property ?? "?") : "number of"} ${eventText(source)}`;
}

const windowText = ({ conversion_window, conversion_window_unit }: ExperimentMetric): string =>
  conversion_window
    ? `, within ${conversion_window} ${conversion_window_unit ?? "day"}${conversion_window === 1 ? "" : "s"} of the first exposure`
    : "";

function bodyText(metric: ExperimentMetric): string {
  switch (metric.metric_type) {
    case "mean":
      return `${sourceText(metric.source)}, per person`;
    case "funnel":
      return `people who did ${metric.series.map(eventText).join(", then ")}`;
    case "ratio":
      return `${sourceText(metric.numerator)} ÷ ${sourceText(metric.denominator)}`;
    case "retention":
      return (
        `people who did ${eventText(metric.start_event)} and came back for ${eventText(metric.completion_event)} ` +
        `${metric.retention_window_start} to ${metric.retention_window_end} ${metric.retention_window_unit}s later`
      );
  }
}

/** A metric in one sentence; for one of an older form, that it is one. */
export function metricText(raw: Record<string, unknown>): string {
  const parsed = experimentMetric.safeParse(raw);
  if (!parsed.success) return "A legacy metric: it is stored, but not computed.";
  const text = `${bodyText(parsed.data)}${windowText(parsed.data)}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const plainEvent = (source: MetricSource): string =>
  source.kind === "EventsNode" ? source.event || "any event" : eventText(source);

/** What a metric is called: its name, else its events. */
export function metricName(raw: Record<string, unknown>): string {
  if (typeof raw.name === "string" && raw.name !== "") return raw.name;
  const parsed = experimentMetric.safeParse(raw);
  if (!parsed.success) return "Unnamed metric";
  const metric = parsed.data;
  switch (metric.metric_type) {
    case "mean":
      return plainEvent(metric.source);
    case "funnel":
      return metric.series.map(plainEvent).join(" → ");
    case "ratio":
      return `${plainEvent(metric.numerator)} / ${plainEvent(metric.denominator)}`;
    case "retention":
      return `Back for ${plainEvent(metric.completion_event)}`;
  }
}

/** Names of the events that a metric counts. */
export function listEvents(raw: Record<string, unknown>): string[] {
  const parsed = experimentMetric.safeParse(raw);
  if (!parsed.success) return [];
  const metric = parsed.data;
  const sources: MetricSource[] =
    metric.metric_type === "mean"
      ? [metric.source]
      : metric.metric_type === "funnel"
        ? metric.series
        : metric.metric_type === "ratio"
          ? [metric.numerator, metric.denominator]
          : [metric.start_event, metric.completion_event];
  return sources.flatMap((source) => (source.kind === "EventsNode" && source.event ? [source.event] : []));
}
