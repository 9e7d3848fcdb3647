import { z } from "zod";
import { calendarOf, UNIT_MS } from "./calendar.ts";
import { spanOf, within } from "./counting.ts";
import {
  type CountingPlan,
  type Hit,
  type MetricKind,
  type NewEvents,
  NO_RULES,
  type PlannedMetric,
  RECOMPUTE,
  type Recompute,
  type UnitValue,
} from "./kind.ts";
import { commonFields, emptyStep, metricSource, windowUnit } from "./metric-schema.ts";

const schema = z
  .looseObject({
    ...commonFields,
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

/** Whether a completion falls within the retention window after the start: hours and days by the zone's clock. */
export function comesBack(
  plan: Pick<CountingPlan, "timezone">,
  rule: NonNullable<PlannedMetric["retention"]>,
  start: Pick<Hit, "at" | "position">,
  hit: Hit,
): boolean {
  if (hit.position === start.position || hit.at < start.at) return false;
  const calendar = calendarOf(plan.timezone);
  const passed =
    rule.unit === "day"
      ? calendar.dayOf(hit.at) - calendar.dayOf(start.at)
      : rule.unit === "hour"
        ? calendar.hourOf(hit.at) - calendar.hourOf(start.at)
        : Math.floor((hit.at - start.at) / UNIT_MS[rule.unit]);
  return passed >= rule.from && passed <= rule.to;
}

/** Who started in time may come back after a conversion window, though not after the experiment. */
const returnsUntil = (plan: CountingPlan, metric: PlannedMetric, cut: number): number =>
  plan.end === null ? cut : Math.min(cut, plan.end + 1 + (metric.window ?? 0));

/** A start that is stored has no place among new events. */
const BEFORE = -1;

/** Whether a new start replaces the one that counts; RECOMPUTE where that is unknown. */
function replacesStart(
  isLast: boolean,
  start: Hit,
  stored: UnitValue,
  { since, tied }: NewEvents,
): boolean | Recompute {
  if (tied) return RECOMPUTE;
  if (stored.other === 1) {
    if (start.at === stored.mark) return RECOMPUTE;
    // A first start stays the first, and a last one that is newer the last.
    if (isLast ? start.at < stored.mark : start.at > stored.mark) return false;
    if (!isLast) return RECOMPUTE;
  }
  return start.at < since ? RECOMPUTE : true;
}

/** Share of the units that started which come back within a set time. */
export const retention = {
  schema,
  parts: [
    { field: "start_event", isList: false, what: () => "the start event" },
    { field: "completion_event", isList: false, what: () => "the return event" },
  ],
  createEmpty: () => ({
    start_event: emptyStep(),
    completion_event: emptyStep(),
    retention_window_start: 1,
    retention_window_end: 7,
    retention_window_unit: "day",
    start_handling: "first_seen",
  }),
  findProblem: ({ retention_window_start: start, retention_window_end: end }) =>
    Number(end) < Number(start) ? "The window ends before it begins." : null,
  planning: () => ({ isCount: true, calculator: "retention" }),
  defaultName: ([, event]) => `back for ${event}`,
  plan: (metric) => ({
    ...NO_RULES,
    sources: [metric.start_event, metric.completion_event],
    isAdjustable: false,
    retention: {
      from: metric.retention_window_start,
      to: metric.retention_window_end,
      unit: metric.retention_window_unit,
      last: metric.start_handling === "last_seen",
    },
  }),
  statistics: "retention",
  sums: { bySteps: false, denominator: true, units: "started" },
  layout: () => ({ value: 0, other: 1, covariate: null, mark: 2 }),
  count(plan, metric, history, first, cut) {
    const [startSource = 0, completionSource = 0] = metric.sources;
    const starts = within(history.hits[startSource] ?? [], spanOf(plan, metric, first, cut));
    const rule = metric.retention;
    const start = rule?.last ? starts.at(-1) : starts[0];
    if (!start || !rule) return null;
    const until = returnsUntil(plan, metric, cut);
    const back = (history.hits[completionSource] ?? []).some(
      (hit) => hit.at < until && comesBack(plan, rule, start, hit),
    );
    return { value: back ? 1 : 0, other: 1, covariate: 0, mark: start.at };
  },
  createUpdate(plan, metric) {
    const [startSource = 0, completionSource = 0] = metric.sources;
    const rule = metric.retention;
    const until = returnsUntil(plan, metric, Number.POSITIVE_INFINITY);
    return ({ first_at }, stored, added) => {
      const span = spanOf(plan, metric, first_at, Number.POSITIVE_INFINITY);
      const starts = within(added.history.hits[startSource] ?? [], span);
      const completions = (added.history.hits[completionSource] ?? []).filter(({ at }) => at < until);
      if (!rule || (starts.length === 0 && completions.length === 0)) return stored;
      const comes = (from: Pick<Hit, "at" | "position">) =>
        completions.some((hit) => comesBack(plan, rule, from, hit));
      const start = rule.last ? starts.at(-1) : starts[0];
      const isNew = start !== undefined && replacesStart(rule.last, start, stored, added);
      if (isNew === RECOMPUTE) return RECOMPUTE;
      if (start && isNew) return { value: comes(start) ? 1 : 0, other: 1, covariate: 0, mark: start.at };
      const back = stored.other === 1 && stored.value === 0 && comes({ at: stored.mark, position: BEFORE });
      return back ? { ...stored, value: 1 } : stored;
    };
  },
} satisfies MetricKind<z.infer<typeof schema>>;
