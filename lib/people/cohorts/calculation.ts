import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "#lib/platform/db/connect.ts";
import { log } from "#lib/platform/log.ts";
import { countedMembers } from "./members.ts";
import { type CohortRow, selectCohort, storeCount, storeFailure } from "./store.ts";

/** How long a response waits for counting, which continues in the background. */
const PATIENCE_MS = 1_500;

async function calculate(db: Db, row: CohortRow, now: Date): Promise<void> {
  try {
    await storeCount(db, row, await countedMembers(db, row, now), now);
  } catch (error) {
    log().error({ error, cohort: row.id }, "A cohort could not be counted.");
    await storeFailure(db, row.id).catch(() => undefined);
  }
}

/**
 * Counts the members of a stored cohort, and waits for that a moment.
 *
 * @returns the cohort as it is then; is_calculating where the counting goes on
 */
export async function calculated(db: Db, row: CohortRow, now: Date): Promise<CohortRow> {
  const patience = new AbortController();
  const waited = delay(PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => undefined);
  await Promise.race([calculate(db, row, now), waited]);
  patience.abort();
  return (await selectCohort(db, row.project_id, row.id)) ?? row;
}
