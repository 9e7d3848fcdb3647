import { OPERATOR_WORDS } from "#components/conditions/events/event-draft.ts";
import type { Json } from "#lib/engines/json.ts";
import { currencyOf } from "#lib/experiments/metric_kinds/amounts.ts";
import {
  type ExperimentMetric,
  type MetricOfType,
  readMetric,
  readMetricType,
  sourcesOf,
  UNKNOWN,
} from "#lib/experiments/metric_kinds/metric-kinds.ts";
import {
  filtersOf,
  type MetricSource,
  type MetricType,
  type SourceFilter,
} from "#lib/experiments/metric_kinds/metric-schema.ts";

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
  unique_session: () => "number of sessions with",
  unique_group: () => "number of groups with",
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

const percentileText = (fraction: number) => `percentile ${Number((100 * fraction).toPrecision(10))}`;

const capText = (lower: number | null | undefined, upper: number | null | undefined): string =>
  (lower == null ? "" : `, raised to ${percentileText(lower)}`) +
  (upper == null ? "" : `, capped at ${percentileText(upper)}`);

/** What a kind of metric is called. */
type Words<Type extends MetricType> = {
  label: string;
  description: string;
  /** What it counts, without its window. */
  text: (metric: MetricOfType<Type>) => string;
  /** Its name where nobody gave it one, from the names of its events. */
  name: (events: readonly string[]) => string;
  /** What its value and its sum are called. */
  value: string;
  total: string;
};

/** In the order in which the form offers them. */
export const METRIC_WORDS: { readonly [Type in MetricType]: Words<Type> } = {
  funnel: {
    label: "Conversion",
    description: "Share of people who complete one or more steps after exposure.",
    text: ({ series, funnel_order_type: order }) =>
      `people who did ${series.map(eventText).join(order === "unordered" ? " and " : ", then ")}${order === "unordered" && series.length > 1 ? ", in any order" : ""}`,
    name: (events) => events.join(" → "),
    value: "Converted",
    total: "Conversions",
  },
  mean: {
    label: "Count or sum",
    description: "How often, or how much, per person: orders, revenue, minutes.",
    text: ({ source, lower_bound_percentile: lower, upper_bound_percentile: upper }) =>
      `${sourceText(source)}, per person${capText(lower, upper)}`,
    name: ([event = ""]) => event,
    value: "Per person",
    total: "Total",
  },
  ratio: {
    label: "Ratio",
    description: "One total over another: revenue per order, errors per request.",
    text: ({ numerator, denominator }) => `${sourceText(numerator)} ÷ ${sourceText(denominator)}`,
    name: (events) => events.join(" / "),
    value: "Ratio",
    total: "Total",
  },
  retention: {
    label: "Retention",
    description: "Share of people who come back within a set time.",
    text: (metric) =>
      `people who did ${eventText(metric.start_event)} and came back for ${eventText(metric.completion_event)} ` +
      `${metric.retention_window_start} to ${metric.retention_window_end} ${metric.retention_window_unit}s later${metric.start_handling === "last_seen" ? ", from their latest start" : ""}`,
    name: ([, event]) => `Back for ${event}`,
    value: "Came back",
    total: "Came back, in all",
  },
};

export const METRIC_OPTIONS = (Object.keys(METRIC_WORDS) as MetricType[]).map((value) => {
  const { label, description } = METRIC_WORDS[value];
  return { value, label, description };
});

/** A metric that cannot be read: one of another form, or broken. */
const UNKNOWN_WORDS = {
  label: ({ metric_type }: Json) =>
    typeof metric_type === "string" && metric_type !== "" ? metric_type : "legacy",
  text: "A legacy metric: it is stored, but not computed.",
  name: "Unnamed metric",
};

/** The kind of a metric, in a word. */
export function kindWord(raw: Json): string {
  const type = readMetricType(raw);
  return type === UNKNOWN ? UNKNOWN_WORDS.label(raw) : METRIC_WORDS[type].label;
}

const wordsOf = <Type extends MetricType>(metric: MetricOfType<Type> & { metric_type: Type }): Words<Type> =>
  METRIC_WORDS[metric.metric_type];

/** A metric in one sentence; for one of an older form, that it is one. */
export function metricText(raw: Json): string {
  const { metric } = readMetric(raw);
  if (!metric) return UNKNOWN_WORDS.text;
  const currency = currencyOf(raw);
  const text = `${wordsOf(metric).text(metric)}${windowText(metric)}${currency ? `, in ${currency}` : ""}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const plainEvent = (source: MetricSource): string =>
  source.kind === "EventsNode" ? source.event || "any event" : eventText(source);

/** What a metric is called: its name, else its events. */
export function metricName(raw: Json): string {
  if (typeof raw.name === "string" && raw.name !== "") return raw.name;
  const { metric } = readMetric(raw);
  return metric ? wordsOf(metric).name(sourcesOf(metric).map(plainEvent)) : UNKNOWN_WORDS.name;
}

/** Names of the events that a metric counts. */
export function listEvents(raw: Json): string[] {
  const { metric } = readMetric(raw);
  const sources = metric ? sourcesOf(metric) : [];
  return sources.flatMap((source) => (source.kind === "EventsNode" && source.event ? [source.event] : []));
}

/** What the steps of a funnel are called; where their order does not matter, how many of them were done. */
export function stepNames(raw: Json): string[] {
  const { metric } = readMetric(raw);
  if (metric?.metric_type !== "funnel") return [];
  if (metric.funnel_order_type === "unordered")
    return metric.series.map((_, i) => (i === 0 ? "Any step" : `Any ${i + 1} steps`));
  return metric.series.map((step, i) => `${i + 1}. ${step.custom_name || step.name || plainEvent(step)}`);
}
