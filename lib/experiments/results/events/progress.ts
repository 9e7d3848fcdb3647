import type { Prepared } from "#lib/experiments/results/prepare.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { selectEventCount } from "./events-store.ts";
import { clearProgress, selectProgress, writeProgress } from "./progress-store.ts";
import { createReader } from "./reader.ts";

const EVERY_MS = 1_000;

/** If nothing was reported for so long, the process that computed is gone. */
const SILENCE_MS = 60_000;

/** Reading is not all of it. */
const MOST = 0.95;

/**
 * Reports the progress of a long computation to all processes, outside of the computation's transaction. Nothing is
 * reported for what takes less than a second.
 */
export async function createReporter(db: Db, prepared: Prepared) {
  const { id, project_id } = prepared.experiment;
  const began = performance.now();
  let reported = began;
  let expected: number | null = null;
  let reporting: Promise<void> | null = null;
  const report = async (events: number) => {
    expected ??= await selectEventCount(db, project_id, createReader(prepared.plan).names);
    await writeProgress(db, id, Math.min(MOST, events / Math.max(1, expected)));
  };
  return {
    read(events: number): void {
      const now = performance.now();
      if (now - reported < EVERY_MS || reporting) return;
      reported = now;
      // A failed report is no reason to stop.
      reporting = report(events)
        .catch(() => undefined)
        .finally(() => {
          reporting = null;
        });
    },
    async end(): Promise<void> {
      if (reported === began) return;
      await reporting;
      await clearProgress(db, id).catch(() => undefined);
    },
  };
}

/** How far the computation of an experiment is, in whatever process, 0 to 1; null where there is none. */
export async function readProgress(db: Db, experimentId: number): Promise<number | null> {
  return selectProgress(db, experimentId, SILENCE_MS);
}
