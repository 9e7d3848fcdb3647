import type { Db } from "#lib/db/connect.ts";
import { createBehind } from "./behind.ts";
import { cellsFrom, countChange, createDayChanges, type Kept } from "./changes.ts";
import { calendarOf, nameOfDay } from "./days.ts";
import { placesFrom } from "./layout.ts";
import type { Prepared } from "./prepare.ts";
import { scan } from "./scan.ts";
import { partOf } from "./scope.ts";
import { dayAt, dayRow, type Slot } from "./series.ts";
import { selectDayNames, updateSeries, writeDays } from "./store.ts";
import type { DayFigures, Days } from "./timeline.ts";
import { createTotals } from "./totals.ts";
import type { UnitState } from "./unit.ts";
import {
  addTotals,
  addUnitDays,
  appendCells,
  clearTotals,
  clearUnits,
  insertUnits,
  type UnitRow,
} from "./units_store.ts";

const WRITE_AT = 5_000;
const DAYS_AT_ONCE = 100;

type Found = { unit: string; state: UnitState };

/** Writes units as they are found, so many at once. @param from null: units are kept anew; else where numbers go */
function createWriter(tx: Db, kept: Kept, from: number | null) {
  const days = createDayChanges(kept.plan.timezone);
  const totals = createTotals();
  const places = kept.places.map((place) => ({ ...place, offset: place.offset - (from ?? 0) }));
  const behind = createBehind(tx);
  let rows: UnitRow[] = [];
  const flush = async () => {
    const taken = rows;
    rows = [];
    const id = kept.experiment_id;
    await behind.write(() => (from === null ? insertUnits(tx, id, taken) : appendCells(tx, id, from, taken)));
  };
  return {
    async take(found: Found[]): Promise<void> {
      for (const { unit, state } of found) {
        const { variant, first_at, values } = state;
        countChange(kept, totals, null, state);
        if (from === null) days.add(state, 1);
        else if (values.every((value) => value === null)) continue;
        rows.push({ unit, variant, first_at, cells: cellsFrom(places, values) });
      }
      if (rows.length >= WRITE_AT) await flush();
    },
    async end(): Promise<void> {
      await flush();
      await behind.end();
      if (from === null) await addUnitDays(tx, kept.experiment_id, days.list());
      await addTotals(tx, totals.list());
    },
  };
}

/** Records the days that are over; those recorded before stay as they are. */
async function recordPast(
  tx: Db,
  prepared: Prepared,
  slots: Slot[],
  { days, byDay }: { days: Days; byDay: DayFigures[] },
  now: Date,
): Promise<void> {
  const calendar = calendarOf(prepared.plan.timezone);
  const recorded = await selectDayNames(
    tx,
    slots.map(({ series }) => series.id),
  );
  const known = new Set(recorded.map(({ series_id, day }) => `${series_id}:${day}`));
  const { end } = prepared.plan;
  const rows: ReturnType<typeof dayRow>[] = [];
  for (const [i, figures] of byDay.entries()) {
    const cut = days.ends[i] ?? 0;
    const number = days.first + i;
    const day = nameOfDay(number);
    const isOver = cut === calendar.startOf(number + 1);
    if (!isOver || (end !== null && day > dayAt(prepared.plan, end))) continue;
    for (const [metric, slot] of slots.entries()) {
      if (known.has(`${slot.series.id}:${day}`)) continue;
      const totals = figures.totals[metric] ?? [];
      rows.push(dayRow(prepared, slot, day, cut, { units: figures.units, totals }, now));
    }
  }
  for (let i = 0; i < rows.length; i += DAYS_AT_ONCE) await writeDays(tx, rows.slice(i, i + DAYS_AT_ONCE));
}

/**
 * Computes metrics of an experiment from the stored events alone, keeps what units add to them, and records the past
 * days that are not recorded yet, each as of its end. The slots then know their places.
 *
 * @param cut as of when, exclusive
 * @param from null: who was exposed is kept anew, too; else where the metrics' numbers go among those of units
 * @returns how many numbers a unit has now
 */
export async function refill(
  tx: Db,
  prepared: Prepared,
  slots: Slot[],
  cut: number,
  { from, now, read }: { from: number | null; now: Date; read?: (events: number) => void },
): Promise<number> {
  const { experiment, plan } = prepared;
  const series = slots.map((slot) => slot.series.id);
  if (from === null) await clearUnits(tx, experiment.id);
  await clearTotals(tx, series);
  const part = partOf(
    plan,
    slots.map(({ planned }) => planned),
  );
  const places = placesFrom(from ?? 0, part.metrics);
  const kept: Kept = {
    experiment_id: experiment.id,
    project_id: experiment.project_id,
    plan: part,
    series,
    places,
  };
  const writer = createWriter(tx, kept, from);
  const figures = await scan(tx, experiment.project_id, part, cut, {
    take: writer.take,
    ...(read && { read }),
  });
  await writer.end();
  for (const [i, slot] of slots.entries()) {
    slot.series = { ...slot.series, place: places[i]?.offset ?? 0 };
    await updateSeries(tx, [slot.series.id], { place: slot.series.place, updated_at: now });
  }
  await recordPast(tx, prepared, slots, figures, now);
  return (from ?? 0) + places.reduce((sum, { width }) => sum + width, 0);
}
