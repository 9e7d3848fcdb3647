import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import type { Hit, UnitHistory } from "#lib/experiments/results/events/reader.ts";
import type { Plan, PlannedMetric } from "#lib/experiments/results/plan/plan.ts";
import { countOrderedSteps } from "./funnel.ts";
import { addTo, comesBack, returnsUntil, spanOf, type UnitValue, within } from "./unit.ts";

/**
 * Updates a unit's stored values with its new events, so that its history need not be read again. Wherever the
 * outcome might differ from that of all its events together, the answer is RECOMPUTE: read all of them.
 */

/** A stored unit: values for each of the plan's metrics. */
export type StoredUnit = { variant: string; first_at: number; values: UnitValue[] };

export const RECOMPUTE = "recompute";
type Recompute = typeof RECOMPUTE;

/** New events by time, in a history of their own. */
type Delta = {
  history: UnitHistory;
  /** Events before this moment may be older than some that are counted already; later ones are not. */
  since: number;
  /** Whether two of the events happened at the same moment, so that their order is not known. */
  tied: boolean;
};

/** Decimals of six slots below it add up to the same whatever their order is. */
const EXACT = 1e8;
const isExact = (value: number) =>
  Math.abs(value) < EXACT && Math.round(value * 1_000_000) / 1_000_000 === value;

function sumOn(sum: number, hits: readonly Hit[], { since, tied }: Delta): number | Recompute {
  let total = sum;
  for (const { at, value } of hits) {
    if (value === null) continue;
    if ((tied || at < since) && !(isExact(total) && isExact(value))) return RECOMPUTE;
    total = addTo(total, value);
  }
  return total;
}

/** The number that a source makes of what it counted and of new hits. */
function numberOn(plan: Plan, source: number, before: number, hits: readonly Hit[], delta: Delta) {
  if (hits.length === 0) return before;
  const math = plan.sources[source]?.math;
  if (math === "total") return before + hits.length;
  if (math === "sum") return sumOn(before, hits, delta);
  // A person counts once.
  return math === "dau" && plan.group_type === null ? 1 : RECOMPUTE;
}

type Step = (unit: StoredUnit, value: UnitValue, delta: Delta) => UnitValue | Recompute;

function meanStep(plan: Plan, metric: PlannedMetric): Step {
  const [source = 0] = metric.sources;
  return ({ first_at }, stored, delta) => {
    const hits = delta.history.hits[source] ?? [];
    if (hits.length === 0) return stored;
    const span = spanOf(plan, metric, first_at, Number.POSITIVE_INFINITY);
    const value = numberOn(plan, source, stored.value, within(hits, span), delta);
    const earlier = metric.lookback === null ? null : { from: first_at - metric.lookback, to: first_at };
    const covariate = earlier
      ? numberOn(plan, source, stored.covariate, within(hits, earlier), delta)
      : stored.covariate;
    if (value === RECOMPUTE || covariate === RECOMPUTE) return RECOMPUTE;
    return value === stored.value && covariate === stored.covariate
      ? stored
      : { ...stored, value, covariate };
  };
}

function ratioStep(plan: Plan, metric: PlannedMetric): Step {
  const [over = 0, under = 0] = metric.sources;
  return ({ first_at }, stored, delta) => {
    const span = spanOf(plan, metric, first_at, Number.POSITIVE_INFINITY);
    const hitsOf = (source: number) => within(delta.history.hits[source] ?? [], span);
    const value = numberOn(plan, over, stored.value, hitsOf(over), delta);
    const other = numberOn(plan, under, stored.other, hitsOf(under), delta);
    if (value === RECOMPUTE || other === RECOMPUTE) return RECOMPUTE;
    return value === stored.value && other === stored.other ? stored : { ...stored, value, other };
  };
}

/** Steps within the one window there is. */
function stepsOn(
  plan: Plan,
  metric: PlannedMetric,
  { first_at }: StoredUnit,
  stored: UnitValue,
  { history, since, tied }: Delta,
): UnitValue | Recompute {
  const count = metric.sources.length;
  const span = spanOf(plan, metric, first_at, Number.POSITIVE_INFINITY);
  const steps = metric.sources.map((source) => within(history.hits[source] ?? [], span));
  const hits = steps.flat();
  if (hits.length === 0) return stored;
  if (!metric.ordered || tied || hits.some(({ at }) => at < since)) return RECOMPUTE;
  const other = stored.other + countOrderedSteps(steps.slice(stored.other), span);
  return other === stored.other ? stored : { ...stored, other, value: other === count ? 1 : 0 };
}

