import { MULTIPLE } from "#lib/statistics/sample_ratio.ts";
import { orderedSteps } from "./funnel.ts";
import type { Plan, PlannedMetric } from "./plan.ts";
import type { Hit, UnitHistory } from "./reader.ts";
import { addTo, comesBack, returnsUntil, spanOf, type UnitValue, within } from "./unit.ts";

/**
 * Going on from what is kept of a unit with what is new of it, so that its history need not be read again. Wherever
 * the outcome might be another one than that of all its events together, the answer is AGAIN: read all of them.
 */

/** A unit as it is kept: values for each of the plan's metrics. */
export type KeptUnit = { variant: string; first_at: number; values: UnitValue[] };

export const AGAIN = "again";
type Again = typeof AGAIN;

/** What is new: events by time, in a history of their own. */
type News = {
  history: UnitHistory;
  /** Events before this moment may be older than some that are counted already; later ones are not. */
  since: number;
  /** Whether two of the events happened at the same moment, so that their order is not known. */
  tied: boolean;
};

/** Decimals of six places below it add up to the same whatever their order is. */
const EXACT = 1e8;
const isExact = (value: number) =>
  Math.abs(value) < EXACT && Math.round(value * 1_000_000) / 1_000_000 === value;

function sumOn(sum: number, hits: readonly Hit[], { since, tied }: News): number | Again {
  let total = sum;
  for (const { at, value } of hits) {
    if (value === null) continue;
    if ((tied || at < since) && !(isExact(total) && isExact(value))) return AGAIN;
    total = addTo(total, value);
  }
  return total;
}

/** The number that a source makes of what it counted and of new hits. */
function numberOn(plan: Plan, source: number, before: number, hits: readonly Hit[], news: News) {
  if (hits.length === 0) return before;
  const math = plan.sources[source]?.math;
  if (math === "total") return before + hits.length;
  if (math === "sum") return sumOn(before, hits, news);
  // Of one person, there is one.
  return math === "dau" && plan.group_type === null ? 1 : AGAIN;
}

type Step = (unit: KeptUnit, value: UnitValue, news: News) => UnitValue | Again;

function meanStep(plan: Plan, metric: PlannedMetric): Step {
  const [source = 0] = metric.sources;
  return ({ first_at }, kept, news) => {
    const hits = news.history.hits[source] ?? [];
    if (hits.length === 0) return kept;
    const span = spanOf(plan, metric, first_at, Number.POSITIVE_INFINITY);
    const value = numberOn(plan, source, kept.value, within(hits, span), news);
    const earlier = metric.lookback === null ? null : { from: first_at - metric.lookback, to: first_at };
    const covariate = earlier
      ? numberOn(plan, source, kept.covariate, within(hits, earlier), news)
      : kept.covariate;
    if (value === AGAIN || covariate === AGAIN) return AGAIN;
    return value === kept.value && covariate === kept.covariate ? kept : { ...kept, value, covariate };
  };
}

function ratioStep(plan: Plan, metric: PlannedMetric): Step {
  const [over = 0, under = 0] = metric.sources;
  return ({ first_at }, kept, news) => {
    const span = spanOf(plan, metric, first_at, Number.POSITIVE_INFINITY);
    const hitsOf = (source: number) => within(news.history.hits[source] ?? [], span);
    const value = numberOn(plan, over, kept.value, hitsOf(over), news);
    const other = numberOn(plan, under, kept.other, hitsOf(under), news);
    if (value === AGAIN || other === AGAIN) return AGAIN;
    return value === kept.value && other === kept.other ? kept : { ...kept, value, other };
  };
}

/** Steps within the one window there is. */
function stepsOn(
  plan: Plan,
  metric: PlannedMetric,
  { first_at }: KeptUnit,
  kept: UnitValue,
  { history, since, tied }: News,
): UnitValue | Again {
  const count = metric.sources.length;
  const span = spanOf(plan, metric, first_at, Number.POSITIVE_INFINITY);
  const steps = metric.sources.map((source) => within(history.hits[source] ?? [], span));
  const hits = steps.flat();
  if (hits.length === 0) return kept;
  if (!metric.ordered || tied || hits.some(({ at }) => at < since)) return AGAIN;
  const other = kept.other + orderedSteps(steps.slice(kept.other), span);
  return other === kept.other ? kept : { ...kept, other, value: other === count ? 1 : 0 };
}

