import { z } from "zod";
import type { Json } from "#lib/engines/json.ts";
import type { ValueUnit } from "#lib/engines/statistics/numbers.ts";
import { SAMPLE_TYPES } from "#lib/engines/statistics/types.ts";
import { currencyOf } from "./amounts.ts";
import { funnel } from "./funnel.ts";
import type { MetricKind } from "./kind.ts";
import { mean } from "./mean.ts";
import { METRIC_TYPES, type MetricSource, type MetricType } from "./metric-schema.ts";
import { ratio } from "./ratio.ts";
import { retention } from "./retention.ts";

/** A metric that can be computed. */
export const experimentMetric = z
  .discriminatedUnion("metric_type", [mean.schema, funnel.schema, ratio.schema, retention.schema])
  .meta({ id: "ExperimentMetric" });

export type ExperimentMetric = z.infer<typeof experimentMetric>;

/** A metric of one kind. */
export type MetricOfType<Type extends MetricType> = Extract<ExperimentMetric, { metric_type: Type }>;

type Kinds = { readonly [Type in MetricType]: MetricKind<MetricOfType<Type>> };

/** Every kind of metric; everything that depends on the kind looks it up here. */
export const METRIC_KINDS: Kinds = { mean, funnel, ratio, retention };

export const kindOf = <Type extends MetricType>(
  metric: MetricOfType<Type> & { metric_type: Type },
): MetricKind<MetricOfType<Type>> => METRIC_KINDS[metric.metric_type];

/** What no kind is of: a metric of an older form, of a newer one, or none at all. */
export const UNKNOWN = "unknown";

export type AnyMetricType = MetricType | typeof UNKNOWN;

/** The kind that a metric in any state says it is of. */
export const readMetricType = ({ metric_type }: Json): AnyMetricType =>
  METRIC_TYPES.find((type) => type === metric_type) ?? UNKNOWN;

/** Whether a metric's value is a share of units, rather than a number in a unit of its own. */
export const isShare = (type: AnyMetricType): boolean =>
  type !== UNKNOWN && SAMPLE_TYPES[METRIC_KINDS[type].statistics].isShare;

/** What the values of a metric in any state are. */
export function valueUnitOf(metric: Json): ValueUnit {
  if (isShare(readMetricType(metric))) return "share";
  const currency = currencyOf(metric);
  return currency === null ? "number" : { currency };
}

/** Reads a metric in any state as one that can be computed, or says why it cannot. */
export function readMetric(
  raw: Json,
): { metric: ExperimentMetric; problem: null } | { metric: null; problem: string } {
  if (raw.kind === "ExperimentTrendsQuery" || raw.kind === "ExperimentFunnelsQuery")
    return { metric: null, problem: "This is a legacy metric, which is not computed." };
  const parsed = experimentMetric.safeParse(raw);
  if (parsed.success) return { metric: parsed.data, problem: null };
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".") || "The metric";
  return { metric: null, problem: `${where}: ${issue?.message ?? "unreadable"}` };
}

/** The sources of a metric, in its kind's order. */
export const sourcesOf = (metric: ExperimentMetric): MetricSource[] => kindOf(metric).plan(metric).sources;
