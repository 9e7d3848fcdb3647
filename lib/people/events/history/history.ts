import { hasGone } from "#lib/people/event_deletions/store.ts";
import { type EventFilter, type EventRow, selectEvents } from "#lib/people/events/store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { log } from "#lib/platform/log.ts";
import type { HistoryCopy } from "./clickhouse-store.ts";
import { findProgress, selectUncopied } from "./outbox-store.ts";

/** Reads of events that may go far back. */
export type EventHistory = {
  /** Null without ClickHouse. */
  copy: HistoryCopy | null;
  /** A page of events, newest first; old ones from the copy, if it answers. */
  page(db: Db, filter: EventFilter, limit: number, now: Date): Promise<EventRow[]>;
};

/** Pages from before are read from the copy: PostgreSQL has later ones in memory. */
const OLD_MS = 30 * 86_400_000;
/** How many events may wait to be copied; where there are more, PostgreSQL alone is asked. */
const WAITING = 5_000;
/** More distinct ids than these do not fit in the address of a request to ClickHouse. */
const DISTINCT_IDS = 200;
/** After a failure the copy is left alone for so long. */
const REST_MS = 30_000;

const newestFirst = (a: EventRow, b: EventRow) =>
  b.timestamp - a.timestamp || (a.uuid < b.uuid ? 1 : a.uuid > b.uuid ? -1 : 0);

/** What the copy has and what it has not got yet; an event that was copied meanwhile is in both. */
function unite(copied: EventRow[], uncopied: EventRow[], limit: number): EventRow[] {
  if (uncopied.length === 0) return copied;
  const byUuid = new Map([...copied, ...uncopied].map((row) => [row.uuid, row]));
  return [...byUuid.values()].sort(newestFirst).slice(0, limit);
}

export function createHistory(copy: HistoryCopy | null): EventHistory {
  let restsUntil = 0;

  /** Null where the copy cannot answer. */
  const readCopy = async (db: Db, copy: HistoryCopy, filter: EventFilter, limit: number) => {
    const progress = await findProgress(db, filter.project_id);
    if (progress?.position?.among !== "newer" || (await hasGone(db, filter.project_id))) return null;
    // Before the copy is read: what is copied in between is then in both, and not in neither.
    const uncopied = await selectUncopied(db, progress, filter, limit, WAITING);
    return uncopied && unite(await copy.page(filter, limit), uncopied, limit);
  };

  return {
    copy,
    async page(db, filter, limit, now) {
      const { before, distinct_ids } = filter;
      const isOld = before !== null && before.at < now.getTime() - OLD_MS;
      if (copy && isOld && (distinct_ids?.length ?? 0) <= DISTINCT_IDS && performance.now() >= restsUntil) {
        const rows = await readCopy(db, copy, filter, limit).catch((error: unknown) => {
          restsUntil = performance.now() + REST_MS;
          log().warn({ error }, "ClickHouse does not answer: old events are read from PostgreSQL.");
          return null;
        });
        if (rows) return rows;
      }
      return selectEvents(db, filter, limit);
    },
  };
}
