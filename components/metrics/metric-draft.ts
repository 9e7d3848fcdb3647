import { isObject, type Json } from "#lib/engines/json.ts";
import { METRIC_KINDS, readMetricType, UNKNOWN } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import type { MetricType } from "#lib/experiments/metric_kinds/metric-schema.ts";

/** A blank metric of a kind; name, goal and uuid carry over from another kind. */
export function createMetric(type: MetricType, before: Json = {}): Json {
  const { uuid, name, goal, conversion_window, conversion_window_unit } = before;
  return {
    kind: "ExperimentMetric",
    metric_type: type,
    uuid: uuid ?? crypto.randomUUID(),
    name: name ?? "",
    goal: goal ?? "increase",
    ...(conversion_window !== undefined && { conversion_window, conversion_window_unit }),
    ...METRIC_KINDS[type].createEmpty(),
  };
}

function sourceProblem(source: unknown, what: string): string | null {
  if (!isObject(source)) return `Choose ${what}.`;
  if (source.kind !== "EventsNode") return null;
  // null is every event; nothing is chosen yet where it is empty.
  if (source.event === "" || source.event === undefined) return `Choose ${what}.`;
  const reads = ["sum", "avg", "min", "max"].includes(String(source.math));
  return reads && !source.math_property ? `Choose a property for ${what}.` : null;
}

/** The members of a metric that hold sources; none of a kind that is not known. */
function partsOf(metric: Json) {
  const type = readMetricType(metric);
  return type === UNKNOWN ? [] : METRIC_KINDS[type].parts;
}

/** What a metric lacks before it can be saved; null if nothing. */
export function findMetricProblem(metric: Json): string | null {
  const type = readMetricType(metric);
  const problem = type === UNKNOWN ? null : METRIC_KINDS[type].findProblem(metric);
  if (problem !== null) return problem;
  const problems = partsOf(metric).flatMap(({ field, isList, what }) => {
    const value = metric[field];
    const sources: unknown[] = !isList ? [value] : Array.isArray(value) ? value : [];
    return sources.map((source, i) => sourceProblem(source, what(i)));
  });
  return problems.find((found) => found !== null) ?? null;
}

const cleanSource = (source: unknown): unknown =>
  isObject(source) && Array.isArray(source.properties)
    ? { ...source, properties: source.properties.filter((row) => isObject(row) && row.key) }
    : source;

/** A metric ready to be saved: without conditions that name no property, and without an empty name. */
export function finishMetric(metric: Json): Json {
  const { name, ...rest } = metric;
  const parts = partsOf(metric).filter(({ field }) => field in rest);
  return {
    ...rest,
    ...Object.fromEntries(
      parts.map(({ field }) => {
        const value = rest[field];
        return [field, Array.isArray(value) ? value.map(cleanSource) : cleanSource(value)];
      }),
    ),
    ...(typeof name === "string" && name.trim() !== "" && { name: name.trim() }),
  };
}
