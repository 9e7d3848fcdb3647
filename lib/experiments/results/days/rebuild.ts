import { calendarOf, nameOfDay } from "#lib/experiments/metric_kinds/calendar.ts";
import { createBackgroundWriter } from "#lib/experiments/results/events/background-writer.ts";
import { pickMetrics } from "#lib/experiments/results/events/scope.ts";
import type { Prepared } from "#lib/experiments/results/prepare.ts";
import { layOutSlots } from "#lib/experiments/results/units/layout.ts";
import { createTotalsBuilder } from "#lib/experiments/results/units/totals.ts";
import type { UnitState } from "#lib/experiments/results/units/unit.ts";
import {
  addTotals,
  addUnitDays,
  appendCells,
  clearTotals,
  clearUnits,
  insertUnits,
  type UnitRow,
} from "#lib/experiments/results/units/units-store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { buildCells, countChange, createDayChanges, type Rollup } from "./changes.ts";
import { scan } from "./scan.ts";
import { buildDayRow, dayAt, type StoredMetric } from "./series.ts";
import { selectDayNames, updateSeries, writeDays } from "./store.ts";
import type { DayFigures, Days } from "./timeline.ts";

const WRITE_AT = 5_000;
const DAYS_AT_ONCE = 100;

type Found = { unit: string; state: UnitState };

/** Writes units as they are found, in batches. @param from null: replaces all units; else where their numbers go */
function createWriter(tx: Db, rollup: Rollup, from: number | null) {
  const days = createDayChanges(rollup.plan.timezone);
  const totals = createTotalsBuilder();
  const slots = rollup.slots.map((slot) => ({ ...slot, offset: slot.offset - (from ?? 0) }));
  const background = createBackgroundWriter(tx);
  let rows: UnitRow[] = [];
  const flush = async () => {
    const taken = rows;
    rows = [];
    const id = rollup.experiment_id;
    await background.write(() =>
      from === null ? insertUnits(tx, id, taken) : appendCells(tx, id, from, taken),
    );
  };
  return {
    async take(found: Found[]): Promise<void> {
      for (const { unit, state } of found) {
        const { variant, first_at, values } = state;
        countChange(rollup, totals, null, state);
        if (from === null) days.add(state, 1);
        else if (values.every((value) => value === null)) continue;
        rows.push({ unit, variant, first_at, cells: buildCells(slots, values) });
      }
      if (rows.length >= WRITE_AT) await flush();
    },
    async end(): Promise<void> {
      await flush();
      await background.end();
      if (from === null) await addUnitDays(tx, rollup.experiment_id, days.list());
      await addTotals(tx, totals.list());
    },
  };
}

/** Records the days that are over; those recorded before stay as they are. */
async function recordPast(
  tx: Db,
  prepared: Prepared,
  storedMetrics: StoredMetric[],
  { days, byDay }: { days: Days; byDay: DayFigures[] },
  now: Date,
): Promise<void> {
  const calendar = calendarOf(prepared.plan.timezone);
  const recorded = await selectDayNames(
    tx,
    storedMetrics.map(({ series }) => series.id),
  );
  const known = new Set(recorded.map(({ series_id, day }) => `${series_id}:${day}`));
  const { end } = prepared.plan;
  const rows: ReturnType<typeof buildDayRow>[] = [];
  for (const [i, figures] of byDay.entries()) {
    const cut = days.ends[i] ?? 0;
    const number = days.first + i;
    const day = nameOfDay(number);
    const isOver = cut === calendar.startOf(number + 1);
    if (!isOver || (end !== null && day > dayAt(prepared.plan, end))) continue;
    for (const [metric, storedMetric] of storedMetrics.entries()) {
      if (known.has(`${storedMetric.series.id}:${day}`)) continue;
      const totals = figures.totals[metric] ?? [];
      rows.push(buildDayRow(prepared, storedMetric, day, cut, { units: figures.units, totals }, now));
    }
  }
  for (let i = 0; i < rows.length; i += DAYS_AT_ONCE) await writeDays(tx, rows.slice(i, i + DAYS_AT_ONCE));
}

/**
 * Computes metrics of an experiment from the stored events alone, stores what units add to them, and records the past
 * days that are not recorded yet, each as of its end. The series then know their slots.
 *
 * @param cut as of when, exclusive
 * @param from null: exposed units are replaced, too; else where the metrics' numbers go among those of units
 * @returns how many numbers a unit has now
 */
export async function rebuildMetrics(
  tx: Db,
  prepared: Prepared,
  storedMetrics: StoredMetric[],
  cut: number,
  { from, now, read }: { from: number | null; now: Date; read?: (events: number) => void },
): Promise<number> {
  const { experiment, plan } = prepared;
  const series = storedMetrics.map((storedMetric) => storedMetric.series.id);
  if (from === null) await clearUnits(tx, experiment.id);
  await clearTotals(tx, series);
  const part = pickMetrics(
    plan,
    storedMetrics.map(({ planned }) => planned),
  );
  const slots = layOutSlots(from ?? 0, part.metrics);
  const rollup: Rollup = {
    experiment_id: experiment.id,
    project_id: experiment.project_id,
    plan: part,
    series,
    slots,
  };
  const writer = createWriter(tx, rollup, from);
  const figures = await scan(tx, experiment.project_id, part, cut, {
    take: writer.take,
    ...(read && { read }),
  });
  await writer.end();
  for (const [i, storedMetric] of storedMetrics.entries()) {
    storedMetric.series = { ...storedMetric.series, place: slots[i]?.offset ?? 0 };
    await updateSeries(tx, [storedMetric.series.id], { place: storedMetric.series.place, updated_at: now });
  }
  await recordPast(tx, prepared, storedMetrics, figures, now);
  return (from ?? 0) + slots.reduce((sum, { width }) => sum + width, 0);
}
