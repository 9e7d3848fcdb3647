import {
  type CountingPlan,
  type Hit,
  type NewEvents,
  type PlannedMetric,
  RECOMPUTE,
  type Recompute,
  type Span,
  type UnitHistory,
} from "./kind.ts";
import type { SourceMath } from "./metric-schema.ts";

/** What several kinds of metrics count alike. */

export const within = (hits: readonly Hit[], { from, to }: Span) =>
  hits.filter((hit) => hit.at >= from && hit.at < to);

/** Events of a metric count from the first exposure until the window, the experiment or the present ends. */
export function spanOf(
  plan: Pick<CountingPlan, "end">,
  metric: Pick<PlannedMetric, "window">,
  from: number,
  cut: number,
): Span {
  const end = metric.window !== null ? from + metric.window : plan.end === null ? cut : plan.end + 1;
  return { from, to: Math.min(end, cut) };
}

/** Without the noise that adding decimals in binary leaves behind the fifteenth digit. */
export const decimal = (value: number): number =>
  Number.isInteger(value) ? value : Number(value.toPrecision(15));

/** Adds an event's number to a sum: so it is done one by one, and a sum can be gone on with. */
const addTo = (sum: number, value: number | null): number => (value === null ? sum : decimal(sum + value));

function countDistinct(hits: readonly Hit[]): number {
  const keys = new Set<string>();
  for (const { key } of hits) if (key !== null) keys.add(key);
  return keys.size;
}

/** The number that no other one beats; 0 of none. */
function extremeOf(hits: readonly Hit[], beats: (value: number, best: number) => boolean): number {
  let best: number | null = null;
  for (const { value } of hits) if (value !== null && (best === null || beats(value, best))) best = value;
  return best ?? 0;
}

function averageOf(hits: readonly Hit[]): number {
  let [count, sum] = [0, 0];
  for (const { value } of hits) {
    if (value === null) continue;
    count += 1;
    sum += value;
  }
  return count === 0 ? 0 : decimal(sum / count);
}

const sumOf = (hits: readonly Hit[]) => hits.reduce((total, { value }) => addTo(total, value), 0);

/** The number that each math makes of hits; 0 of none. */
const MATHS: Record<SourceMath, (hits: readonly Hit[]) => number> = {
  total: (hits) => hits.length,
  dau: countDistinct,
  unique_session: countDistinct,
  unique_group: countDistinct,
  sum: sumOf,
  avg: averageOf,
  min: (hits) => extremeOf(hits, (value, best) => value < best),
  max: (hits) => extremeOf(hits, (value, best) => value > best),
};

/** The number that a source makes of a unit's events. */
export function countSource(plan: CountingPlan, source: number, history: UnitHistory, span: Span): number {
  return MATHS[plan.sources[source]?.math ?? "total"](within(history.hits[source] ?? [], span));
}

/** Decimals of six places below it add up to the same whatever their order is. */
const EXACT = 1e8;
const isExact = (value: number) =>
  Math.abs(value) < EXACT && Math.round(value * 1_000_000) / 1_000_000 === value;

function updateSum(sum: number, hits: readonly Hit[], { since, tied }: NewEvents): number | Recompute {
  let total = sum;
  for (const { at, value } of hits) {
    if (value === null) continue;
    if ((tied || at < since) && !(isExact(total) && isExact(value))) return RECOMPUTE;
    total = addTo(total, value);
  }
  return total;
}

/** The number that a source makes of what it counted and of new hits. */
export function updateNumber(
  plan: CountingPlan,
  source: number,
  before: number,
  hits: readonly Hit[],
  added: NewEvents,
): number | Recompute {
  if (hits.length === 0) return before;
  const math = plan.sources[source]?.math;
  if (math === "total") return before + hits.length;
  if (math === "sum") return updateSum(before, hits, added);
  // A person counts once.
  return math === "dau" && plan.group_type === null ? 1 : RECOMPUTE;
}
