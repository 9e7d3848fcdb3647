import type { Db } from "#lib/db/connect.ts";
import { calendarOf, nameOfDay } from "./days.ts";
import { selectMerges, selectTouched, selectUnitEvents } from "./events_store.ts";
import type { Plan } from "./plan.ts";
import { createReader } from "./reader.ts";
import { createGrouper, scopeOf } from "./scope.ts";
import { stepOf } from "./sums.ts";
import { stateOf, type UnitState, type UnitValue } from "./unit.ts";
import {
  addTotals,
  addUnitDays,
  type DayChange,
  deleteUnits,
  deleteValues,
  selectUnits,
  selectValues,
  type TotalChange,
  type UnitRow,
  type ValueRow,
  writeUnits,
  writeValues,
} from "./units_store.ts";

/** Whose figures are kept where: for each of the plan's metrics, its series. */
export type Kept = { experiment_id: number; project_id: number; plan: Plan; series: number[] };

/** Units computed at once: few enough that other requests are served in between. */
const BATCH = 2_000;

/** How units by variant and day of first exposure change. */
function createDayChanges(timezone: string) {
  const calendar = calendarOf(timezone);
  const changes = new Map<string, DayChange>();
  return {
    add({ variant, first_at }: Pick<UnitRow, "variant" | "first_at">, units: number): void {
      const day = nameOfDay(calendar.dayOf(first_at));
      const key = `${day}${variant}`;
      const change = changes.get(key) ?? { variant, day, units: 0 };
      change.units += units;
      changes.set(key, change);
    },
    list: () => [...changes.values()].filter(({ units }) => units !== 0),
  };
}

const keyOf = (series: number, unit: string) => `${series}:${unit}`;
const isSame = (row: ValueRow | undefined, value: UnitValue, variant: string) =>
  row?.variant === variant &&
  row.value === value.value &&
  row.other === value.other &&
  row.covariate === value.covariate;

/** What has to be written so that the values of units become those of their states. */
function valueChanges(kept: Kept, units: string[], states: Map<string, UnitState>, stored: ValueRow[]) {
  const before = new Map(stored.map((row) => [keyOf(row.series_id, row.unit), row]));
  const written: ValueRow[] = [];
  const gone: ValueRow[] = [];
  const totals: TotalChange[] = [];
  for (const [metric, series_id] of kept.series.entries()) {
    const planned = kept.plan.metrics[metric];
    if (!planned) continue;
    for (const unit of units) {
      const state = states.get(unit);
      const value = state?.values[metric] ?? null;
      const row = before.get(keyOf(series_id, unit));
      if (value && state && isSame(row, value, state.variant)) continue;
      if (row) totals.push({ ...row, step: stepOf(planned, row), sign: -1 });
      if (value && state) {
        written.push({ series_id, unit, variant: state.variant, ...value });
        totals.push({ series_id, variant: state.variant, ...value, step: stepOf(planned, value), sign: 1 });
      } else if (row) gone.push(row);
    }
  }
  return { written, gone, totals };
}

function unitChanges(plan: Plan, units: string[], states: Map<string, UnitState>, stored: UnitRow[]) {
  const before = new Map(stored.map((row) => [row.unit, row]));
  const written: UnitRow[] = [];
  const gone: string[] = [];
  const days = createDayChanges(plan.timezone);
  for (const unit of units) {
    const state = states.get(unit);
    const row = before.get(unit);
    if (row && state && row.variant === state.variant && row.first_at === state.first_at) continue;
    if (row) days.add(row, -1);
    if (state) {
      written.push({ unit, variant: state.variant, first_at: state.first_at });
      days.add(state, 1);
    } else if (row) gone.push(unit);
  }
  return { written, gone, days: days.list() };
}

/** Units as of a moment, from their stored events; those that were not exposed are missing. */
async function statesOf(tx: Db, kept: Kept, units: string[], cut: number): Promise<Map<string, UnitState>> {
  const reader = createReader(kept.plan);
  const states = new Map<string, UnitState>();
  const grouper = createGrouper((unit, events) => {
    const state = stateOf(kept.plan, reader.read(events), cut);
    if (state) states.set(unit, state);
  });
  grouper.push(await selectUnitEvents(tx, scopeOf(kept.plan, reader, kept.project_id, cut), units));
  grouper.end();
  return states;
}

/** Makes the figures of units anew from all that they did before `cut`. */
async function refresh(tx: Db, kept: Kept, units: string[], cut: number): Promise<void> {
  const states = await statesOf(tx, kept, units, cut);
  const ofUnits = unitChanges(kept.plan, units, states, await selectUnits(tx, kept.experiment_id, units));
  const ofValues = valueChanges(kept, units, states, await selectValues(tx, kept.series, units));
  await writeUnits(tx, kept.experiment_id, ofUnits.written);
  await deleteUnits(tx, kept.experiment_id, ofUnits.gone);
  await addUnitDays(tx, kept.experiment_id, ofUnits.days);
  await writeValues(tx, ofValues.written);
  await deleteValues(tx, ofValues.gone);
  await addTotals(tx, ofValues.totals);
}

/** Units that took part in a merge and were exposed, and the persons that have their events now. */
async function mergedUnits(tx: Db, kept: Kept, watermark: string): Promise<string[]> {
  if (kept.plan.group_type !== null) return [];
  const merges = await selectMerges(tx, kept.project_id, watermark);
  const takenBy = new Map(merges.map(({ loser, winner }) => [loser, winner]));
  const rootOf = (unit: string) => {
    let root = unit;
    for (let next = takenBy.get(root); next !== undefined; next = takenBy.get(root)) root = next;
    return root;
  };
  const parties = [...new Set(merges.flatMap(({ loser, winner }) => [loser, winner]))];
  const touched = new Set<string>();
  for (let i = 0; i < parties.length; i += BATCH)
    for (const { unit } of await selectUnits(tx, kept.experiment_id, parties.slice(i, i + BATCH)))
      touched.add(unit).add(rootOf(unit));
  return [...touched];
}

/**
 * Brings figures from one state to a later one: units with events that arrived since the watermark, that happened
 * since the last cut, or that were merged, are computed anew; all others are as before.
 *
 * @returns how many units that were
 */
export async function step(
  tx: Db,
  kept: Kept,
  since: { watermark: string; cut: number },
  cut: number,
): Promise<number> {
  const reader = createReader(kept.plan);
  const scope = scopeOf(kept.plan, reader, kept.project_id, cut);
  const touched = await selectTouched(tx, scope, kept.experiment_id, since);
  const units = [...new Set([...touched, ...(await mergedUnits(tx, kept, since.watermark))])].sort();
  for (let i = 0; i < units.length; i += BATCH) await refresh(tx, kept, units.slice(i, i + BATCH), cut);
  return units.length;
}
