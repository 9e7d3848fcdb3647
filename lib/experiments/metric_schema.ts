import { z } from "zod";

/** Units of a conversion or retention window; a month is 30 days. */
const windowUnit = z.enum(["second", "minute", "hour", "day", "week", "month"]);

/** One condition on a property of an event, its person or its group. Unknown members are kept. */
const sourceFilter = z
  .looseObject({
    key: z.string().meta({ description: "Name of the property." }),
    type: z.string().nullish().meta({ description: "event, person, group or cohort; event when absent." }),
    value: z.unknown().optional().meta({ description: "What it is compared with." }),
    operator: z
      .string()
      .nullish()
      .meta({ description: "How, as in a flag's conditions; exact when absent." }),
    group_type_index: z
      .number()
      .int()
      .nullish()
      .meta({ description: "Which kind of group, for type group." }),
  })
  .meta({ id: "ExperimentSourceFilter" });

const filters = z
  .union([z.array(sourceFilter), z.record(z.string(), z.unknown())])
  .nullish()
  .meta({ description: "Conditions that all hold, as a list, or as an object of property and value." });

/** How the events of a unit become its number. */
const sourceMath = z.enum([
  "total",
  "sum",
  "avg",
  "min",
  "max",
  "dau",
  "unique_session",
  "unique_group",
  "hogql",
]);

const counting = {
  name: z.string().nullish().meta({ description: "What to call it." }),
  custom_name: z.string().nullish().meta({ description: "What to call it instead of the event's name." }),
  properties: filters,
  fixedProperties: filters,
  math: sourceMath.nullish().meta({
    description:
      "total counts events (when absent), sum, avg, min and max read math_property, dau counts a unit once.",
  }),
  math_property: z.string().nullish().meta({ description: "Property that sum, avg, min and max read." }),
  math_property_type: z.string().nullish().meta({ description: "Where math_property stands." }),
  math_hogql: z.string().nullish().meta({ description: "Expression of math hogql." }),
  math_group_type_index: z.number().int().min(0).max(4).nullish().meta({
    description: "Kind of group that unique_group counts.",
  }),
};

const eventsNode = z
  .looseObject({
    kind: z.literal("EventsNode"),
    event: z.string().nullish().meta({ description: "Name of the event; null or absent: every event." }),
    ...counting,
  })
  .meta({ id: "ExperimentEventsNode" });

const actionsNode = z
  .looseObject({
    kind: z.literal("ActionsNode"),
    id: z.number().int().meta({ description: "Id of the action." }),
    ...counting,
  })
  .meta({ id: "ExperimentActionsNode" });

const warehouseNode = z
  .looseObject({
    kind: z.literal("ExperimentDataWarehouseNode"),
    table_name: z.string(),
    timestamp_field: z.string(),
    events_join_key: z.string(),
    data_warehouse_join_key: z.string(),
    ...counting,
  })
  .meta({ id: "ExperimentDataWarehouseNode" });

/** Where a metric's numbers come from. Actions and warehouse tables are kept, but there is nothing behind them here. */
const metricSource = z
  .discriminatedUnion("kind", [eventsNode, actionsNode, warehouseNode])
  .meta({ id: "ExperimentMetricSource" });

const window = {
  conversion_window: z.number().int().min(0).nullish().meta({
    description: "How long after the first exposure events count; absent: until the experiment's end.",
  }),
  conversion_window_unit: windowUnit.nullish().meta({ description: "Unit of conversion_window." }),
};

const common = {
  kind: z.literal("ExperimentMetric"),
  uuid: z.string().nullish().meta({ description: "Names the metric; filled in when absent." }),
  name: z.string().nullish().meta({ description: "What to call it." }),
  fingerprint: z.string().nullish().meta({ description: "Of its configuration; the server's to fill." }),
  goal: z
    .enum(["increase", "decrease"])
    .nullish()
    .meta({ description: "Which way is better; increase when absent." }),
  ...window,
  breakdownFilter: z.unknown().optional().meta({ description: "Kept as sent." }),
};

const share = z.number().min(0).max(1).nullish();

const meanMetric = z
  .looseObject({
    ...common,
    metric_type: z.literal("mean"),
    source: metricSource,
    lower_bound_percentile: share.meta({
      description: "Smaller values count as this quantile of all units', 0 to 1.",
    }),
    upper_bound_percentile: share.meta({
      description: "Larger values count as this quantile of all units', 0 to 1.",
    }),
    ignore_zeros: z.boolean().nullish().meta({ description: "Whether the upper quantile leaves zeros out." }),
  })
  .meta({ id: "ExperimentMeanMetric" });

/** Steps of a funnel at most. */
const STEPS_MAX = 20;

const funnelMetric = z
  .looseObject({
    ...common,
    metric_type: z.literal("funnel"),
    series: z
      .array(metricSource)
      .min(1)
      .max(STEPS_MAX)
      .meta({ description: "Steps after the exposure, which is step 0." }),
    funnel_order_type: z
      .enum(["ordered", "unordered", "strict"])
      .nullish()
      .meta({ description: "Whether steps count in this order only; ordered when absent." }),
  })
  .meta({ id: "ExperimentFunnelMetric" });

const ratioMetric = z
  .looseObject({
    ...common,
    metric_type: z.literal("ratio"),
    numerator: metricSource,
    denominator: metricSource,
  })
  .meta({ id: "ExperimentRatioMetric" });

const retentionMetric = z
  .looseObject({
    ...common,
    metric_type: z.literal("retention"),
    start_event: metricSource.meta({ description: "What a unit has to do to be counted." }),
    completion_event: metricSource.meta({ description: "What it comes back for." }),
    retention_window_start: z.number().int().min(0).meta({ description: "First unit of time that counts." }),
    retention_window_end: z.number().int().min(0).meta({ description: "Last unit of time that counts." }),
    retention_window_unit: windowUnit.meta({ description: "Unit of both." }),
    start_handling: z.enum(["first_seen", "last_seen"]).nullish().meta({
      description: "Which start event the window begins at; first_seen when absent.",
    }),
  })
  .meta({ id: "ExperimentRetentionMetric" });

/** A metric that figures can be computed of. */
export const experimentMetric = z
  .discriminatedUnion("metric_type", [meanMetric, funnelMetric, ratioMetric, retentionMetric])
  .meta({ id: "ExperimentMetric" });

/** A source's conditions as a list; an object of property and value reads as equalities. */
export function filtersOf(source: { properties?: z.infer<typeof filters> }): SourceFilter[] {
  const { properties } = source;
  if (!properties) return [];
  if (Array.isArray(properties)) return properties;
  return Object.entries(properties)
    .filter(([key, value]) => key !== "denominator_event" && isPlain(value))
    .map(([key, value]) => ({ key, value, operator: "exact", type: "event" }));
}

const isPlain = (value: unknown): boolean =>
  ["string", "number", "boolean"].includes(typeof value) || (Array.isArray(value) && value.every(isPlain));

export type WindowUnit = z.infer<typeof windowUnit>;
export type SourceFilter = z.infer<typeof sourceFilter>;
export type MetricSource = z.infer<typeof metricSource>;
export type ExperimentMetric = z.infer<typeof experimentMetric>;
