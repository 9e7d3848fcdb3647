import { z } from "zod";

/** Units of a conversion or retention window; a month is 30 days. */
const windowUnit = z.enum(["second", "minute", "hour", "day", "week", "month"]);

/** One condition on a property of an event, its person or its group. Unknown members are stored. */
const sourceFilter = z
  .looseObject({
    key: z.string().meta({ description: "Name of the property." }),
    type: z.string().nullish().meta({ description: "event, person, group or cohort; event by default." }),
    value: z.unknown().optional().meta({ description: "Value to compare with." }),
    operator: z
      .string()
      .nullish()
      .meta({ description: "Comparison, as in flag conditions; exact by default." }),
    group_type_index: z.number().int().nullish().meta({ description: "Group type index, for type group." }),
  })
  .meta({ id: "ExperimentSourceFilter" });

const filters = z
  .union([z.array(sourceFilter), z.record(z.string(), z.unknown())])
  .nullish()
  .meta({ description: "Conditions that must all hold: a list, or an object of property and value." });

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
  name: z.string().nullish().meta({ description: "Display name." }),
  custom_name: z.string().nullish().meta({ description: "Display name instead of the event's name." }),
  properties: filters,
  fixedProperties: filters,
  math: sourceMath.nullish().meta({
    description:
      "total (default) counts events; sum, avg, min and max read math_property; dau counts a unit once.",
  }),
  math_property: z.string().nullish().meta({ description: "Property that sum, avg, min and max read." }),
  math_property_type: z.string().nullish().meta({ description: "Where math_property is found." }),
  math_hogql: z.string().nullish().meta({ description: "Expression for math hogql." }),
  math_group_type_index: z.number().int().min(0).max(4).nullish().meta({
    description: "Group type that unique_group counts.",
  }),
};

const eventsNode = z
  .looseObject({
    kind: z.literal("EventsNode"),
    event: z.string().nullish().meta({ description: "Name of the event; null or absent for every event." }),
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

/** Where a metric's numbers come from. Actions and warehouse tables are stored, but not computed here. */
const metricSource = z
  .discriminatedUnion("kind", [eventsNode, actionsNode, warehouseNode])
  .meta({ id: "ExperimentMetricSource" });

const window = {
  conversion_window: z.number().int().min(0).nullish().meta({
    description: "How long after the first exposure events count; by default until the experiment's end.",
  }),
  conversion_window_unit: windowUnit.nullish().meta({ description: "Unit of conversion_window." }),
};

const common = {
  kind: z.literal("ExperimentMetric"),
  uuid: z.string().nullish().meta({ description: "Identifies the metric; generated when absent." }),
  name: z.string().nullish().meta({ description: "Display name." }),
  fingerprint: z.string().nullish().meta({ description: "Hash of its configuration; set by the server." }),
  goal: z
    .enum(["increase", "decrease"])
    .nullish()
    .meta({ description: "Which direction is better; increase by default." }),
  ...window,
  breakdownFilter: z.unknown().optional().meta({ description: "Stored as sent." }),
};

const share = z.number().min(0).max(1).nullish();

const meanMetric = z
  .looseObject({
    ...common,
    metric_type: z.literal("mean"),
    source: metricSource,
    lower_bound_percentile: share.meta({
      description: "Smaller values are raised to this quantile of all units' values, 0 to 1.",
    }),
    upper_bound_percentile: share.meta({
      description: "Larger values are capped at this quantile of all units' values, 0 to 1.",
    }),
    ignore_zeros: z.boolean().nullish().meta({ description: "Whether the upper quantile ignores zeros." }),
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
      .meta({ description: "Whether steps must happen in order; ordered by default." }),
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
    start_event: metricSource.meta({ description: "Event that makes a unit count." }),
    completion_event: metricSource.meta({ description: "Event that counts as a return." }),
    retention_window_start: z.number().int().min(0).meta({ description: "First unit of time that counts." }),
    retention_window_end: z.number().int().min(0).meta({ description: "Last unit of time that counts." }),
    retention_window_unit: windowUnit.meta({ description: "Unit of both." }),
    start_handling: z.enum(["first_seen", "last_seen"]).nullish().meta({
      description: "Start event from which the window is measured; first_seen by default.",
    }),
  })
  .meta({ id: "ExperimentRetentionMetric" });

/** A metric that can be computed. */
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
