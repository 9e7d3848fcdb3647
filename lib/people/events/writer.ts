import { asDatabaseUnavailable, type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { deepErrorCode } from "#lib/platform/db/errors.ts";
import { unavailable } from "#lib/platform/http/errors.ts";
import type { IngestEvent } from "./event.ts";
import { createFairQueue } from "./fair-queue.ts";
import { type Flushed, flush, type IngestStep } from "./flush.ts";

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
};

export type EventWriter = {
  /**
   * Stores events of a project. Resolves after the commit: what it says is on disk.
   *
   * @throws ApiError 503 when too much is waiting, or the process is about to end
   * @throws DatabaseUnavailable when the database cannot answer; whether the events are stored is then unknown
   */
  write(projectId: number, events: IngestEvent[]): Promise<WriteResult>;
  /** Refuses further events and waits until those accepted are stored. */
  drain(): Promise<void>;
};

type Ticket = {
  waiting: number;
  result: WriteResult;
  settle: (error?: unknown) => void;
};
type Item = { project_id: number; event: IngestEvent; ticket: Ticket; index: number };

/** Whether the database refused the data itself: a value out of range, a text it cannot hold, a size limit. */
const isAboutData = (error: unknown) => /^(?:22|23|54)/.test(deepErrorCode(error) ?? "");

/** What the database said, without the data that it said it of. */
const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
};

/**
 * The one way events get into the database. Callers' events are put together: one transaction at a time stores what
 * arrived during the one before, a share of each project, so that a disk flush and a statement serve thousands of
 * events and nobody waits behind another project's backlog.
 */
export function createEventWriter(db: Db, hooks: WriterHooks = {}): EventWriter {
  const queue = createFairQueue<Item>();
  let running: Promise<void> | null = null;
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

  const store = async (items: Item[]): Promise<void> => {
    try {
      const flushed = await inTransaction(db, (tx) => flush(tx, items, new Date(), hooks.steps ?? []));
      report(flushed);
      // Its first part, which makes caches forget, runs before callers learn that the events are stored.
      const aftermath = hooks
        .committed?.(flushed)
        .catch((error: unknown) => console.error(`After storing events: ${reasonOf(error)}`));
      settleItems(items);
      await aftermath;
    } catch (error) {
      const [only] = items;
      if (!isAboutData(error)) settleItems(items, asDatabaseUnavailable(error) ?? error);
      else if (items.length === 1 && only) {
        console.error(`The database refused an event: ${reasonOf(error)}`);
        only.ticket.result.rejected.push({ index: only.index, reason: "The event cannot be stored." });
        settleItems(items);
      } else {
        // One event spoils the transaction: halve it until that event is isolated.
        const half = items.length >> 1;
        await store(items.slice(0, half));
        await store(items.slice(half));
      }
    }
  };

  const run = async () => {
    // Requests that arrive in the same turn of the event loop share a transaction.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (queue.size > 0) await store(queue.take());
    running = null;
  };

  return {
    write(projectId, events) {
      if (closed) return Promise.reject(unavailable("The server is about to end."));
      if (!queue.hasRoomFor(projectId, events))
        return Promise.reject(unavailable("Too many events are waiting to be stored."));
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
    async drain() {
      closed = true;
      await running;
    },
  };
}
