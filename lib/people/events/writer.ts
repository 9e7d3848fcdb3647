import { setTimeout as delay } from "node:timers/promises";
import { asDatabaseUnavailable, type Db, inTransaction, type Tx } from "#lib/platform/db/connect.ts";
import { deepErrorCode, tookTooLong } from "#lib/platform/db/errors.ts";
import { unavailable } from "#lib/platform/http/errors.ts";
import { log } from "#lib/platform/log.ts";
import { counter, histogram, SECONDS } from "#lib/platform/metrics.ts";
import { inBackground } from "#lib/platform/tracing.ts";
import type { IngestEvent } from "./event.ts";
import { createFairQueue } from "./fair-queue.ts";
import { type Flushed, flush, type IngestStep } from "./flush.ts";
import type { ProjectEvent } from "./ingest-store.ts";
import type { Spool } from "./spool.ts";

const batchSizes = histogram("event_batch_size", "Events of a transaction that stored some.", {
  buckets: [1, 3, 10, 30, 100, 300, 1_000, 2_000],
});
const transactionTimes = histogram(
  "event_transaction_duration_seconds",
  "Time of a transaction that stored events.",
  { buckets: SECONDS },
);
const eventCount = counter("events_total", "Events that were received, by what became of them.", ["result"]);
const outcomes = {
  stored: eventCount("stored"),
  duplicate: eventCount("duplicate"),
  spooled: eventCount("spooled"),
  refused: eventCount("refused"),
};

/** What became of the events of one call. */
type WriteResult = {
  /** How many are newly stored; the rest were stored before, or are rejected. */
  stored: number;
  /** What was not done as requested, by position. An event may be stored although a change it requested is not. */
  rejected: { index: number; reason: string }[];
};

export type WriterHooks = {
  /** In this order, so that all processes take their locks in the same one. */
  steps?: readonly IngestStep[];
  /** What others want to know after a commit; called once per transaction, not awaited by those who sent events. */
  committed?: (flushed: Flushed<{ project_id: number; event: IngestEvent }>) => Promise<void>;
  /** Leaves out some of the events that have waited on disk, in the transaction that is about to store the others. */
  replaying?: <E extends ProjectEvent>(tx: Tx, events: E[], acceptedAt: Date) => Promise<E[]>;
  /** Changes events before they are queued. */
  arriving?: (projectId: number, events: IngestEvent[]) => Promise<IngestEvent[]>;
  /** Where events wait while the database is away; without one they are refused. */
  spool?: Spool;
};

export type EventWriter = {
  /**
   * Stores events of a project. Resolves after the commit, or once they wait in the spool: what it says is on disk.
   *
   * @throws ApiError 503 when too much is waiting, or the process is about to end
   * @throws DatabaseUnavailable without a spool, when the database cannot answer; whether the events are stored is then
   *   unknown
   */
  write(projectId: number, events: IngestEvent[]): Promise<WriteResult>;
  /** Whether events wait on disk for the database: those of other processes with the same folder, too. */
  isBehind(): boolean;
  /** Refuses further events and waits until those accepted are stored. */
  drain(): Promise<void>;
  /** What waits to be stored: in memory, and in the spool. */
  readonly waiting: { events: number; spool: Spool["size"] };
};

/** How long the spool waits before it tries the database, again and again. */
const REPLAY_PAUSE_MS = 500;
/** How often it is looked for events that a process left which ended. */
const LOOK_EVERY_MS = 5_000;

/**
 * After a transaction, events are collected for this many times as long as it took, up to a limit: fewer and larger
 * transactions leave the database to others.
 */
const PAUSE_FACTOR = 2;
const LONGEST_PAUSE_MS = 100;
/** So many waiting events make a transaction worth its while without a pause. */
const FULL_LOAD = 1_000;

type Ticket = {
  waiting: number;
  result: WriteResult;
  settle: (error?: unknown) => void;
};
type Item = { project_id: number; event: IngestEvent; ticket: Ticket; index: number };

/** Whether the database refused the data itself: a value out of range, a text it cannot hold, a size limit. */
const isAboutData = (error: unknown) => /^(?:22|23|54)/.test(deepErrorCode(error) ?? "");

/**
 * The one way events get into the database. Callers' events are put together: one transaction at a time stores what
 * arrived during the one before, a share of each project, so that a disk flush and a statement serve thousands of
 * events and nobody waits behind another project's backlog.
 */
