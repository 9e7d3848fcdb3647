import type { Runtime } from "#lib/people/context.ts";
import {
  type KeptSpan,
  selectKeptNames,
  selectKeptSpan,
} from "#lib/people/event_deletions/retained-store.ts";
import { acknowledgeGone, selectGone } from "#lib/people/event_deletions/store.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { plural } from "#lib/platform/format.ts";
import { defineJob } from "#lib/platform/jobs/define.ts";
import type { HistoryCopy } from "./clickhouse-store.ts";
import {
  acknowledge,
  acknowledgeMerges,
  after,
  type Batch,
  type BatchLimits,
  clearPositions,
  closeBatch,
  leaveOlder,
  lockCopy,
  noteFolded,
  type Progress,
  selectBatch,
  selectIdentity,
  selectOverrides,
  selectProgress,
  selectWaiting,
} from "./outbox-store.ts";

const BATCH: BatchLimits = { events: 50_000, bytes: 16_000_000, batches: 10 };
const FOLD_EVERY_MS = 30 * 86_400_000;

/** The database in CLICKHOUSE_URL is not the one that it should be. */
export class WrongCopy extends Error {
  override name = "WrongCopy";
}

const SEE = "See “Events that only ClickHouse has” in docs/operations.md.";
const listKept = ({ count, first, last }: KeptSpan) => `${plural(count, "event")} from ${first} to ${last}`;

/** What is out of reach without CLICKHOUSE_URL; null: nothing. */
export async function findKeptProblem(db: Db): Promise<string | null> {
  const kept = await selectKeptSpan(db, null);
  return (
    kept &&
    `${listKept(kept)} are only in ClickHouse, and cannot be read, exported or erased: CLICKHOUSE_URL is not set. ${SEE}`
  );
}

/**
 * Makes sure that the copy is this database's; one that is empty, or older than a restored backup, begins again. Events
 * that only it has stay in it.
 *
 * @throws where that is another database, although there are such events
 */
async function claimCopy(db: Db, copy: HistoryCopy): Promise<void> {
  const { id, generation } = await selectIdentity(db);
  const found = await copy.identity();
  if (found?.id === id && found.generation === generation) return;
  await inTransaction(db, async (tx) => {
    // Events leave PostgreSQL in transactions that lock these rows: none does until they are there again.
    await clearPositions(tx);
    const kept = await selectKeptSpan(tx, null);
    if (kept && found?.id !== id)
      throw new WrongCopy(
        `CLICKHOUSE_URL names a database without the events that only ClickHouse has (${listKept(kept)}): name the one that has them, or restore it. ${SEE}`,
      );
    if (found && found.id !== id)
      throw new WrongCopy(
        "CLICKHOUSE_URL names a database that has the events of another Switchyard: name an empty one, or drop it.",
      );
    await copy.reset(await selectKeptNames(tx));
  });
  await copy.identify({ id, generation });
}

/**
 * Copies some batches of a project, beginning with one that was not acknowledged: while one is inserted, the next is read.
 *
 * @returns whether there was one
 */
async function shipBatches(
  db: Db,
  copy: HistoryCopy,
  progress: Progress,
  limits: BatchLimits,
): Promise<boolean> {
  let batch: Batch | null = await selectBatch(db, progress, limits);
  if (!batch) {
    await leaveOlder(db, progress);
    return false;
  }
  for (let count = 1; batch; count += 1) {
    if (!(await closeBatch(db, batch))) return true;
    const copied = after(batch);
    const inserting = copy.insertEvents(batch.lines, batch.id);
    const next = count < limits.batches ? selectBatch(db, copied, limits) : null;
    // Nothing may still be under way when this has failed.
    await Promise.allSettled([inserting, next]);
    await inserting;
    batch = await next;
    if (!batch) await acknowledge(db, copied);
  }
  return true;
}

/** Copies who was merged into whom. @returns whether anybody was */
async function shipMerges(db: Db, copy: HistoryCopy, progress: Progress): Promise<boolean> {
  const { overrides, end } = await selectOverrides(db, progress);
  if (!end) return false;
  await copy.insertOverrides(overrides);
  await acknowledgeMerges(db, progress.project_id, end);
  return true;
}

/** Removes what is deleted. It may be in batches that were read before, so these come first. */
async function shipDeletions(db: Db, copy: HistoryCopy): Promise<boolean> {
  const deletions = await selectGone(db);
  for (const { ids, gone } of deletions) {
    await copy.deleteEvents(gone);
    await acknowledgeGone(db, ids);
  }
  return deletions.length > 0;
}

/** Some batches of each project, and what else there is to do. The caller has locked the copy. */
async function shipRound(db: Db, copy: HistoryCopy, limits: BatchLimits): Promise<boolean> {
  let isWorking = false;
  for (const id of await selectWaiting(db)) {
    const progress = await selectProgress(db, id);
    if (await shipBatches(db, copy, progress, limits)) isWorking = true;
    if (await shipMerges(db, copy, progress)) isWorking = true;
  }
  return (await shipDeletions(db, copy)) || isWorking;
}

/** Copies everything that there is; for whoever has locked the copy. */
export async function shipAll(db: Db, copy: HistoryCopy, limits = BATCH): Promise<void> {
  await claimCopy(db, copy);
  while (await shipRound(db, copy, limits));
}

/** Writes merged persons into the copied events, so that reads have fewer of them to look up. */
export async function fold(db: Db, copy: HistoryCopy, now: Date): Promise<void> {
  await copy.foldOverrides();
  await noteFolded(db, now);
}

/**
 * Does one round, unless another process is at it.
 *
 * @returns whether there may be more to do
 */
export const ship = (
  db: Db,
  copy: HistoryCopy,
  { limits = BATCH, now = new Date() }: { limits?: BatchLimits; now?: Date } = {},
): Promise<boolean> =>
  // The transaction does nothing but hold the lock: each step commits by itself, so that the next run goes on after it.
  inTransaction(db, async (tx) => {
    if (!(await lockCopy(tx))) return false;
    await claimCopy(db, copy);
    if (await shipRound(db, copy, limits)) return true;
    const { folded_at } = await selectIdentity(db);
    if (now.getTime() - folded_at.getTime() >= FOLD_EVERY_MS) await fold(db, copy, now);
    return false;
  });

const EVERY_MS = 15_000;
/** A run ends after that and goes on the next time, so that other jobs get their turn. */
const RUN_MS = 60_000;

/** Copies events, merges and deletions to ClickHouse. */
export const copyHistory = defineJob<Runtime>({
  name: "events.history",
  every: EVERY_MS,
  async run({ runtime, db, signal }) {
    const { copy } = runtime.history;
    if (!copy) return;
    const end = performance.now() + RUN_MS;
    while (performance.now() < end && (await ship(db, copy))) signal.throwIfAborted();
  },
});
