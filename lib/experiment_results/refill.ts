import type { Db } from "#lib/db/connect.ts";
import { calendarOf, nameOfDay } from "./days.ts";
import type { Prepared } from "./prepare.ts";
import { scan } from "./scan.ts";
import { partOf } from "./scope.ts";
import { dayAt, dayRow, type Slot } from "./series.ts";
import { selectDayNames, updateSeries, writeDays } from "./store.ts";
import type { DayFigures, Days } from "./timeline.ts";
import type { UnitState } from "./unit.ts";
import {
  addUnitDays,
  clearUnits,
  clearValues,
  type DayChange,
  sumTotals,
  type UnitRow,
  type ValueRow,
  writeUnits,
  writeValues,
} from "./units_store.ts";

const WRITE_AT = 5_000;
const DAYS_AT_ONCE = 100;

type Found = { unit: string; state: UnitState };

/** Writes units as they are found, so many at once. */
function createWriter(tx: Db, prepared: Prepared, slots: Slot[], units: boolean) {
  const calendar = calendarOf(prepared.plan.timezone);
  const days = new Map<string, DayChange>();
  let unitRows: UnitRow[] = [];
  let valueRows: ValueRow[] = [];
  const note = ({ variant, first_at }: UnitState) => {
    const day = nameOfDay(calendar.dayOf(first_at));
    const change = days.get(day + variant) ?? { variant, day, units: 0 };
    change.units += 1;
    days.set(day + variant, change);
  };
  const flush = async () => {
    const [toUnits, toValues] = [unitRows, valueRows];
    unitRows = [];
    valueRows = [];
    if (units) await writeUnits(tx, prepared.experiment.id, toUnits);
    await writeValues(tx, toValues);
  };
  return {
    async take(found: Found[]): Promise<void> {
      for (const { unit, state } of found) {
        const { variant, first_at } = state;
        note(state);
        unitRows.push({ unit, variant, first_at });
        for (const [i, { series }] of slots.entries()) {
          const value = state.values[i];
          if (value) valueRows.push({ series_id: series.id, unit, variant, ...value });
        }
      }
      if (unitRows.length >= WRITE_AT || valueRows.length >= WRITE_AT) await flush();
    },
    async end(): Promise<void> {
      await flush();
      if (units) await addUnitDays(tx, prepared.experiment.id, [...days.values()]);
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
 * days that are not recorded yet, each as of its end.
 *
 * @param cut as of when, exclusive
 * @param units whether who was exposed is to be kept anew, too
 */
export async function refill(
  tx: Db,
  prepared: Prepared,
  slots: Slot[],
  cut: number,
  { units, now, read }: { units: boolean; now: Date; read?: (events: number) => void },
): Promise<void> {
  const { experiment, plan } = prepared;
  const series = slots.map((slot) => slot.series.id);
  if (units) await clearUnits(tx, experiment.id);
  await clearValues(tx, series);
  const part = partOf(
    plan,
    slots.map(({ planned }) => planned),
  );
  const writer = createWriter(tx, prepared, slots, units);
  const figures = await scan(tx, experiment.project_id, part, cut, {
    take: writer.take,
    ...(read && { read }),
  });
  await writer.end();
  for (const [i, id] of series.entries()) await sumTotals(tx, id, part.metrics[i]?.type === "funnel");
  await updateSeries(tx, series, { filled: true, updated_at: now });
  await recordPast(tx, prepared, slots, figures, now);
}
