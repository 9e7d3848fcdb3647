import { setTimeout as delay } from "node:timers/promises";
import { note } from "#lib/audit/notes.ts";
import type { EventRetention } from "#lib/identity/projects/event-retention-schema.ts";
import type { Runtime } from "#lib/people/context.ts";
import { EventsWait, leaveCopy, selectKeptNames } from "#lib/people/event_deletions/retained-store.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import { deepErrorCode } from "#lib/platform/db/errors.ts";
import { plural } from "#lib/platform/format.ts";
import { defineJob } from "#lib/platform/jobs/define.ts";
import type { JobContext } from "#lib/platform/jobs/work.ts";
import { type EventUse, horizonOf, horizonsFor } from "./horizons.ts";
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
  await inTransaction(db, async (tx) => {
    await writeHorizons(tx, id, next);
    await note(tx, {
      project_id: id,
      user_id: null,
      scope: "EventRetention",
      item_id: String(id),
      activity: "moved",
      detail: { before: Object.fromEntries(next.map(({ event, before }) => [event, before])) },
    });
  });
  await runtime.eventReaders.settle(id, await selectHorizons(db, id), now);
}

/**
 * Events that stayed in ClickHouse leave it, too, as far as the retention now asks for that: where the project does not
 * keep them there any longer.
 */
async function forgetKept(
  { db, now }: JobContext<unknown, Runtime>,
  { id, event_retention }: { id: number; event_retention: EventRetention | null },
): Promise<void> {
  if (event_retention?.keep_in_clickhouse) return;
  const reached = await selectHorizons(db, id);
  const asked = new Map(
    horizonsFor(event_retention, new Map(), [], now).map((horizon) => [horizon.event, horizon.before]),
  );
  for (const { project_id, event, first_day } of await selectKeptNames(db)) {
    const [end, most] = [horizonOf(asked, event), horizonOf(reached, event)];
    if (project_id !== id || !end || !most) continue;
    const before = new Date(Math.min(end.getTime(), most.getTime()));
    if (first_day < before.toISOString().slice(0, 10))
      await inTransaction(db, (tx) => leaveCopy(tx, id, { event, before }));
  }
}

/** Why events of projects that keep them in ClickHouse cannot leave PostgreSQL for now, by project. */
type Waiting = Map<number, string>;

async function listWaiting(
  { runtime, db }: JobContext<unknown, Runtime>,
  projectIds: Iterable<number>,
): Promise<Waiting> {
  const waiting: Waiting = new Map();
  for (const id of projectIds) {
    const reason = await runtime.history.findProblem(db, id);
    if (reason) waiting.set(id, reason);
  }
  return waiting;
}

const LOCK_MS = 20;
const LOCK_TRIES = 20;
const LOCK_PAUSE_MS = 250;

const reads = ({ events, from }: EventUse, { event, before }: { event: string; before: Date }) =>
  (events === null || events.includes(event)) && from < before;

/** What is to be deleted, but for what came into use since the horizons moved: it waits for the next run. */
async function listDue({ runtime, db, now }: JobContext<unknown, Runtime>, waiting: Waiting) {
  const all = await selectNamesDue(db);
  const usesOf = new Map<number, EventUse[]>();
  for (const { project_id } of all)
    if (!usesOf.has(project_id)) usesOf.set(project_id, await runtime.eventReaders.uses(project_id, now));
  const erasing = await selectErasing(db);
  const due = all.filter(
    (one) =>
      !erasing.has(one.project_id) &&
      !waiting.has(one.project_id) &&
      !usesOf.get(one.project_id)?.some((use) => reads(use, one)),
  );
  return { due, isWhole: due.length === all.length };
}

/** Drops the partitions of which nothing is kept; one that stays locked is left to deletion by rows. */
async function dropPartitions(
  context: JobContext<unknown, Runtime>,
  keeping: ReadonlySet<number>,
): Promise<void> {
  const { db, signal } = context;
  for (const partition of await selectOldPartitions(db)) {
    if (!(await isObsolete(db, partition))) continue;
    if ((await listWaiting(context, keeping)).size > 0) return;
    for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
      signal.throwIfAborted();
      const dropped = await inTransaction(db, (tx) => dropPartition(tx, partition, LOCK_MS)).catch(
        (error: unknown) => {
          if (error instanceof EventsWait) return null;
          if (deepErrorCode(error) !== "55P03") throw error;
          return false;
        },
      );
      if (dropped !== false) break;
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
  context: JobContext<unknown, Runtime>,
  due: Awaited<ReturnType<typeof selectNamesDue>>,
  keeping: ReadonlySet<number>,
  waiting: Waiting,
): Promise<void> {
  const { runtime, db, signal } = context;
  for (const name of due)
    while (!waiting.has(name.project_id)) {
      signal.throwIfAborted();
      const began = performance.now();
      const problem =
        keeping.has(name.project_id) && (await runtime.history.findProblem(db, name.project_id));
      const deleted = await (problem
        ? Promise.reject(new EventsWait(problem))
        : inTransaction(db, (tx) => deleteOldest(tx, name, BATCH))
      ).catch((error: unknown) => {
        if (!(error instanceof EventsWait)) throw error;
        waiting.set(name.project_id, error.message);
        return 0;
      });
      if (deleted < BATCH) break;
      await delay(performance.now() - began, undefined, { signal });
    }
}

/**
 * Makes partitions ahead, and deletes the events that projects do not keep any longer. Each step is a transaction that
 * leaves everything as it must be, so that a run can end anywhere and the next one goes on. Their uuids stay: an event
 * that is sent again is known by nothing else. Projects of which somebody is being erased wait for the next run, because
 * the person can be taken out of everything that is computed from stored events. So do projects whose events are to
 * stay in ClickHouse, for as long as that does not have them; the job then fails, with the reason.
 */
export const deleteOldEvents = defineJob({
  name: "events.retention",
  every: DAY_MS,
  offset: 3 * 3_600_000,
  async run(context: JobContext<unknown, Runtime>) {
    const erasing = await selectErasing(context.db);
    const projects = (await selectRetaining(context.db)).filter(({ id }) => !erasing.has(id));
    const keeping = new Set(
      projects.flatMap(({ id, event_retention }) => (event_retention?.keep_in_clickhouse ? [id] : [])),
    );
    const waiting = await listWaiting(context, keeping);
    await context.each(
      projects.filter(({ id }) => !waiting.has(id)),
      ({ id }) => String(id),
      async (project) => {
        await moveHorizons(context, project);
        await forgetKept(context, project);
      },
    );
    const { due, isWhole } = await listDue(context, waiting);
    if (isWhole) await dropPartitions(context, keeping);
    await deleteByName(context, due, keeping, waiting);
    await makePartitions(context);
    const [first] = waiting;
    if (first)
      throw new Error(
        `Events of project ${first[0]} wait before they leave PostgreSQL for ClickHouse: ${first[1]}.${
          waiting.size > 1 ? ` So do those of ${plural(waiting.size - 1, "other project")}.` : ""
        }`,
      );
  },
});
