import { type Db, inTransaction } from "#lib/db/connect.ts";
import type { Runtime } from "#lib/runtime.ts";
import { MULTIPLE } from "#lib/statistics/sample_ratio.ts";
import { advance, advanceIn } from "./advance.ts";
import { inTurn } from "./behind.ts";
import { type Kept, keptOf } from "./changes.ts";
import { isSameValue, valueAt } from "./layout.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { scan } from "./scan.ts";
import type { Slot } from "./series.ts";
import { Unsupported } from "./sources.ts";
import type { UnitState } from "./unit.ts";
import { selectUnits } from "./units_store.ts";
import { countDayDifferences, countTotalDifferences, countUnits, selectKept } from "./verify_store.ts";

/** What is needed of a process to read what experiments are about. */
export type Reading = Pick<Runtime, "flags" | "directory">;

/** In how many rows the kept figures differ from what the stored events say. */
export type Differences = { units: number; values: number; totals: number };

type Found = { unit: string; state: UnitState };

/** Compares what is kept of units with their states, as these are found. */
function createComparison(tx: Db, { experiment_id, places }: Kept) {
  let seen = 0;
  const wrong = { units: 0, values: 0 };
  return {
    async take(found: Found[]): Promise<void> {
      const units = found.map(({ unit }) => unit);
      const rows = await inTurn(tx, () => selectUnits(tx, experiment_id, units));
      const stored = new Map(rows.map((row) => [row.unit, row]));
      for (const { unit, state } of found) {
        const row = stored.get(unit);
        if (row) seen += 1;
        if (row?.variant !== state.variant || row.first_at !== state.first_at) wrong.units += 1;
        for (const [i, place] of places.entries())
          if (!isSameValue(valueAt(row?.cells ?? [], place), state.values[i] ?? null)) wrong.values += 1;
      }
    },
    /** Adds the rows of units that were not found. */
    async end() {
      return { ...wrong, units: wrong.units + (await countUnits(tx, experiment_id)) - seen };
    },
  };
}

async function compare(tx: Db, prepared: Prepared, slots: Slot[], cut: number): Promise<Differences> {
  const { experiment } = prepared;
  const kept = keptOf(
    prepared,
    slots.filter(({ series }) => series.place !== null),
  );
  const comparison = createComparison(tx, kept);
  await scan(tx, experiment.project_id, kept.plan, cut, { take: comparison.take });
  let totals = await countDayDifferences(tx, experiment.id);
  for (const [i, id] of kept.series.entries()) {
    const place = kept.places[i];
    if (place) totals += await countTotalDifferences(tx, experiment.id, id, place, MULTIPLE);
  }
  return { ...(await comparison.end()), totals };
}

/** Ends a transaction that must leave nothing behind. */
class Undone extends Error {}

/** What of an experiment can be computed; null where nothing is, or where figures are still those of another one. */
async function preparedOf(reading: Reading, db: Db, kept: Awaited<ReturnType<typeof selectKept>>[number]) {
  const { experiment, state } = kept;
  const timezone = (await reading.directory.current()).projects.get(experiment.project_id)?.timezone;
  try {
    const prepared = await prepare(reading, db, experiment, timezone ?? "UTC");
    return prepared.definition === state.definition ? prepared : null;
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}

/**
 * Compares one experiment's figures with its stored events: it is first brought up to date, as any reader would, and
 * that is undone.
 */
async function differencesOf(db: Db, prepared: Prepared, cut: number): Promise<Differences> {
  let found: Differences = { units: 0, values: 0, totals: 0 };
  const work = async (tx: Db) => {
    const figures = await advanceIn(tx, prepared, { now: new Date(cut - 1) });
    found = await compare(tx, prepared, figures.slots, figures.cut);
    throw new Undone();
  };
  await inTransaction(db, work, { isolationLevel: "repeatable read" }).catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error;
  });
  return found;
}

/** Compares the figures of all experiments with their stored events; nothing is changed. */
export async function verifyExperiments(reading: Reading, db: Db): Promise<Differences> {
  const sum: Differences = { units: 0, values: 0, totals: 0 };
  for (const kept of await selectKept(db)) {
    const prepared = await preparedOf(reading, db, kept);
    if (!prepared) continue;
    const found = await differencesOf(db, prepared, kept.state.cut_at.getTime());
    sum.units += found.units;
    sum.values += found.values;
    sum.totals += found.totals;
  }
  return sum;
}

/** Computes the figures of all experiments anew from their stored events; recorded days stay. */
export async function repairExperiments(reading: Reading, db: Db): Promise<void> {
  for (const kept of await selectKept(db)) {
    const prepared = await preparedOf(reading, db, kept);
    if (prepared)
      await advance(db, prepared, { now: new Date(kept.state.cut_at.getTime() - 1), rebuild: true });
  }
}
