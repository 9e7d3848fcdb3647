import {
  ALL_STEPS,
  type Layout,
  type PlannedMetric,
  type UnitValue,
} from "#lib/experiments/metric_kinds/kind.ts";
import { METRIC_KINDS } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { addsNothing } from "./unit.ts";

/** Where a metric's numbers are among those of a unit. */
export type Slot = { metric: PlannedMetric; offset: number; width: number; layout: Layout };

export function slotAt(metric: PlannedMetric, offset: number): Slot {
  const layout = METRIC_KINDS[metric.type].layout(metric);
  const places = Object.values(layout).filter((place) => typeof place === "number");
  return { metric, offset, width: 1 + Math.max(...places), layout };
}

/** Slots for metrics, from an offset on. */
export function layOutSlots(offset: number, metrics: readonly PlannedMetric[]): Slot[] {
  let next = offset;
  return metrics.map((metric) => {
    const slot = slotAt(metric, next);
    next += slot.width;
    return slot;
  });
}

/** What a unit's numbers say of a metric; all of it 0 where it adds nothing. */
export function readValue(numbers: readonly number[], { metric, offset, layout }: Slot): UnitValue {
  const at = (place: number | null) => (place === null ? 0 : (numbers[offset + place] ?? 0));
  const other = at(layout.other);
  const value = layout.value === ALL_STEPS ? (other === metric.sources.length ? 1 : 0) : at(layout.value);
  return { value, other, covariate: at(layout.covariate), mark: at(layout.mark) };
}

/** Writes what a unit adds to a metric among its numbers. */
export function writeValue(
  numbers: number[],
  { offset, width, layout }: Slot,
  value: UnitValue | null,
): void {
  while (numbers.length < offset + width) numbers.push(0);
  if (layout.value !== ALL_STEPS) numbers[offset + layout.value] = value?.value ?? 0;
  if (layout.other !== null) numbers[offset + layout.other] = value?.other ?? 0;
  if (layout.covariate !== null) numbers[offset + layout.covariate] = value?.covariate ?? 0;
  if (layout.mark !== null) numbers[offset + layout.mark] = value?.mark ?? 0;
}

/** Whether two values are one; nothing is the same as a value that adds nothing. */
export const isSameValue = (a: UnitValue | null, b: UnitValue | null): boolean =>
  a === null || b === null
    ? (a === null || (addsNothing(a) && a.mark === 0)) && (b === null || (addsNothing(b) && b.mark === 0))
    : a.value === b.value && a.other === b.other && a.covariate === b.covariate && a.mark === b.mark;
