import { type Db, inTransaction } from "#lib/db/connect.ts";
import type { Runtime } from "#lib/runtime.ts";
import { advance, advanceIn } from "./advance.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { scan } from "./scan.ts";
import { partOf } from "./scope.ts";
import type { Slot } from "./series.ts";
import { Unsupported } from "./sources.ts";
import type { UnitState } from "./unit.ts";
import { selectUnits, selectValues } from "./units_store.ts";
import {
  countDayDifferences,
  countTotalDifferences,
  countUnits,
  countValues,
  selectKept,
} from "./verify_store.ts";

/** What is needed of a process to read what experiments are about. */
export type Reading = Pick<Runtime, "flags" | "directory">;

/** In how many rows the kept figures differ from what the stored events say. */
export type Differences = { units: number; values: number; totals: number };

type Found = { unit: string; state: UnitState };

/** Compares what is kept of units with their states, as these are found. */
function createComparison(tx: Db, experimentId: number, series: number[]) {
  const seen = { units: 0, values: 0 };
  const wrong = { units: 0, values: 0 };
  const compareValues = async (found: Found[]) => {
    const rows = await selectValues(
      tx,
      series,
      found.map(({ unit }) => unit),
    );
    const stored = new Map(rows.map((row) => [`${row.series_id}:${row.unit}`, row]));
    for (const { unit, state } of found)
      for (const [i, id] of series.entries()) {
        const [row, value] = [stored.get(`${id}:${unit}`), state.values[i]];
        if (row) seen.values += 1;
        const isSame =
          row?.variant === (value ? state.variant : undefined) &&
          row?.value === value?.value &&
          row?.other === value?.other &&
          row?.covariate === value?.covariate;
        if (!isSame) wrong.values += 1;
      }
  };
  return {
    async take(found: Found[]): Promise<void> {
      const rows = await selectUnits(
        tx,
        experimentId,
        found.map(({ unit }) => unit),
      );
      const stored = new Map(rows.map((row) => [row.unit, row]));
      for (const { unit, state } of found) {
        const row = stored.get(unit);
        if (row) seen.units += 1;
        if (row?.variant !== state.variant || row.first_at !== state.first_at) wrong.units += 1;
      }
      await compareValues(found);
    },
    /** Adds the rows of units that were not found. */
    async end() {
      const units = wrong.units + (await countUnits(tx, experimentId)) - seen.units;
      const values = wrong.values + (await countValues(tx, series)) - seen.values;
      return { units, values };
    },
  };
}

async function compare(tx: Db, prepared: Prepared, slots: Slot[], cut: number): Promise<Differences> {
  const { experiment, plan } = prepared;
  const kept = slots.filter(({ series }) => series.filled);
  const part = partOf(
    plan,
    kept.map(({ planned }) => planned),
  );
  const comparison = createComparison(
    tx,
    experiment.id,
    kept.map(({ series }) => series.id),
  );
  await scan(tx, experiment.project_id, part, cut, { take: comparison.take });
  let totals = await countDayDifferences(tx, experiment.id);
  for (const [i, { series }] of kept.entries())
    totals += await countTotalDifferences(tx, series.id, part.metrics[i]?.type === "funnel");
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
