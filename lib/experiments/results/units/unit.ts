import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import {
  RECOMPUTE,
  type Recompute,
  type UnitHistory,
  type UnitValue,
} from "#lib/experiments/metric_kinds/kind.ts";
import { METRIC_KINDS } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import type { Plan } from "#lib/experiments/results/plan/plan.ts";

/** A unit as of some moment; null values: it counts in no metric, or adds nothing to that one. */
export type UnitState = { variant: string; first_at: number; values: (UnitValue | null)[] };

/** The variant that a unit counts for, of exposures in order. */
function variantOf(exposures: UnitHistory["exposures"], handling: Plan["handling"]): string {
  const first = exposures[0]?.variant ?? "";
  if (handling === "first_seen" || exposures.every(({ variant }) => variant === first)) return first;
  return MULTIPLE;
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
    const value = METRIC_KINDS[metric.type].count(plan, metric, history, first.at, cut);
    return value && (!addsNothing(value) || value.mark !== 0) ? value : null;
  });
  return { variant, first_at: first.at, values };
}

/** A stored unit: values for each of the plan's metrics. */
export type StoredUnit = { variant: string; first_at: number; values: UnitValue[] };

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
  const updates = plan.metrics.map((metric) => METRIC_KINDS[metric.type].createUpdate(plan, metric));
  return (
    unit: StoredUnit,
    events: readonly { at: number }[],
    history: UnitHistory,
    since: number,
  ): UnitValue[] | Recompute => {
    if (!isExposedTheSame(plan, unit, history.exposures)) return RECOMPUTE;
    if (unit.variant === MULTIPLE) return unit.values;
    const added = { history, since, tied: isTied(events) };
    let values = unit.values;
    for (const [i, update] of updates.entries()) {
      const stored = unit.values[i];
      if (!stored) continue;
      const value = update(unit, stored, added);
      if (value === RECOMPUTE) return RECOMPUTE;
      if (value === stored) continue;
      if (values === unit.values) values = [...values];
      values[i] = value;
    }
    return values;
  };
}
