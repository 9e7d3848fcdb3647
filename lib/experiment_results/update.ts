import type { Db } from "#lib/db/connect.ts";
import { cellsFrom, countChange, type Kept, refresh } from "./changes.ts";
import { selectMerges } from "./events_store.ts";
import { AGAIN, createFold } from "./fold.ts";
import { valueAt } from "./layout.ts";
import type { Listener, News, Since, UnitNews } from "./news.ts";
import { createReader } from "./reader.ts";
import { seenBy } from "./snapshot.ts";
import { createTotals, type TotalsMade } from "./totals.ts";
import { addTotals, readCells, selectUnits, writeCells } from "./units_store.ts";

/** Units computed at once: few enough that other requests are served in between. */
const BATCH = 2_000;

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

/** Goes on with units that have news; those whose history has to be read are added to `again`. */
function createListener(
  kept: Kept,
  reader: ReturnType<typeof createReader>,
  since: number,
  totals: TotalsMade,
) {
  const fold = createFold(kept.plan);
  return (found: readonly UnitNews[], again: Set<string>) => {
    const written: { tid: string; cells: number[] }[] = [];
    let changed = 0;
    for (const { unit, events, kept: row } of found) {
      if (events.length === 0 || again.has(unit)) continue;
      const history = reader.read(events);
      if (!row) {
        if (history.exposures.length > 0) again.add(unit);
        continue;
      }
      changed += 1;
      const cells = readCells(row.cells ?? "{}");
      const { variant } = row;
      const before = {
        variant,
        first_at: row.first_at ?? 0,
        values: kept.places.map((p) => valueAt(cells, p)),
      };
      const values = fold(before, events, history, since);
      if (values === AGAIN) again.add(unit);
      else if (values !== before.values) {
        countChange(kept, totals, before, { variant, values });
        written.push({ tid: row.tid ?? "", cells: cellsFrom(kept.places, values, cells.length) });
      }
    }
    return { written, changed };
  };
}

/**
 * Brings figures from one state to a later one. Units with events that arrived since, or that happen only now, go on
 * from what is kept of them; those of whom that does not do, and those that were merged or are exposed now, are
 * computed anew. All others are as before.
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
  const totals = createTotals();
  const reader = createReader(kept.plan);
  const listen = createListener(kept, reader, since.cut, totals);
  const again = await mergedUnits(tx, kept, since.seen);
  let count = 0;
  for await (const found of news.of(listener, since, cut, units, reader)) {
    const { written, changed } = listen(found, again);
    count += changed;
    if (again.size > MANY_AGAIN) throw new TooMuch();
    await writeCells(tx, written);
  }
  const list = [...again].sort();
  for (let i = 0; i < list.length; i += BATCH) await refresh(tx, kept, list.slice(i, i + BATCH), cut, totals);
  await addTotals(tx, totals.list());
  return count + list.length;
}
