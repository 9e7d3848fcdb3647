import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";

/** An event as listed; `timestamp` in milliseconds. */
export type EventRow = {
  uuid: string;
  event: string;
  distinct_id: string;
  timestamp: number;
  properties: Record<string, unknown>;
};

export type EventFilter = {
  project_id: number;
  event?: string | undefined;
  /** Key of the flag whose calls are wanted. */
  feature_flag?: string | undefined;
  /** Null: all. */
  distinct_ids: string[] | null;
  /** Milliseconds; with a uuid, also what is of the same moment and before it in the order of uuids. */
  before: { at: number; uuid: string | null } | null;
};

/** How many event names are looked at for the latest events of a whole project. */
const NAMES = 1_000;

const COLUMNS = sql.raw(
  "uuid, event, distinct_id, (extract(epoch from timestamp) * 1000)::float8 as timestamp, properties",
);

/** Events `e` before the filter's moment. */
function isEarlier({ before }: EventFilter): SQL {
  if (!before) return sql``;
  const at = sql`to_timestamp(${before.at}::float8 / 1000)`;
  return before.uuid
    ? sql`and e.timestamp <= ${at} and (e.timestamp < ${at} or e.uuid < ${before.uuid}::uuid)`
    : sql`and e.timestamp < ${at}`;
}

/** Calls `e` of the filter's flag. */
const callsFlag = ({ feature_flag }: EventFilter): SQL =>
  feature_flag === undefined
    ? sql``
    : sql`and e.event = '$feature_flag_called' and left(e.properties ->> '$feature_flag', 400) = ${feature_flag}`;

/** The latest of some few events `e`. */
export async function selectEventsAmong(
  db: Db,
  filter: EventFilter,
  some: SQL,
  limit: number,
): Promise<EventRow[]> {
  const { event, distinct_ids } = filter;
  const { rows } = await db.execute<EventRow>(sql`
    select ${COLUMNS} from events e where ${some} ${callsFlag(filter)} ${isEarlier(filter)}
      ${event === undefined ? sql`` : sql`and e.event = ${event}`}
      ${distinct_ids ? sql`and e.distinct_id = any(${sql.param(distinct_ids)}::text[])` : sql``}
    order by e.timestamp desc, e.uuid desc limit ${limit}`);
  return rows;
}

/**
 * The latest events. Each distinct id (or name, when all events are requested) contributes its own latest ones
 * from its index; so the cost follows the page and not the history.
 */
export async function selectEvents(db: Db, filter: EventFilter, limit: number): Promise<EventRow[]> {
  const { project_id, event, feature_flag, distinct_ids } = filter;
  const keys = distinct_ids
    ? sql`select unnest(${sql.param(distinct_ids)}::text[]) as key`
    : event !== undefined
      ? sql`select ${event}::text as key`
      : feature_flag !== undefined
        ? sql`select '$feature_flag_called' as key`
        : sql`select name as key from event_definitions where project_id = ${project_id}
            order by last_seen_at desc limit ${NAMES}`;
  const match = distinct_ids
    ? sql`e.distinct_id = k.key ${event === undefined ? sql`` : sql`and e.event = ${event}`}`
    : sql`e.event = k.key`;
  const { rows } = await db.execute<EventRow>(sql`
    select ${COLUMNS} from (${keys}) k cross join lateral (
      select e.uuid, e.event, e.distinct_id, e.timestamp, e.properties from events e
      where e.project_id = ${project_id} and ${match} ${callsFlag(filter)} ${isEarlier(filter)}
      order by e.timestamp desc, e.uuid desc limit ${limit}
    ) l
    order by l.timestamp desc, l.uuid desc limit ${limit}`);
  return rows;
}

/** The partitions of the table, and their size on disk with indexes. */
export async function selectEventPartitions(db: Db) {
  const { rows } = await db.execute<{ count: number; bytes: number }>(sql`
    select count(*)::int as count, coalesce(sum(pg_total_relation_size(inhrelid)), 0)::bigint as bytes
    from pg_inherits where inhparent = 'events'::regclass`);
  return rows[0] ?? { count: 0, bytes: 0 };
}
