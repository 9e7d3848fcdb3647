import { type KeptSpan, selectKeptSpan } from "#lib/people/event_deletions/retained-store.ts";
import { hasGone } from "#lib/people/event_deletions/store.ts";
import { type EventFilter, type EventRow, selectEvents } from "#lib/people/events/store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { log } from "#lib/platform/log.ts";
import { DISTINCT_IDS, type HistoryCopy, HistoryError } from "./clickhouse-store.ts";
import { findProgress, selectIdentity, selectUncopied } from "./outbox-store.ts";

/** Days that only the copy has, and that cannot be read now. */
type Unreadable = { from: string; to: string };

/** Reads of events that may go far back. */
export type EventHistory = {
  /** Null without ClickHouse. */
  copy: HistoryCopy | null;
  /** Why events of a project may not be left to the copy alone for now; null: they may. */
  findProblem(db: Db, projectId: number): Promise<string | null>;
  /**
   * A page of events, newest first; old ones from the copy, if it answers. Where it does not, `unreadable` says which
   * days the page lacks.
   */
  page(
    db: Db,
    filter: EventFilter,
    limit: number,
    now: Date,
  ): Promise<{ rows: EventRow[]; unreadable: Unreadable | null }>;
};

/** Pages from before are read from the copy: PostgreSQL has later ones in memory. */
const OLD_MS = 30 * 86_400_000;
const DAY_MS = 86_400_000;
/** How many events may wait to be copied; where there are more, PostgreSQL alone is asked. */
const WAITING = 5_000;
/** After a failure the copy is left alone for so long. */
const REST_MS = 30_000;

const newestFirst = (a: EventRow, b: EventRow) =>
  b.timestamp - a.timestamp || (a.uuid < b.uuid ? 1 : a.uuid > b.uuid ? -1 : 0);

/** What the copy and PostgreSQL have; some events are in both. */
function unite(copied: EventRow[], stored: EventRow[], limit: number): EventRow[] {
  if (stored.length === 0) return copied;
  const byUuid = new Map([...copied, ...stored].map((row) => [row.uuid, row]));
  return [...byUuid.values()].sort(newestFirst).slice(0, limit);
}

/** Lists in parts that the copy can be asked for. */
export function* partsOf(ids: readonly string[]): Generator<string[]> {
  for (let from = 0; from < ids.length; from += DISTINCT_IDS) yield ids.slice(from, from + DISTINCT_IDS);
}

/** A page of the copy, of any number of distinct ids. */
async function pageOf(copy: HistoryCopy, filter: EventFilter, limit: number): Promise<EventRow[]> {
  if (!filter.distinct_ids) return copy.page(filter, limit);
  let rows: EventRow[] = [];
  for (const distinct_ids of partsOf(filter.distinct_ids))
    rows = unite(await copy.page({ ...filter, distinct_ids }, limit), rows, limit);
  return rows;
}

/** Where events begin that PostgreSQL has. */
export const endOf = (kept: KeptSpan): number => Date.parse(kept.last) + DAY_MS;

/** Which days a page lacks without the copy; null: none. */
function missingDays(kept: KeptSpan | null, { before }: Pick<EventFilter, "before">): Unreadable | null {
  if (!kept || (before && before.at <= Date.parse(kept.first))) return null;
  const to =
    before && before.at < endOf(kept) ? new Date(before.at - 1).toISOString().slice(0, 10) : kept.last;
  return { from: kept.first, to };
}

async function findCopyProblem(db: Db, copy: HistoryCopy | null, projectId: number): Promise<string | null> {
  if (!copy) return "CLICKHOUSE_URL is not set";
  try {
    const [{ id, generation }, found] = await Promise.all([selectIdentity(db), copy.identity()]);
    if (found?.id !== id || found.generation !== generation) return "the copy has to be made again first";
  } catch (error) {
    if (error instanceof HistoryError) return error.message.replace(/\.$/, "");
    throw error;
  }
  const progress = await findProgress(db, projectId);
  return progress?.position?.among === "newer" ? null : "its events are still being copied";
}

export function createHistory(copy: HistoryCopy | null): EventHistory {
  let restsUntil = 0;

  /** Null where the copy cannot answer. */
  const ask = async <T>(read: (copy: HistoryCopy) => Promise<T | null>): Promise<T | null> => {
    if (!copy || performance.now() < restsUntil) return null;
    return read(copy).catch((error: unknown) => {
      restsUntil = performance.now() + REST_MS;
      log().warn({ error }, "ClickHouse does not answer: events are read from PostgreSQL alone.");
      return null;
    });
  };

  const readAll = async (db: Db, copy: HistoryCopy, filter: EventFilter, limit: number) => {
    const progress = await findProgress(db, filter.project_id);
    if (progress?.position?.among !== "newer" || (await hasGone(db, filter.project_id))) return null;
    // Before the copy is read: what is copied in between is then in both, and not in neither.
    const uncopied = await selectUncopied(db, progress, filter, limit, WAITING);
    return uncopied && unite(await copy.page(filter, limit), uncopied, limit);
  };

  /** Events before the end of what only the copy has. */
  const readKept = async (db: Db, copy: HistoryCopy, filter: EventFilter, end: number, limit: number) => {
    // Without progress, the copy still has what a restored backup has taken back.
    if (!(await findProgress(db, filter.project_id)) || (await hasGone(db, filter.project_id))) return null;
    const before = filter.before && filter.before.at < end ? filter.before : { at: end, uuid: null };
    return pageOf(copy, { ...filter, before }, limit);
  };

  return {
    copy,
    findProblem: (db, projectId) => findCopyProblem(db, copy, projectId),
    async page(db, filter, limit, now) {
      const { project_id, before, distinct_ids } = filter;
      const isOld = before !== null && before.at < now.getTime() - OLD_MS;
      if (isOld && (distinct_ids?.length ?? 0) <= DISTINCT_IDS) {
        const all = await ask((copy) => readAll(db, copy, filter, limit));
        if (all) return { rows: all, unreadable: null };
      }
      const stored = await selectEvents(db, filter, limit);
      // Afterwards: what has left PostgreSQL in between is then in both, and not in neither.
      const event = filter.feature_flag === undefined ? filter.event : "$feature_flag_called";
      const kept = await selectKeptSpan(db, { project_id, event });
      const missing = missingDays(kept, filter);
      const last = stored.length < limit ? undefined : stored.at(-1);
      if (!kept || !missing || (last && last.timestamp >= endOf(kept)))
        return { rows: stored, unreadable: null };
      const copied = await ask((copy) => readKept(db, copy, filter, endOf(kept), limit));
      if (!copied) return { rows: stored, unreadable: missing };
      return { rows: unite(copied, stored, limit), unreadable: null };
    },
  };
}
