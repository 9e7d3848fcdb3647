import type { Db } from "#lib/db/connect.ts";
import { calendarOf, nameOfDay } from "./days.ts";
import { selectUnitEvents } from "./events_store.ts";
import { isSameValue, type Place, placeAt, putValue, valueAt } from "./layout.ts";
import type { Plan } from "./plan.ts";
import type { Prepared } from "./prepare.ts";
import { createReader } from "./reader.ts";
import { createGrouper, partOf, scopeOf } from "./scope.ts";
import type { Slot } from "./series.ts";
import type { TotalsMade } from "./totals.ts";
import { stateOf, type UnitState, type UnitValue } from "./unit.ts";
import {
  addUnitDays,
  type DayChange,
  deleteUnits,
  selectUnits,
  type UnitRow,
  writeUnits,
} from "./units_store.ts";

/** Whose figures are kept where: for each of the plan's metrics, its series and its place. */
export type Kept = {
  experiment_id: number;
  project_id: number;
  plan: Plan;
  series: number[];
  places: Place[];
};

/** The part of an experiment that some of its metrics are. */
export function keptOf({ plan, experiment }: Prepared, slots: Slot[]): Kept {
  const part = partOf(
    plan,
    slots.map(({ planned }) => planned),
  );
  return {
    experiment_id: experiment.id,
    project_id: experiment.project_id,
    plan: part,
    series: slots.map(({ series }) => series.id),
    places: part.metrics.map((metric, i) => placeAt(metric, slots[i]?.series.place ?? 0)),
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

/** What a unit's numbers are, of values for each of the plan's metrics. */
export function cellsFrom(places: readonly Place[], values: readonly (UnitValue | null)[], size = 0) {
  const cells = Array.from({ length: size }, () => 0);
  for (const [i, place] of places.entries()) putValue(cells, place, values[i] ?? null);
  return cells;
}

/** Lets what a unit added go from sums, and what it adds now into them. */
export function countChange(
  kept: Kept,
  totals: TotalsMade,
  before: { variant: string; values: readonly (UnitValue | null)[] } | null,
  after: { variant: string; values: readonly (UnitValue | null)[] } | null,
): void {
  for (const [i, series] of kept.series.entries()) {
    const metric = kept.plan.metrics[i];
    if (!metric) continue;
    const [was, is] = [before?.values[i] ?? null, after?.values[i] ?? null];
    if (before?.variant === after?.variant && isSameValue(was, is)) continue;
    if (before && was) totals.add(series, metric, before.variant, was, -1);
    if (after && is) totals.add(series, metric, after.variant, is, 1);
  }
}

/** Units as of a moment, from their stored events; those that were not exposed are missing. */
async function statesOf(tx: Db, kept: Kept, units: string[], cut: number): Promise<Map<string, UnitState>> {
  const reader = createReader(kept.plan);
  const states = new Map<string, UnitState>();
  const grouper = createGrouper((unit, events) => {
    const state = stateOf(kept.plan, reader.read(events), cut);
    if (state) states.set(unit, state);
  });
  const scope = scopeOf(kept.plan, reader, kept.project_id, cut);
  for await (const rows of selectUnitEvents(tx, scope, units)) grouper.push(rows);
  grouper.end();
  return states;
}

const isSameUnit = (kept: Kept, row: UnitRow, state: UnitState) =>
  row.variant === state.variant &&
  row.first_at === state.first_at &&
  kept.places.every((place, i) => isSameValue(valueAt(row.cells, place), state.values[i] ?? null));

/** Makes the figures of units anew from all that they did before `cut`. */
export async function refresh(
  tx: Db,
  kept: Kept,
  units: string[],
  cut: number,
  totals: TotalsMade,
): Promise<void> {
  const states = await statesOf(tx, kept, units, cut);
  const before = new Map(
    (await selectUnits(tx, kept.experiment_id, units)).map((row) => [row.unit, row] as const),
  );
  const written: UnitRow[] = [];
  const gone: string[] = [];
  const days = createDayChanges(kept.plan.timezone);
  for (const unit of units) {
    const [row, state] = [before.get(unit), states.get(unit)];
    if ((!row && !state) || (row && state && isSameUnit(kept, row, state))) continue;
    const was = row && { ...row, values: kept.places.map((place) => valueAt(row.cells, place)) };
    countChange(kept, totals, was ?? null, state ?? null);
    if (row) days.add(row, -1);
    if (state) {
      days.add(state, 1);
      const { variant, first_at, values } = state;
      written.push({ unit, variant, first_at, cells: cellsFrom(kept.places, values, row?.cells.length) });
    } else gone.push(unit);
  }
  await writeUnits(tx, kept.experiment_id, written);
  await deleteUnits(tx, kept.experiment_id, gone);
  await addUnitDays(tx, kept.experiment_id, days.list());
}
