import type { Db } from "#lib/db/connect.ts";
import { createBehind } from "./behind.ts";
import { cellsFrom, countChange, createDayChanges, type Kept, refresh } from "./changes.ts";
import { selectMerges } from "./events_store.ts";
import { AGAIN, createFold, isTied } from "./fold.ts";
import { valueAt } from "./layout.ts";
import type { Listener, News, Since, UnitNews } from "./news.ts";
import { createReader } from "./reader.ts";
import { seenBy } from "./snapshot.ts";
import { createTotals } from "./totals.ts";
import { stateOf } from "./unit.ts";
import {
  addTotals,
  addUnitDays,
  insertUnits,
  readCells,
  selectUnits,
  type UnitRow,
  writeCells,
} from "./units_store.ts";

/** Units computed at once: few enough that other requests are served in between. */
const BATCH = 2_000;

/** Groups computed at once: each time costs one look at all events. */
const GROUPS = 50_000;

/** From so many units on whose history has to be read, reading all events once is cheaper. */
const MANY_AGAIN = 100_000;

/** The figures are better made anew as a whole. */
export class TooMuch extends Error {
  override name = "TooMuch";
}

/** Units that took part in a merge and were exposed, and the persons that have their events now. */
async function mergedUnits(tx: Db, kept: Kept, seen: string): Promise<Set<string>> {
  const touched = new Set<string>();
  if (kept.plan.group_type !== null) return touched;
  const merges = await selectMerges(tx, kept.project_id, seenBy(seen).from);
  const takenBy = new Map(merges.map(({ loser, winner }) => [loser, winner]));
  const rootOf = (unit: string) => {
    let root = unit;
    for (let next = takenBy.get(root); next !== undefined; next = takenBy.get(root)) root = next;
    return root;
  };
  const parties = [...new Set(merges.flatMap(({ loser, winner }) => [loser, winner]))];
  for (let i = 0; i < parties.length; i += BATCH)
    for (const { unit } of await selectUnits(tx, kept.experiment_id, parties.slice(i, i + BATCH)))
      touched.add(unit).add(rootOf(unit));
  return touched;
}

/** Who hears the news of an experiment, and what becomes of its units. */
function createListener(kept: Kept, since: number, cut: number) {
  const { plan, places } = kept;
  const reader = createReader(plan);
  const fold = createFold(plan);
  const totals = createTotals();
  const days = createDayChanges(plan.timezone);
  const looksBack = plan.metrics.some(({ lookback }) => lookback !== null);

  /** A unit that nothing is kept of: if it is exposed only now, all that counts is new. */
  const begin = ({ unit, events }: UnitNews): UnitRow | typeof AGAIN | null => {
    const history = reader.read(events);
    const [first] = history.exposures;
    if (!first) return null;
    if (first.at < since || looksBack || isTied(events)) return AGAIN;
    const state = stateOf(plan, history, cut);
    if (!state) return null;
    countChange(kept, totals, null, state);
    days.add(state, 1);
    return {
      unit,
      variant: state.variant,
      first_at: state.first_at,
      cells: cellsFrom(places, state.values),
    };
  };

  /** A unit that goes on from what is kept of it; null where nothing changes. */
  const goOn = (events: UnitNews["events"], row: NonNullable<UnitNews["kept"]>) => {
    const cells = readCells(row.cells ?? "{}");
    const values = places.map((place) => valueAt(cells, place));
    const before = { variant: row.variant, first_at: row.first_at ?? 0, values };
    const after = fold(before, events, reader.read(events), since);
    if (after === AGAIN) return AGAIN;
    if (after === values) return null;
    countChange(kept, totals, before, { variant: row.variant, values: after });
    return { tid: row.tid ?? "", cells: cellsFrom(places, after, cells.length) };
  };

  return {
    reader,
    totals,
    days,
    /** Those whose history has to be read are added to `again`. */
    hear(found: readonly UnitNews[], again: Set<string>) {
      const written: { tid: string; cells: number[] }[] = [];
      const begun: UnitRow[] = [];
      let heard = 0;
      for (const one of found) {
        if (one.events.length === 0 || again.has(one.unit)) continue;
        if (one.kept) heard += 1;
        const change = one.kept ? goOn(one.events, one.kept) : begin(one);
        if (change === AGAIN) again.add(one.unit);
        else if (change && "tid" in change) written.push(change);
        else if (change) begun.push(change);
      }
      return { written, begun, heard: heard + begun.length };
    },
  };
}

/**
 * Brings figures from one state to a later one. Units with events that arrived since, or that happen only now, go on
 * from what is kept of them, and those that are exposed only now begin; those of whom that does not do, and those that
 * were merged, are computed anew. All others are as before.
 *
 * @returns how many units that were
 * @throws TooMuch when so many have to be computed anew that all of it is better
 */
export async function step(
  tx: Db,
  kept: Kept,
  { news, listener, units }: { news: News; listener: Listener; units: number },
  since: Since,
  cut: number,
): Promise<number> {
  const { reader, totals, days, hear } = createListener(kept, since.cut, cut);
  const again = await mergedUnits(tx, kept, since.seen);
  const behind = createBehind(tx);
  let count = 0;
  for await (const found of news.of(listener, since, cut, units, reader)) {
    const { written, begun, heard } = hear(found, again);
    count += heard;
    if (again.size > MANY_AGAIN) throw new TooMuch();
    await behind.write(async () => {
      await writeCells(tx, written);
      await insertUnits(tx, kept.experiment_id, begun);
    });
  }
  await behind.end();
  await addUnitDays(tx, kept.experiment_id, days.list());
  const list = [...again].sort();
  const batch = kept.plan.group_type === null ? BATCH : GROUPS;
  for (let i = 0; i < list.length; i += batch) await refresh(tx, kept, list.slice(i, i + batch), cut, totals);
  await addTotals(tx, totals.list());
  return count + list.length;
}
