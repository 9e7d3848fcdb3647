import { z } from "zod";
import { spanOf, within } from "./counting.ts";
import {
  ALL_STEPS,
  type CountingPlan,
  type Hit,
  type MetricKind,
  type NewEvents,
  NO_RULES,
  type PlannedMetric,
  RECOMPUTE,
  type Recompute,
  type Span,
  type UnitHistory,
  type UnitValue,
} from "./kind.ts";
import { commonFields, emptyStep, metricSource } from "./metric-schema.ts";

/** Steps of a funnel at most. */
export const STEPS_MAX = 20;

const schema = z
  .looseObject({
    ...commonFields,
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

/** Place of the first hit at or after a moment, by bisection. */
function firstAt(hits: readonly Hit[], at: number): number {
  let low = 0;
  let high = hits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((hits[middle]?.at ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * How many steps a unit took one after the other within the span: each a later event than the one before (by time,
 * at the same moment by the order of the events). Taking each step as early as possible reaches the most steps.
 */
export function countOrderedSteps(steps: readonly (readonly Hit[])[], { from, to }: Span): number {
  let position = -1;
  let at = from;
  for (const [reached, hits] of steps.entries()) {
    let next = firstAt(hits, at);
    while (next < hits.length && (hits[next]?.position ?? 0) <= position) next += 1;
    const hit = hits[next];
    if (!hit || hit.at >= to) return reached;
    position = hit.position;
    at = hit.at;
  }
  return steps.length;
}

/**
 * How many steps a unit took within the span in any order, each by an event of its own: the largest matching
 * between steps and events, found by augmenting paths. As many events a step as there are steps are enough.
 */
export function countUnorderedSteps(steps: readonly (readonly Hit[])[], { from, to }: Span): number {
  const candidates = steps.map((hits) => {
    const first = firstAt(hits, from);
    return hits
      .slice(first, first + steps.length)
      .filter((hit) => hit.at < to)
      .map((hit) => hit.position);
  });
  const takenBy = new Map<number, number>();
  const take = (step: number, tried: Set<number>): boolean =>
    (candidates[step] ?? []).some((position) => {
      if (tried.has(position)) return false;
      tried.add(position);
      const holder = takenBy.get(position);
      if (holder !== undefined && !take(holder, tried)) return false;
      takenBy.set(position, step);
      return true;
    });
  return steps.reduce((count, _, step) => count + (take(step, new Set()) ? 1 : 0), 0);
}

/** Steps after the exposure; each exposure opens a window of its own, and the best one counts. */
function countSteps(plan: CountingPlan, metric: PlannedMetric, history: UnitHistory, cut: number): number {
  const steps = metric.sources.map((source) => history.hits[source] ?? []);
  const take = metric.ordered ? countOrderedSteps : countUnorderedSteps;
  let most = 0;
  for (const exposure of history.exposures) {
    if (exposure.at >= cut) break;
    most = Math.max(most, take(steps, spanOf(plan, metric, exposure.at, cut)));
    // Without a window, a later start sees nothing that the first did not.
    if (metric.window === null || most === steps.length) break;
  }
  return most;
}

/** 1 for a unit that took all steps, one after the other, in the time before its exposure. */
function countEarlier({ sources, lookback }: PlannedMetric, history: UnitHistory, first: number): number {
  if (lookback === null) return 0;
  const steps = sources.map((source) => history.hits[source] ?? []);
  return countOrderedSteps(steps, { from: first - lookback, to: first }) === steps.length ? 1 : 0;
}

/** New steps within the one window there is. */
function updateSteps(
  plan: CountingPlan,
  metric: PlannedMetric,
  first: number,
  stored: UnitValue,
  { history, since, tied }: NewEvents,
): UnitValue | Recompute {
  const count = metric.sources.length;
  const span = spanOf(plan, metric, first, Number.POSITIVE_INFINITY);
  const steps = metric.sources.map((source) => within(history.hits[source] ?? [], span));
  const hits = steps.flat();
  if (hits.length === 0) return stored;
  if (!metric.ordered || tied || hits.some(({ at }) => at < since)) return RECOMPUTE;
  const other = stored.other + countOrderedSteps(steps.slice(stored.other), span);
  return other === stored.other ? stored : { ...stored, other, value: other === count ? 1 : 0 };
}

/** Share of units that take all steps after the exposure. */
export const funnel = {
  schema,
  parts: [{ field: "series", isList: true, what: (index) => `the event of step ${index + 1}` }],
  createEmpty: () => ({ series: [emptyStep()], funnel_order_type: "ordered" }),
  findProblem: () => null,
  planning: () => ({ isCount: true, calculator: "funnel" }),
  defaultName: (events) => events.join(" → "),
  plan({ series, funnel_order_type }) {
    const ordered = funnel_order_type !== "unordered";
    return { ...NO_RULES, sources: series, isAdjustable: ordered, ordered };
  },
  statistics: "funnel",
  sums: { bySteps: true, denominator: false, units: "exposed" },
  layout({ lookback, window }) {
    const covariate = lookback === null ? null : 1;
    const mark = window === null ? null : covariate === null ? 1 : 2;
    return { value: ALL_STEPS, other: 0, covariate, mark };
  },
  count(plan, metric, history, first, cut) {
    const other = countSteps(plan, metric, history, cut);
    const several = metric.window !== null && (history.exposures[1]?.at ?? cut) < cut;
    return {
      value: other === metric.sources.length ? 1 : 0,
      other,
      covariate: countEarlier(metric, history, first),
      mark: several ? 1 : 0,
    };
  },
  // Steps are taken from the first exposure on; further exposures open windows of their own, if there are windows.
  createUpdate(plan, metric) {
    return ({ first_at }, stored, added) => {
      const { exposures } = added.history;
      const hits = metric.sources.flatMap((source) => added.history.hits[source] ?? []);
      const opened = metric.window !== null && exposures.length > 0;
      if (hits.length === 0 && !opened) return stored;
      if (metric.lookback !== null && hits.some(({ at }) => at < first_at)) return RECOMPUTE;
      const marked = opened && stored.mark === 0 ? { ...stored, mark: 1 } : stored;
      if (stored.other === metric.sources.length) return marked;
      if (marked.mark === 0) return updateSteps(plan, metric, first_at, stored, added);
      return hits.length > 0 || exposures.some(({ at }) => at < added.since) ? RECOMPUTE : marked;
    };
  },
} satisfies MetricKind<z.infer<typeof schema>>;