export function createEventWriter(db: Db, hooks: WriterHooks = {}): EventWriter {
  const queue = createFairQueue<Item>();
  const { spool } = hooks;
  let running: Promise<void> | null = null;
  let replaying: Promise<void> | null = null;
  let closed = false;

  const settleItems = (items: Item[], error?: unknown) => {
    for (const { ticket } of items) {
      ticket.waiting -= 1;
      if (error !== undefined) ticket.settle(error);
      else if (ticket.waiting === 0) ticket.settle();
    }
  };

  const report = (flushed: Flushed<Item>) => {
    for (const { ticket } of flushed.fresh) ticket.result.stored += 1;
    for (const { of, reason } of flushed.warnings)
      of.ticket.result.rejected.push({ index: of.index, reason });
  };

  /** Keeps events until the database is back; those that a commit may have stored already are known by their uuids. */
  const keep = async (items: Item[], spool: Spool): Promise<void> => {
    try {
      await spool.append(items);
      outcomes.spooled.count += items.length;
      settleItems(items);
    } catch (error) {
      settleItems(items, error);
    }
    replayLater(spool);
  };

  const replayLater = (spool: Spool): void => {
    if (closed || spool.isEmpty) return;
    replaying ??= delay(REPLAY_PAUSE_MS, undefined, { ref: false })
      .then(() => spool.replay(storeAgain))
      .catch((error: unknown) => {
        if (!asDatabaseUnavailable(error)) log().error({ error }, "Events of the spool could not be stored.");
      })
      .finally(() => {
        replaying = null;
        replayLater(spool);
      });
  };

  const storeAgain = (events: ProjectEvent[], acceptedAt: Date): Promise<void> =>
    new Promise((resolve, reject) => {
      if (closed) return reject(unavailable("The server is about to end."));
      const settle = (error?: unknown) => (error === undefined ? resolve() : reject(error));
      const ticket = { waiting: events.length, result: { stored: 0, rejected: [] }, settle };
      const items = events.map(({ project_id, event }, index) => ({ project_id, event, ticket, index }));
      void store(items, { acceptedAt });
    });

  /** @param options.acceptedAt of events that have waited on disk */
  const store = async (items: Item[], options: { spool?: Spool; acceptedAt?: Date }): Promise<void> => {
    const { spool, acceptedAt } = options;
    try {
      const began = performance.now();
      // It is not part of the request that happens to be the first of many.
      const flushed = await inBackground("store events", { events: items.length }, () =>
        inTransaction(db, async (tx) => {
          const left = acceptedAt && hooks.replaying ? await hooks.replaying(tx, items, acceptedAt) : items;
          return flush(tx, left, new Date(), hooks.steps ?? []);
        }),
      );
      transactionTimes.observe((performance.now() - began) / 1_000);
      batchSizes.observe(items.length);
      outcomes.stored.count += flushed.fresh.length;
      outcomes.duplicate.count += items.length - flushed.fresh.length;
      report(flushed);
      // Its first part, which makes caches forget, runs before callers learn that the events are stored.
      const aftermath = hooks
        .committed?.(flushed)
        .catch((error: unknown) => log().error({ error }, "What follows from stored events failed."));
      settleItems(items);
      await aftermath;
    } catch (error) {
      const [only] = items;
      if (spool && (asDatabaseUnavailable(error) || tookTooLong(error))) await keep(items, spool);
      else if (!isAboutData(error)) settleItems(items, asDatabaseUnavailable(error) ?? error);
      else if (items.length === 1 && only) {
        log().error({ error }, "The database refused an event.");
        only.ticket.result.rejected.push({ index: only.index, reason: "The event cannot be stored." });
        outcomes.refused.count += 1;
        settleItems(items);
      } else {
        // One event spoils the transaction: halve it until that event is isolated.
        const half = items.length >> 1;
        await store(items.slice(0, half), options);
        await store(items.slice(half), options);
      }
    }
  };

  const run = async () => {
    // Requests that arrive in the same turn of the event loop share a transaction.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (queue.size > 0) {
      const items = queue.take();
      // What came before goes first.
      if (spool && !spool.isEmpty) await keep(items, spool);
      else {
        const began = performance.now();
        await store(items, spool ? { spool } : {});
        if (queue.size < FULL_LOAD)
          await delay(Math.min(LONGEST_PAUSE_MS, PAUSE_FACTOR * (performance.now() - began)));
      }
    }
    running = null;
  };
  const looking =
    spool &&
    setInterval(() => {
      spool.look();
      replayLater(spool);
    }, LOOK_EVERY_MS).unref();
  if (spool) replayLater(spool);

  return {
    get waiting() {
      return { events: queue.size, spool: spool?.size ?? { files: 0, bytes: 0 } };
    },
    async write(projectId, sent) {
      const events = hooks.arriving ? await hooks.arriving(projectId, sent) : sent;
      if (closed) return Promise.reject(unavailable("The server is about to end."));
      if (!queue.hasRoomFor(projectId, events)) {
        outcomes.refused.count += events.length;
        return Promise.reject(unavailable("Too many events are waiting to be stored."));
      }
      return new Promise((resolve, reject) => {
        const result: WriteResult = { stored: 0, rejected: [] };
        const settle = (error?: unknown) => (error === undefined ? resolve(result) : reject(error));
        if (events.length === 0) return settle();
        const ticket = { waiting: events.length, result, settle };
        for (const [index, event] of events.entries())
          queue.push({ project_id: projectId, event, ticket, index });
        running ??= run();
      });
    },
    isBehind() {
      spool?.look();
      return spool !== undefined && !spool.isEmpty;
    },
    async drain() {
      closed = true;
      clearInterval(looking);
      await running;
      await replaying;
    },
  };
}