/** Steps taken from the first exposure on; further exposures open windows of their own, if there are windows. */
function funnelStep(plan: Plan, metric: PlannedMetric): Step {
  return (unit, kept, news) => {
    const { exposures } = news.history;
    const hits = metric.sources.flatMap((source) => news.history.hits[source] ?? []);
    const opened = metric.window !== null && exposures.length > 0;
    if (hits.length === 0 && !opened) return kept;
    if (metric.lookback !== null && hits.some(({ at }) => at < unit.first_at)) return AGAIN;
    const marked = opened && kept.mark === 0 ? { ...kept, mark: 1 } : kept;
    if (kept.other === metric.sources.length) return marked;
    if (marked.mark === 0) return stepsOn(plan, metric, unit, kept, news);
    return hits.length > 0 || exposures.some(({ at }) => at < news.since) ? AGAIN : marked;
  };
}

const BEFORE = -1;

/** Whether a start that is new is the one that counts; AGAIN where that cannot be said. */
function startsAnew(isLast: boolean, start: Hit, kept: UnitValue, { since, tied }: News): boolean | Again {
  if (tied) return AGAIN;
  if (kept.other === 1) {
    if (start.at === kept.mark) return AGAIN;
    // A first start stays the first, and a last one that is newer the last.
    if (isLast ? start.at < kept.mark : start.at > kept.mark) return false;
    if (!isLast) return AGAIN;
  }
  return start.at < since ? AGAIN : true;
}

function retentionStep(plan: Plan, metric: PlannedMetric): Step {
  const [startSource = 0, completionSource = 0] = metric.sources;
  const rule = metric.retention;
  const until = returnsUntil(plan, metric, Number.POSITIVE_INFINITY);
  return ({ first_at }, kept, news) => {
    const span = spanOf(plan, metric, first_at, Number.POSITIVE_INFINITY);
    const starts = within(news.history.hits[startSource] ?? [], span);
    const completions = (news.history.hits[completionSource] ?? []).filter(({ at }) => at < until);
    if (!rule || (starts.length === 0 && completions.length === 0)) return kept;
    const comes = (from: Pick<Hit, "at" | "position">) =>
      completions.some((hit) => comesBack(plan, rule, from, hit));
    const start = rule.last ? starts.at(-1) : starts[0];
    const anew = start !== undefined && startsAnew(rule.last, start, kept, news);
    if (anew === AGAIN) return AGAIN;
    if (start && anew) return { value: comes(start) ? 1 : 0, other: 1, covariate: 0, mark: start.at };
    const back = kept.other === 1 && kept.value === 0 && comes({ at: kept.mark, position: BEFORE });
    return back ? { ...kept, value: 1 } : kept;
  };
}

const STEPS: Record<PlannedMetric["type"], (plan: Plan, metric: PlannedMetric) => Step> = {
  mean: meanStep,
  ratio: ratioStep,
  funnel: funnelStep,
  retention: retentionStep,
};

/** Whether new exposures leave the first one and the variant as they are. */
function isExposedTheSame(plan: Plan, unit: KeptUnit, exposures: UnitHistory["exposures"]): boolean {
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
 * A plan's way of going on.
 *
 * @returns for a unit and its new events, by time: its values, `kept` itself where nothing changes, or AGAIN
 */
export function createFold(plan: Plan) {
  const steps = plan.metrics.map((metric) => STEPS[metric.type](plan, metric));
  return (
    unit: KeptUnit,
    events: readonly { at: number }[],
    history: UnitHistory,
    since: number,
  ): UnitValue[] | Again => {
    if (!isExposedTheSame(plan, unit, history.exposures)) return AGAIN;
    if (unit.variant === MULTIPLE) return unit.values;
    const news = { history, since, tied: isTied(events) };
    let values = unit.values;
    for (const [i, step] of steps.entries()) {
      const kept = unit.values[i];
      if (!kept) continue;
      const value = step(unit, kept, news);
      if (value === AGAIN) return AGAIN;
      if (value === kept) continue;
      if (values === unit.values) values = [...values];
      values[i] = value;
    }
    return values;
  };
}
