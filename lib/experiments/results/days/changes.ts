import { calendarOf, nameOfDay } from "#lib/experiments/metric_kinds/calendar.ts";
import type { UnitValue } from "#lib/experiments/metric_kinds/kind.ts";
import { selectUnitEvents } from "#lib/experiments/results/events/events-store.ts";
import { createReader } from "#lib/experiments/results/events/reader.ts";
import { buildScope, createGrouper, pickMetrics } from "#lib/experiments/results/events/scope.ts";
import type { Plan } from "#lib/experiments/results/plan/plan.ts";
import type { Prepared } from "#lib/experiments/results/prepare.ts";
import {
  isSameValue,
  readValue,
  type Slot,
  slotAt,
  writeValue,
} from "#lib/experiments/results/units/layout.ts";
import type { TotalsBuilder } from "#lib/experiments/results/units/totals.ts";
import { computeState, type UnitState } from "#lib/experiments/results/units/unit.ts";
import {
  addUnitDays,
  type DayChange,
  deleteUnits,
  selectUnits,
  type UnitRow,
  writeUnits,
} from "#lib/experiments/results/units/units-store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import type { StoredMetric } from "./series.ts";

/** Where the figures of an experiment are stored: the series and slot of each of the plan's metrics. */
export type Rollup = {
  experiment_id: number;
  project_id: number;
  plan: Plan;
  series: number[];
  slots: Slot[];
};

/** The rollup of some of an experiment's metrics. */
export function rollupFor({ plan, experiment }: Prepared, storedMetrics: StoredMetric[]): Rollup {
  const part = pickMetrics(
    plan,
    storedMetrics.map(({ planned }) => planned),
  );
  return {
    experiment_id: experiment.id,
    project_id: experiment.project_id,
    plan: part,
    series: storedMetrics.map(({ series }) => series.id),
    slots: part.metrics.map((metric, i) => slotAt(metric, storedMetrics[i]?.series.place ?? 0)),
  };
}

/** How units by variant and day of first exposure change. */
export function createDayChanges(timezone: string) {
  const calendar = calendarOf(timezone);
  const changes = new Map<string, Map<number, number>>();
  return {
    add({ variant, first_at }: Pick<UnitRow, "variant" | "first_at">, units: number): void {
      const day = calendar.dayOf(first_at);
      const days = changes.get(variant) ?? new Map<number, number>();
      changes.set(variant, days.set(day, (days.get(day) ?? 0) + units));
    },
    list: (): DayChange[] =>
      [...changes].flatMap(([variant, days]) =>
        [...days].flatMap(([day, units]) => (units === 0 ? [] : { variant, day: nameOfDay(day), units })),
      ),
  };
}

/** A unit's stored numbers, from its values for each of the plan's metrics. */
export function buildCells(slots: readonly Slot[], values: readonly (UnitValue | null)[], size = 0) {
  const cells = Array.from({ length: size }, () => 0);
  for (const [i, slot] of slots.entries()) writeValue(cells, slot, values[i] ?? null);
  return cells;
}

/** Replaces what a unit added to the totals by what it adds now. */
export function countChange(
  rollup: Rollup,
  totals: TotalsBuilder,
  before: { variant: string; values: readonly (UnitValue | null)[] } | null,
  after: { variant: string; values: readonly (UnitValue | null)[] } | null,
): void {
  for (const [i, series] of rollup.series.entries()) {
    const metric = rollup.plan.metrics[i];
    if (!metric) continue;
    const [was, is] = [before?.values[i] ?? null, after?.values[i] ?? null];
    if (before?.variant === after?.variant && isSameValue(was, is)) continue;
    if (before && was) totals.add(series, metric, before.variant, was, -1);
    if (after && is) totals.add(series, metric, after.variant, is, 1);
  }
}

/** Units as of a moment, from their stored events; those that were not exposed are missing. */
async function statesOf(
  tx: Db,
  rollup: Rollup,
  units: string[],
  cut: number,
): Promise<Map<string, UnitState>> {
  const reader = createReader(rollup.plan);
  const states = new Map<string, UnitState>();
  const grouper = createGrouper((unit, events) => {
    const state = computeState(rollup.plan, reader.read(events), cut);
    if (state) states.set(unit, state);
  });
  const scope = buildScope(rollup.plan, reader, rollup.project_id, cut);
  for await (const rows of selectUnitEvents(tx, scope, units)) grouper.push(rows);
  grouper.end();
  return states;
}

const isSameUnit = (rollup: Rollup, row: UnitRow, state: UnitState) =>
  row.variant === state.variant &&
  row.first_at === state.first_at &&
  rollup.slots.every((slot, i) => isSameValue(readValue(row.cells, slot), state.values[i] ?? null));

/** Recomputes the figures of units from all their events before `cut`. */
export async function refresh(
  tx: Db,
  rollup: Rollup,
  units: string[],
  cut: number,
  totals: TotalsBuilder,
): Promise<void> {
  const states = await statesOf(tx, rollup, units, cut);
  const before = new Map(
    (await selectUnits(tx, rollup.experiment_id, units)).map((row) => [row.unit, row] as const),
  );
  const written: UnitRow[] = [];
  const gone: string[] = [];
  const days = createDayChanges(rollup.plan.timezone);
  for (const unit of units) {
    const [row, state] = [before.get(unit), states.get(unit)];
    if ((!row && !state) || (row && state && isSameUnit(rollup, row, state))) continue;
    const was = row && { ...row, values: rollup.slots.map((slot) => readValue(row.cells, slot)) };
    countChange(rollup, totals, was ?? null, state ?? null);
    if (row) days.add(row, -1);
    if (state) {
      days.add(state, 1);
      const { variant, first_at, values } = state;
      written.push({ unit, variant, first_at, cells: buildCells(rollup.slots, values, row?.cells.length) });
    } else gone.push(unit);
  }
  await writeUnits(tx, rollup.experiment_id, written);
  await deleteUnits(tx, rollup.experiment_id, gone);
  await addUnitDays(tx, rollup.experiment_id, days.list());
}
