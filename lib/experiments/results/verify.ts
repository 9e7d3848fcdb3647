import { Unsupported } from "#lib/engines/evaluation/event-filters.ts";
import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import { advance, advanceIn } from "#lib/experiments/results/days/advance.ts";
import { type Rollup, rollupFor } from "#lib/experiments/results/days/changes.ts";
import { scan } from "#lib/experiments/results/days/scan.ts";
import type { StoredMetric } from "#lib/experiments/results/days/series.ts";
import { runSerially } from "#lib/experiments/results/events/background-writer.ts";
import { isSameValue, readValue } from "#lib/experiments/results/units/layout.ts";
import type { UnitState } from "#lib/experiments/results/units/unit.ts";
import { selectUnits } from "#lib/experiments/results/units/units-store.ts";
import type { Runtime } from "#lib/flags/context.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { type Prepared, prepare } from "./prepare.ts";
import {
  countDayDifferences,
  countTotalDifferences,
  countUnits,
  selectStoredStates,
} from "./verify-store.ts";

/** The parts of the runtime needed to prepare experiments. */
export type Reading = Pick<Runtime, "flags" | "directory">;

/** In how many rows the stored figures differ from the stored events. */
export type Differences = { units: number; values: number; totals: number };

type Found = { unit: string; state: UnitState };

/** Compares stored units with their states, as these are found. */
function createComparison(tx: Db, { experiment_id, slots }: Rollup) {
  let seen = 0;
  const wrong = { units: 0, values: 0 };
  return {
    async take(found: Found[]): Promise<void> {
      const units = found.map(({ unit }) => unit);
      const rows = await runSerially(tx, () => selectUnits(tx, experiment_id, units));
      const stored = new Map(rows.map((row) => [row.unit, row]));
      for (const { unit, state } of found) {
        const row = stored.get(unit);
        if (row) seen += 1;
        if (row?.variant !== state.variant || row.first_at !== state.first_at) wrong.units += 1;
        for (const [i, slot] of slots.entries())
          if (!isSameValue(readValue(row?.cells ?? [], slot), state.values[i] ?? null)) wrong.values += 1;
      }
    },
    /** Adds the rows of units that were not found. */
    async end() {
      return { ...wrong, units: wrong.units + (await countUnits(tx, experiment_id)) - seen };
    },
  };
}

/** Rows of totals that are not what units add up to: all that is left to compare once events are deleted. */
async function countWrongTotals(tx: Db, prepared: Prepared, storedMetrics: StoredMetric[]): Promise<number> {
  const { experiment_id, series, slots } = rollupFor(
    prepared,
    storedMetrics.filter((metric) => metric.series.place !== null),
  );
  let totals = await countDayDifferences(tx, experiment_id);
  for (const [i, id] of series.entries()) {
    const slot = slots[i];
    if (slot) totals += await countTotalDifferences(tx, experiment_id, id, slot, MULTIPLE);
  }
  return totals;
}

async function compare(
  tx: Db,
  prepared: Prepared,
  storedMetrics: StoredMetric[],
  cut: number,
): Promise<Differences> {
  const { experiment } = prepared;
  const rollup = rollupFor(
    prepared,
    storedMetrics.filter(({ series }) => series.place !== null),
  );
  const comparison = createComparison(tx, rollup);
  await scan(tx, experiment.project_id, rollup.plan, cut, { take: comparison.take });
  const totals = await countWrongTotals(tx, prepared, storedMetrics);
  return { ...(await comparison.end()), totals };
}

/** Ends a transaction that must leave nothing behind. */
class Undone extends Error {}

/** The prepared experiment; null if it cannot be computed, or its figures are of another definition. */
async function preparedOf(
  reading: Reading,
  db: Db,
  stored: Awaited<ReturnType<typeof selectStoredStates>>[number],
) {
  const { experiment, state } = stored;
  const timezone = (await reading.directory.current()).projects.get(experiment.project_id)?.timezone;
  try {
    const prepared = await prepare(reading, db, experiment, timezone ?? "UTC");
    return prepared.definition === state.definition || prepared.sealed_before ? prepared : null;
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
    found = prepared.sealed_before
      ? { units: 0, values: 0, totals: await countWrongTotals(tx, prepared, figures.storedMetrics) }
      : await compare(tx, prepared, figures.storedMetrics, figures.cut);
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
  for (const stored of await selectStoredStates(db)) {
    const prepared = await preparedOf(reading, db, stored);
    if (!prepared) continue;
    const found = await differencesOf(db, prepared, stored.state.cut_at.getTime());
    sum.units += found.units;
    sum.values += found.values;
    sum.totals += found.totals;
  }
  return sum;
}

/** Recomputes the figures of all experiments from their stored events; recorded days stay. */
export async function repairExperiments(reading: Reading, db: Db): Promise<void> {
  for (const stored of await selectStoredStates(db)) {
    const prepared = await preparedOf(reading, db, stored);
    if (prepared && !prepared.sealed_before)
      await advance(db, prepared, { now: new Date(stored.state.cut_at.getTime() - 1), rebuild: true });
  }
}
