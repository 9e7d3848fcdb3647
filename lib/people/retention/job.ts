import { setTimeout as delay } from "node:timers/promises";
import type { EventRetention } from "#lib/identity/projects/event-retention-schema.ts";
import type { Runtime } from "#lib/people/context.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import { deepErrorCode } from "#lib/platform/db/errors.ts";
import { defineJob } from "#lib/platform/jobs/define.ts";
import type { JobContext } from "#lib/platform/jobs/work.ts";
import { type EventUse, horizonsFor } from "./horizons.ts";
import { selectHorizons } from "./horizons-store.ts";
import { createPartition, dropPartition, isObsolete, selectOldPartitions } from "./partitions-store.ts";
import { deleteOldest, selectErasing, selectNamesDue, selectRetaining, writeHorizons } from "./store.ts";

const DAY_MS = 86_400_000;

/**
 * Moves a project's horizons to where its retention wants them. From then on older events are refused, so that the
 * figures that are computed next are the last ones.
 */
async function moveHorizons(
  { runtime, db, now }: JobContext<unknown, Runtime>,
  { id, event_retention }: { id: number; event_retention: EventRetention | null },
): Promise<void> {
  const uses = await runtime.eventReaders.uses(id, now);
  const before = await selectHorizons(db, id);
  const next = horizonsFor(event_retention, before, uses, now);
  if (before.size === 0 && next.every((horizon) => horizon.before.getTime() === 0)) return;
  await writeHorizons(db, id, next);
  await runtime.eventReaders.settle(id, await selectHorizons(db, id), now);
}

const LOCK_MS = 20;
const LOCK_TRIES = 20;
const LOCK_PAUSE_MS = 250;

const reads = ({ events, from }: EventUse, { event, before }: { event: string; before: Date }) =>
  (events === null || events.includes(event)) && from < before;

/** What is to be deleted, but for what came into use since the horizons moved: it waits for the next run. */
async function listDue({ runtime, db, now }: JobContext<unknown, Runtime>) {
  const all = await selectNamesDue(db);
  const usesOf = new Map<number, EventUse[]>();
  for (const { project_id } of all)
    if (!usesOf.has(project_id)) usesOf.set(project_id, await runtime.eventReaders.uses(project_id, now));
  const erasing = await selectErasing(db);
  const due = all.filter(
    (one) => !erasing.has(one.project_id) && !usesOf.get(one.project_id)?.some((use) => reads(use, one)),
  );
  return { due, isWhole: due.length === all.length };
}

/** Drops the partitions of which nothing is kept; one that stays locked is left to deletion by rows. */
async function dropPartitions({ db, signal }: JobContext<unknown, Runtime>): Promise<void> {
  for (const partition of await selectOldPartitions(db)) {
    if (!(await isObsolete(db, partition))) continue;
    for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
      signal.throwIfAborted();
      const dropped = await inTransaction(db, (tx) => dropPartition(tx, partition, LOCK_MS)).catch(
        (error: unknown) => {
          if (deepErrorCode(error) !== "55P03") throw error;
          return false;
        },
      );
      if (dropped) break;
      await delay(LOCK_PAUSE_MS, undefined, { signal });
    }
  }
}

/** Partitions are there so long before their first event. */
const QUARTERS_AHEAD = 4;

async function makePartitions({ db, now }: JobContext<unknown, Runtime>): Promise<void> {
  const quarterOf = (ahead: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), Math.floor(now.getUTCMonth() / 3) * 3 + ahead * 3));
  for (let ahead = 0; ahead <= QUARTERS_AHEAD; ahead += 1)
    await inTransaction(db, (tx) =>
      createPartition(tx, quarterOf(ahead), quarterOf(ahead + 1), LOCK_MS),
    ).catch((error: unknown) => {
      // Events of that quarter are in the default partition already, where they are found as well.
      if (deepErrorCode(error) !== "23514") throw error;
    });
}

/** Events deleted at once: few enough that nobody notices. */
const BATCH = 500;

/** Deletes what is left, so many at a time; in between, the database is others' for as long. */
async function deleteByName(
  { db, signal }: JobContext<unknown, Runtime>,
  due: Awaited<ReturnType<typeof selectNamesDue>>,
): Promise<void> {
  for (const name of due)
    for (;;) {
      signal.throwIfAborted();
      const began = performance.now();
      const deleted = await inTransaction(db, (tx) => deleteOldest(tx, name, BATCH));
      if (deleted < BATCH) break;
      await delay(performance.now() - began, undefined, { signal });
    }
}

/**
 * Makes partitions ahead, and deletes the events that projects do not keep any longer. Each step is a transaction that
 * leaves everything as it must be, so that a run can end anywhere and the next one goes on. Their uuids stay: an event
 * that is sent again is known by nothing else. Projects of which somebody is being erased wait for the next run, because
 * the person can be taken out of everything that is computed from stored events.
 */
export const deleteOldEvents = defineJob({
  name: "events.retention",
  every: DAY_MS,
  offset: 3 * 3_600_000,
  async run(context: JobContext<unknown, Runtime>) {
    const erasing = await selectErasing(context.db);
    await context.each(
      (await selectRetaining(context.db)).filter(({ id }) => !erasing.has(id)),
      ({ id }) => String(id),
      (project) => moveHorizons(context, project),
    );
    const { due, isWhole } = await listDue(context);
    if (isWhole) await dropPartitions(context);
    await deleteByName(context, due);
    await makePartitions(context);
  },
});
