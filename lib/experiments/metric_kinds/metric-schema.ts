import { z } from "zod";
import { CURRENCY } from "./amounts.ts";

/** Every kind of metric, as the API names it in `metric_type`. */
export const METRIC_TYPES = ["mean", "funnel", "ratio", "retention"] as const;

export type MetricType = (typeof METRIC_TYPES)[number];

/** Units of a conversion or retention window; a month is 30 days. */
export const windowUnit = z.enum(["second", "minute", "hour", "day", "week", "month"]);

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
export const metricSource = z
  .discriminatedUnion("kind", [eventsNode, actionsNode, warehouseNode])
  .meta({ id: "ExperimentMetricSource" });

/** The fields of every kind of metric. */
export const commonFields = {
  kind: z.literal("ExperimentMetric"),
  uuid: z.string().nullish().meta({ description: "Identifies the metric; generated when absent." }),
  name: z.string().nullish().meta({ description: "Display name." }),
  fingerprint: z.string().nullish().meta({ description: "Hash of its configuration; set by the server." }),
  goal: z
    .enum(["increase", "decrease"])
    .nullish()
    .meta({ description: "Which direction is better; increase by default." }),
  conversion_window: z.number().int().min(0).nullish().meta({
    description: "How long after the first exposure events count; by default until the experiment's end.",
  }),
  conversion_window_unit: windowUnit.nullish().meta({ description: "Unit of conversion_window." }),
  currency: z.string().regex(CURRENCY, "Use an ISO 4217 code, such as EUR.").nullish().meta({
    description: "ISO 4217 code of the currency in which sums and averages of a property are shown.",
  }),
  breakdownFilter: z.unknown().optional().meta({ description: "Stored as sent." }),
};

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
/** How the events of one unit become a number here. */
export type SourceMath = Exclude<z.infer<typeof sourceMath>, "hogql">;

/** A source for which no event is chosen yet. */
export const emptySource = () => ({ kind: "EventsNode", event: "", math: "total", properties: [] });

/** The same where its events are not counted: they happened or not. */
export const emptyStep = () => ({ kind: "EventsNode", event: "", properties: [] });
