import type { PlannedMetric } from "#lib/experiments/results/plan/plan.ts";
import { addsNothing, type UnitValue } from "./unit.ts";

/** Where a metric's numbers are among those of a unit. */
export type Slot = { metric: PlannedMetric; offset: number; width: number; cells: SlotFields };

/** Which number of a metric says what, counted from its slot; null: there is none, it is 0 or follows from others. */
export type SlotFields = {
  value: number | null;
  other: number | null;
  covariate: number | null;
  mark: number | null;
};

const NONE: SlotFields = { value: null, other: null, covariate: null, mark: null };

/** What is stored of a unit for a metric. A funnel's value follows from its steps, so it takes no number of its own. */
function fieldsOf({ type, lookback, window }: PlannedMetric): SlotFields {
  if (type === "ratio") return { ...NONE, value: 0, other: 1 };
  if (type === "retention") return { ...NONE, value: 0, other: 1, mark: 2 };
  const covariate = lookback === null ? null : 1;
  if (type === "mean") return { ...NONE, value: 0, covariate };
  return { ...NONE, other: 0, covariate, mark: window === null ? null : covariate === null ? 1 : 2 };
}

export function slotAt(metric: PlannedMetric, offset: number): Slot {
  const cells = fieldsOf(metric);
  const width = 1 + Math.max(...Object.values(cells).map((index) => index ?? 0));
  return { metric, offset, width, cells };
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
export function readValue(numbers: readonly number[], { metric, offset, cells }: Slot): UnitValue {
  const at = (index: number | null) => (index === null ? 0 : (numbers[offset + index] ?? 0));
  const other = at(cells.other);
  const value = metric.type === "funnel" ? (other === metric.sources.length ? 1 : 0) : at(cells.value);
  return { value, other, covariate: at(cells.covariate), mark: at(cells.mark) };
}

/** Writes what a unit adds to a metric among its numbers. */
export function writeValue(numbers: number[], { offset, width, cells }: Slot, value: UnitValue | null): void {
  while (numbers.length < offset + width) numbers.push(0);
  if (cells.value !== null) numbers[offset + cells.value] = value?.value ?? 0;
  if (cells.other !== null) numbers[offset + cells.other] = value?.other ?? 0;
  if (cells.covariate !== null) numbers[offset + cells.covariate] = value?.covariate ?? 0;
  if (cells.mark !== null) numbers[offset + cells.mark] = value?.mark ?? 0;
}

/** Whether two values are one; nothing is the same as a value that adds nothing. */
export const isSameValue = (a: UnitValue | null, b: UnitValue | null): boolean =>
  a === null || b === null
    ? (a === null || (addsNothing(a) && a.mark === 0)) && (b === null || (addsNothing(b) && b.mark === 0))
    : a.value === b.value && a.other === b.other && a.covariate === b.covariate && a.mark === b.mark;
