import type { Prepared } from "#lib/experiments/results/prepare.ts";
import { readValue } from "#lib/experiments/results/units/layout.ts";
import { createTotalsBuilder } from "#lib/experiments/results/units/totals.ts";
import {
  addTotals,
  addUnitDays,
  deleteUnits,
  selectUnits,
} from "#lib/experiments/results/units/units-store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { countChange, createDayChanges, rollupFor } from "./changes.ts";
import { matchSeries, recordDay } from "./series.ts";
import { lockStates, selectDaysAfter } from "./store.ts";

/**
 * Takes units out of figures that cannot be computed again, by what is stored of each of them. Days that were recorded
 * before the first of them was exposed never had them, and the day that has the present figures is recorded again.
 *
 * @returns how many recorded days still have one of them
 */
export async function subtractUnits(
  tx: Db,
  prepared: Prepared,
  units: readonly string[],
  now: Date,
): Promise<number> {
  const experimentId = prepared.experiment.id;
  const [state] = await lockStates(tx, [experimentId]);
  const rows = await selectUnits(tx, experimentId, [...units]);
  if (!state || rows.length === 0) return 0;
  const storedMetrics = await matchSeries(tx, prepared);
  const rollup = rollupFor(prepared, storedMetrics);
  const totals = createTotalsBuilder();
  const days = createDayChanges(prepared.plan.timezone);
  for (const row of rows) {
    const values = rollup.slots.map((slot) => readValue(row.cells, slot));
    countChange(rollup, totals, { variant: row.variant, values }, null);
    days.add(row, -1);
  }
  await deleteUnits(
    tx,
    experimentId,
    rows.map(({ unit }) => unit),
  );
  await addUnitDays(tx, experimentId, days.list());
  await addTotals(tx, totals.list());
  const since = new Date(Math.min(...rows.map(({ first_at }) => first_at)));
  const cut = state.cut_at.getTime();
  const left = new Set<string>();
  const present = new Map<string, Set<number>>();
  for (const { series_id, day, query_to } of await selectDaysAfter(tx, experimentId, since)) {
    const isPresent =
      query_to.getTime() === cut && storedMetrics.some(({ series }) => series.id === series_id);
    if (isPresent) present.set(day, (present.get(day) ?? new Set()).add(series_id));
    else left.add(day);
  }
  for (const [day, ids] of present)
    await recordDay(
      tx,
      prepared,
      storedMetrics.filter(({ series }) => ids.has(series.id)),
      { day, cut },
      now,
    );
  return left.size;
}