/** Steps taken from the first exposure on; further exposures open windows of their own, if there are windows. */
function funnelStep(plan: Plan, metric: PlannedMetric): Step {
  return (unit, stored, delta) => {
    const { exposures } = delta.history;
    const hits = metric.sources.flatMap((source) => delta.history.hits[source] ?? []);
    const opened = metric.window !== null && exposures.length > 0;
    if (hits.length === 0 && !opened) return stored;
    if (metric.lookback !== null && hits.some(({ at }) => at < unit.first_at)) return RECOMPUTE;
    const marked = opened && stored.mark === 0 ? { ...stored, mark: 1 } : stored;
    if (stored.other === metric.sources.length) return marked;
    if (marked.mark === 0) return stepsOn(plan, metric, unit, stored, delta);
    return hits.length > 0 || exposures.some(({ at }) => at < delta.since) ? RECOMPUTE : marked;
  };
}

const BEFORE = -1;

/** Whether a new start replaces the one that counts; RECOMPUTE where that is unknown. */
function replacesStart(
  isLast: boolean,
  start: Hit,
  stored: UnitValue,
  { since, tied }: Delta,
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

function retentionStep(plan: Plan, metric: PlannedMetric): Step {
  const [startSource = 0, completionSource = 0] = metric.sources;
  const rule = metric.retention;
  const until = returnsUntil(plan, metric, Number.POSITIVE_INFINITY);
  return ({ first_at }, stored, delta) => {
    const span = spanOf(plan, metric, first_at, Number.POSITIVE_INFINITY);
    const starts = within(delta.history.hits[startSource] ?? [], span);
    const completions = (delta.history.hits[completionSource] ?? []).filter(({ at }) => at < until);
    if (!rule || (starts.length === 0 && completions.length === 0)) return stored;
    const comes = (from: Pick<Hit, "at" | "position">) =>
      completions.some((hit) => comesBack(plan, rule, from, hit));
    const start = rule.last ? starts.at(-1) : starts[0];
    const isNew = start !== undefined && replacesStart(rule.last, start, stored, delta);
    if (isNew === RECOMPUTE) return RECOMPUTE;
    if (start && isNew) return { value: comes(start) ? 1 : 0, other: 1, covariate: 0, mark: start.at };
    const back = stored.other === 1 && stored.value === 0 && comes({ at: stored.mark, position: BEFORE });
    return back ? { ...stored, value: 1 } : stored;
  };
}

const STEPS: Record<PlannedMetric["type"], (plan: Plan, metric: PlannedMetric) => Step> = {
  mean: meanStep,
  ratio: ratioStep,
  funnel: funnelStep,
  retention: retentionStep,
};

/** Whether new exposures leave the first one and the variant as they are. */
function isExposedTheSame(plan: Plan, unit: StoredUnit, exposures: UnitHistory["exposures"]): boolean {
  return exposures.every(({ at, variant }) => {
    if (at < unit.first_at) return false;
    if (variant === unit.variant || unit.variant === MULTIPLE) return true;
    return plan.handling === "first_seen" && at > unit.first_at;
  });
}

/** Whether two of some events, by time, happened at the same moment: which came first is then not known. */
export const isTied = (events: readonly { at: number }[]) =>
  events.some(({ at }, i) => i > 0 && events[i - 1]?.at === at);

/**
 * Creates the function that updates units of a plan.
 *
 * @returns for a unit and its new events, by time: its values, the same array where nothing changes, or RECOMPUTE
 */
export function createIncrement(plan: Plan) {
  const steps = plan.metrics.map((metric) => STEPS[metric.type](plan, metric));
  return (
    unit: StoredUnit,
    events: readonly { at: number }[],
    history: UnitHistory,
    since: number,
  ): UnitValue[] | Recompute => {
    if (!isExposedTheSame(plan, unit, history.exposures)) return RECOMPUTE;
    if (unit.variant === MULTIPLE) return unit.values;
    const delta = { history, since, tied: isTied(events) };
    let values = unit.values;
    for (const [i, step] of steps.entries()) {
      const stored = unit.values[i];
      if (!stored) continue;
      const value = step(unit, stored, delta);
      if (value === RECOMPUTE) return RECOMPUTE;
      if (value === stored) continue;
      if (values === unit.values) values = [...values];
      values[i] = value;
    }
    return values;
  };
}
