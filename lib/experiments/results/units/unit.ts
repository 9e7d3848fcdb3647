import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import type { Hit, UnitHistory } from "#lib/experiments/results/events/reader.ts";
import { calendarOf } from "#lib/experiments/results/plan/days.ts";
import { type Plan, type PlannedMetric, UNIT_MS } from "#lib/experiments/results/plan/plan.ts";
import type { SourceMath } from "#lib/experiments/results/plan/sources.ts";
import { countOrderedSteps, countUnorderedSteps, type Span } from "./funnel.ts";

/**
 * What a unit adds to a metric. `value`: its number, or 1 for one that converted or came back; `other`: the
 * denominator, the funnel's steps reached, or 1 for one that started; `covariate`: its number before the exposure.
 * `mark` adds nothing, but is needed to go on from here: when one started whose return is awaited, in milliseconds;
 * 1 for one with several exposures, each of which opened a window of a funnel.
 */
export type UnitValue = { value: number; other: number; covariate: number; mark: number };

/** A unit as of some moment; null values: it counts in no metric, or adds nothing to that one. */
export type UnitState = { variant: string; first_at: number; values: (UnitValue | null)[] };

/** The variant that a unit counts for, of exposures in order. */
function variantOf(exposures: UnitHistory["exposures"], handling: Plan["handling"]): string {
  const first = exposures[0]?.variant ?? "";
  if (handling === "first_seen" || exposures.every(({ variant }) => variant === first)) return first;
  return MULTIPLE;
}

function distinct(hits: readonly Hit[]): number {
  const keys = new Set<string>();
  for (const { key } of hits) if (key !== null) keys.add(key);
  return keys.size;
}

/** The number that a source makes of hits; 0 of none. */
function aggregate(math: SourceMath, hits: readonly Hit[]): number {
  if (math === "total") return hits.length;
  if (math === "dau" || math === "unique_session" || math === "unique_group") return distinct(hits);
  let count = 0;
  let sum = 0;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { value } of hits) {
    if (value === null) continue;
    count += 1;
    sum += value;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (count === 0) return 0;
  if (math === "sum") return hits.reduce((total, { value }) => addTo(total, value), 0);
  return math === "avg" ? decimal(sum / count) : math === "min" ? low : high;
}

/** Without the noise that adding decimals in binary leaves behind the fifteenth digit. */
export const decimal = (value: number): number =>
  Number.isInteger(value) ? value : Number(value.toPrecision(15));

/** Adds an event's number to a sum: so it is done one by one, and a sum can be gone on with. */
export const addTo = (sum: number, value: number | null): number =>
  value === null ? sum : decimal(sum + value);

export const within = (hits: readonly Hit[], { from, to }: Span) =>
  hits.filter((hit) => hit.at >= from && hit.at < to);

/** Events of a metric count from the first exposure until the window, the experiment or the present ends. */
export function spanOf(plan: Plan, metric: PlannedMetric, from: number, cut: number): Span {
  const end = metric.window !== null ? from + metric.window : plan.end === null ? cut : plan.end + 1;
  return { from, to: Math.min(end, cut) };
}

function numberOfSource(plan: Plan, source: number, history: UnitHistory, span: Span): number {
  return aggregate(plan.sources[source]?.math ?? "total", within(history.hits[source] ?? [], span));
}

/** Steps after the exposure; each exposure opens a window of its own, and the best one counts. */
function countFunnelSteps(plan: Plan, metric: PlannedMetric, history: UnitHistory, cut: number): number {
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

/** Whether a completion falls within the retention window after the start: hours and days by the zone's clock. */
export function comesBack(
  plan: Pick<Plan, "timezone">,
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
export const returnsUntil = (plan: Plan, metric: PlannedMetric, cut: number): number =>
  plan.end === null ? cut : Math.min(cut, plan.end + 1 + (metric.window ?? 0));

function computeRetention(plan: Plan, metric: PlannedMetric, history: UnitHistory, span: Span, cut: number) {
  const [startSource = 0, completionSource = 0] = metric.sources;
  const starts = within(history.hits[startSource] ?? [], span);
  const rule = metric.retention;
  const start = rule?.last ? starts.at(-1) : starts[0];
  if (!start || !rule) return null;
  const until = returnsUntil(plan, metric, cut);
  const back = (history.hits[completionSource] ?? []).some(
    (hit) => hit.at < until && comesBack(plan, rule, start, hit),
  );
  return { value: back ? 1 : 0, other: 1, covariate: 0, mark: start.at };
}

function covariateOf(plan: Plan, metric: PlannedMetric, history: UnitHistory, first: number): number {
  if (metric.lookback === null) return 0;
  const span = { from: first - metric.lookback, to: first };
  if (metric.type === "mean") return numberOfSource(plan, metric.sources[0] ?? 0, history, span);
  const steps = metric.sources.map((source) => history.hits[source] ?? []);
  return countOrderedSteps(steps, span) === steps.length ? 1 : 0;
}

function valueIn(plan: Plan, metric: PlannedMetric, history: UnitHistory, first: number, cut: number) {
  const span = spanOf(plan, metric, first, cut);
  if (metric.type === "retention") return computeRetention(plan, metric, history, span, cut);
  const covariate = covariateOf(plan, metric, history, first);
  if (metric.type === "funnel") {
    const other = countFunnelSteps(plan, metric, history, cut);
    const several = metric.window !== null && (history.exposures[1]?.at ?? cut) < cut;
    return { value: other === metric.sources.length ? 1 : 0, other, covariate, mark: several ? 1 : 0 };
  }
  const value = numberOfSource(plan, metric.sources[0] ?? 0, history, span);
  const other = metric.type === "ratio" ? numberOfSource(plan, metric.sources[1] ?? 0, history, span) : 0;
  return { value, other, covariate, mark: 0 };
}

/** Whether sums are the same without it. */
export const addsNothing = ({ value, other, covariate }: UnitValue): boolean =>
  value === 0 && other === 0 && covariate === 0;

/**
 * A unit as of a moment, from all that it did: what counts are its events before `cut`.
 *
 * @returns null when it was not exposed by then
 */
export function computeState(plan: Plan, history: UnitHistory, cut: number): UnitState | null {
  const first = history.exposures[0];
  if (!first || first.at >= cut) return null;
  const exposures = history.exposures.filter((exposure) => exposure.at < cut);
  const variant = variantOf(exposures, plan.handling);
  const values = plan.metrics.map((metric) => {
    if (variant === MULTIPLE) return null;
    const value = valueIn(plan, metric, history, first.at, cut);
    return value && (!addsNothing(value) || value.mark !== 0) ? value : null;
  });
  return { variant, first_at: first.at, values };
}
