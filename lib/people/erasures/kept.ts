import type { MemberContext } from "#lib/people/context.ts";
import {
  type KeptSpan,
  selectKeptSpan,
  selectOnlyCopied,
} from "#lib/people/event_deletions/retained-store.ts";
import { hasGone } from "#lib/people/event_deletions/store.ts";
import {
  type HistoryCopy,
  HistoryError,
  type PersonEvent,
  type PersonEvents,
} from "#lib/people/events/history/clickhouse-store.ts";
import { endOf, partsOf } from "#lib/people/events/history/history.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { unavailable } from "#lib/platform/http/errors.ts";
import { selectEventsAfter } from "./store.ts";

type Person = { project_id: number; distinct_ids: readonly string[] };

/** Events looked at in one go. */
const PAGE = 2_000;

/** The events of somebody that only the copy has, a page at a time; a page may be empty. */
export async function* readKept(db: Db, copy: HistoryCopy, { project_id, distinct_ids }: Person) {
  const kept = await selectKeptSpan(db, { project_id });
  if (!kept) return;
  for (const part of partsOf(distinct_ids))
    for (let after: PersonEvents["after"] = null, isMore = true; isMore; ) {
      const page = await copy.personEvents(
        { project_id, distinct_ids: part, after, before: endOf(kept) },
        PAGE,
      );
      const own = await selectOnlyCopied(db, project_id, page);
      yield page.filter(({ uuid }) => own.has(uuid));
      after = page.at(-1) ?? null;
      isMore = page.length === PAGE;
    }
}

/** What requests read of the copy. @throws ApiError 503 where it does not answer */
async function readable<T>(
  { db, runtime, project }: MemberContext,
  kept: KeptSpan,
  read: (copy: HistoryCopy) => Promise<T>,
): Promise<T> {
  const { copy } = runtime.history;
  const days = `Events from ${kept.first} to ${kept.last} are only in ClickHouse`;
  if (!copy) throw unavailable(`${days}, and the server has no CLICKHOUSE_URL.`);
  if (await hasGone(db, project.id))
    throw unavailable(`${days}, where some are just being deleted. Try again in a minute.`);
  return read(copy).catch((error: unknown) => {
    throw error instanceof HistoryError ? unavailable(`${days}, which does not answer.`) : error;
  });
}

/** How many events of somebody only the copy has. @throws ApiError 503 where it does not answer */
export async function countKept(context: MemberContext, distinct_ids: readonly string[]): Promise<number> {
  const { db, project } = context;
  const kept = await selectKeptSpan(db, { project_id: project.id });
  if (!kept) return 0;
  return readable(context, kept, async (copy) => {
    let count = 0;
    for await (const page of readKept(db, copy, { project_id: project.id, distinct_ids }))
      count += page.length;
    return count;
  });
}

const inTime = (a: PersonEvent, b: PersonEvent) =>
  Number(BigInt(a.at) - BigInt(b.at)) || (a.uuid < b.uuid ? -1 : 1);

/** Events of a person in the order of time, wherever they are. @throws ApiError 503 where the copy does not answer */
export async function readEventsAfter(
  context: MemberContext,
  person: { id: number; distinct_ids: readonly string[] },
  after: PersonEvents["after"],
  limit: number,
): Promise<PersonEvent[]> {
  const { db, project } = context;
  const stored = await selectEventsAfter(db, project.id, person.id, after, limit);
  // Afterwards: what has left PostgreSQL in between is then in both, and not in neither.
  const kept = await selectKeptSpan(db, { project_id: project.id });
  if (!kept || (after && Number(after.at) >= endOf(kept) * 1_000)) return stored;
  return readable(context, kept, async (copy) => {
    const byUuid = new Map<string, PersonEvent>();
    for (const distinct_ids of partsOf(person.distinct_ids)) {
      const of = { project_id: project.id, distinct_ids, after, before: endOf(kept) };
      for (const { day: _, hash: __, ...event } of await copy.personEvents(of, limit))
        byUuid.set(event.uuid, event);
    }
    for (const event of stored) byUuid.set(event.uuid, event);
    return [...byUuid.values()].sort(inTime).slice(0, limit);
  });
}
