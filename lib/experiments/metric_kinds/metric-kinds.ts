import { z } from "zod";
import type { Json } from "#lib/engines/json.ts";
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
export const METRIC_KINDS = { mean, funnel, ratio, retention } as const satisfies Kinds;

const kinds: Kinds = METRIC_KINDS;

export const kindOf = <Type extends MetricType>(
  metric: MetricOfType<Type> & { metric_type: Type },
): MetricKind<MetricOfType<Type>> => kinds[metric.metric_type];

/** What no kind is of: a metric of an older form, of a newer one, or none at all. */
export const UNKNOWN = "unknown";

/** The kind that a metric in any state says it is of. */
export const readMetricType = ({ metric_type }: Json): MetricType | typeof UNKNOWN =>
  METRIC_TYPES.find((type) => type === metric_type) ?? UNKNOWN;

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
