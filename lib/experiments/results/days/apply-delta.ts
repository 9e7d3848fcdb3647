import { RECOMPUTE } from "#lib/experiments/metric_kinds/kind.ts";
import { createBackgroundWriter } from "#lib/experiments/results/events/background-writer.ts";
import type { Consumer, Delta, Since, UnitDelta } from "#lib/experiments/results/events/delta.ts";
import { selectMerges } from "#lib/experiments/results/events/events-store.ts";
import { createReader } from "#lib/experiments/results/events/reader.ts";
import { parseSnapshot } from "#lib/experiments/results/events/snapshot.ts";
import { readValue } from "#lib/experiments/results/units/layout.ts";
import { createTotalsBuilder } from "#lib/experiments/results/units/totals.ts";
import { computeState, createIncrement, isTied } from "#lib/experiments/results/units/unit.ts";
import {
  addTotals,
  addUnitDays,
  insertUnits,
  parseCells,
  selectUnits,
  type UnitRow,
  writeCells,
} from "#lib/experiments/results/units/units-store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { buildCells, countChange, createDayChanges, type Rollup, refresh } from "./changes.ts";

/** Units computed at once: few enough that other requests are served in between. */
const BATCH = 2_000;

/** Groups computed at once: each batch reads all events once. */
const GROUPS = 50_000;

/** If more units than this need their history, reading all events once is cheaper. */
const MANY_TO_RECOMPUTE = 100_000;

/** Recomputing everything is cheaper than going on. */
export class RebuildNeeded extends Error {
  override name = "RebuildNeeded";
}

/** Units that took part in a merge and were exposed, and the persons that have their events now. */
async function mergedUnits(tx: Db, rollup: Rollup, seen: string): Promise<Set<string>> {
  const touched = new Set<string>();
  if (rollup.plan.group_type !== null) return touched;
  const merges = await selectMerges(tx, rollup.project_id, parseSnapshot(seen).from);
  const takenBy = new Map(merges.map(({ loser, winner }) => [loser, winner]));
  const rootOf = (unit: string) => {
    let root = unit;
    for (let next = takenBy.get(root); next !== undefined; next = takenBy.get(root)) root = next;
    return root;
  };
  const parties = [...new Set(merges.flatMap(({ loser, winner }) => [loser, winner]))];
  for (let i = 0; i < parties.length; i += BATCH)
    for (const { unit } of await selectUnits(tx, rollup.experiment_id, parties.slice(i, i + BATCH)))
      touched.add(unit).add(rootOf(unit));
  return touched;
}

/** Applies the delta of an experiment to its units. */
function createUpdater(rollup: Rollup, since: number, cut: number) {
  const { plan, slots } = rollup;
  const reader = createReader(plan);
  const increment = createIncrement(plan);
  const totals = createTotalsBuilder();
  const days = createDayChanges(plan.timezone);
  const looksBack = plan.metrics.some(({ lookback }) => lookback !== null);

  /** A unit that is not stored yet: if it is exposed only now, all that counts is new. */
  const begin = ({ unit, events }: UnitDelta): UnitRow | typeof RECOMPUTE | null => {
    const history = reader.read(events);
    const [first] = history.exposures;
    if (!first) return null;
    if (first.at < since || looksBack || isTied(events)) return RECOMPUTE;
    const state = computeState(plan, history, cut);
    if (!state) return null;
    countChange(rollup, totals, null, state);
    days.add(state, 1);
    return {
      unit,
      variant: state.variant,
      first_at: state.first_at,
      cells: buildCells(slots, state.values),
    };
  };

  /** A stored unit with new events; null where nothing changes. */
  const updateUnit = (events: UnitDelta["events"], row: NonNullable<UnitDelta["stored"]>) => {
    const cells = parseCells(row.cells ?? "{}");
    const values = slots.map((slot) => readValue(cells, slot));
    const before = { variant: row.variant, first_at: row.first_at ?? 0, values };
    const after = increment(before, events, reader.read(events), since);
    if (after === RECOMPUTE) return RECOMPUTE;
    if (after === values) return null;
    countChange(rollup, totals, before, { variant: row.variant, values: after });
    return { tid: row.tid ?? "", cells: buildCells(slots, after, cells.length) };
  };

  return {
    reader,
    totals,
    days,
    /** Units whose history has to be read are added to `recompute`. */
    apply(found: readonly UnitDelta[], recompute: Set<string>) {
      const written: { tid: string; cells: number[] }[] = [];
      const begun: UnitRow[] = [];
      let touched = 0;
      for (const one of found) {
        if (one.events.length === 0 || recompute.has(one.unit)) continue;
        if (one.stored) touched += 1;
        const change = one.stored ? updateUnit(one.events, one.stored) : begin(one);
        if (change === RECOMPUTE) recompute.add(one.unit);
        else if (change && "tid" in change) written.push(change);
        else if (change) begun.push(change);
      }
      return { written, begun, touched: touched + begun.length };
    },
  };
}

/**
 * Advances figures to a later moment. Stored units with new events are updated, and newly exposed ones are added;
 * where that is not enough, and for merged units, they are recomputed. All others stay as they are.
 *
 * @returns how many units that were
 * @throws RebuildNeeded when so many have to be recomputed that recomputing everything is cheaper
 */
export async function applyDelta(
  tx: Db,
  rollup: Rollup,
  { delta, consumer, units }: { delta: Delta; consumer: Consumer; units: number },
  since: Since,
  cut: number,
): Promise<number> {
  const { reader, totals, days, apply } = createUpdater(rollup, since.cut, cut);
  const recompute = await mergedUnits(tx, rollup, since.seen);
  const background = createBackgroundWriter(tx);
  let count = 0;
  for await (const found of delta.of(consumer, since, cut, units, reader)) {
    const { written, begun, touched } = apply(found, recompute);
    count += touched;
    if (recompute.size > MANY_TO_RECOMPUTE) throw new RebuildNeeded();
    await background.write(async () => {
      await writeCells(tx, written);
      await insertUnits(tx, rollup.experiment_id, begun);
    });
  }
  await background.end();
  await addUnitDays(tx, rollup.experiment_id, days.list());
  const list = [...recompute].sort();
  const batch = rollup.plan.group_type === null ? BATCH : GROUPS;
  for (let i = 0; i < list.length; i += batch)
    await refresh(tx, rollup, list.slice(i, i + batch), cut, totals);
  await addTotals(tx, totals.list());
  return count + list.length;
}
