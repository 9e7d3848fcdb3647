import type { Db } from "#lib/db/connect.ts";
import { selectEventCount } from "./events_store.ts";
import type { Prepared } from "./prepare.ts";
import { clearProgress, selectProgress, writeProgress } from "./progress_store.ts";
import { createReader } from "./reader.ts";

const EVERY_MS = 1_000;

/** Nobody has told anything for so long: the process that computed is gone. */
const SILENCE_MS = 60_000;

/** Reading is not all of it. */
const MOST = 0.95;

/**
 * Tells how far a long computation is, for all processes. It is told outside of the computation's transaction, and
 * nothing is told of what takes less than a second.
 */
export async function reporter(db: Db, prepared: Prepared) {
  const { id, project_id } = prepared.experiment;
  const began = performance.now();
  let told = began;
  let expected: number | null = null;
  let telling: Promise<void> | null = null;
  const tell = async (events: number) => {
    expected ??= await selectEventCount(db, project_id, createReader(prepared.plan).names);
    await writeProgress(db, id, Math.min(MOST, events / Math.max(1, expected)));
  };
  return {
    read(events: number): void {
      const now = performance.now();
      if (now - told < EVERY_MS || telling) return;
      told = now;
      // That others do not hear of it is no reason to stop.
      telling = tell(events)
        .catch(() => undefined)
        .finally(() => {
          telling = null;
        });
    },
    async end(): Promise<void> {
      if (told === began) return;
      await telling;
      await clearProgress(db, id).catch(() => undefined);
    },
  };
}

/** How far the computation of an experiment is, in whatever process, 0 to 1; null where there is none. */
export async function progressOf(db: Db, experimentId: number): Promise<number | null> {
  return selectProgress(db, experimentId, SILENCE_MS);
}
