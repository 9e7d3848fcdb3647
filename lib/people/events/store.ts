import { sql } from "drizzle-orm";
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

/**
 * The latest events. Each distinct id (or name, when all events are requested) contributes its own latest ones
 * from its index; so the cost follows the page and not the history.
 */
export async function selectEvents(db: Db, filter: EventFilter, limit: number): Promise<EventRow[]> {
  const { project_id, event, feature_flag, distinct_ids, before } = filter;
  const at = before ? sql`to_timestamp(${before.at}::float8 / 1000)` : null;
  const earlier = !at
    ? sql``
    : before?.uuid
      ? sql`and e.timestamp <= ${at} and (e.timestamp < ${at} or e.uuid < ${before.uuid}::uuid)`
      : sql`and e.timestamp < ${at}`;
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
  const ofFlag =
    feature_flag === undefined
      ? sql``
      : sql`and e.event = '$feature_flag_called' and left(e.properties ->> '$feature_flag', 400) = ${feature_flag}`;
  const { rows } = await db.execute<EventRow>(sql`
    select l.uuid, l.event, l.distinct_id, (extract(epoch from l.timestamp) * 1000)::float8 as timestamp, l.properties
    from (${keys}) k cross join lateral (
      select e.uuid, e.event, e.distinct_id, e.timestamp, e.properties from events e
      where e.project_id = ${project_id} and ${match} ${ofFlag} ${earlier}
      order by e.timestamp desc, e.uuid desc limit ${limit}
    ) l
    order by l.timestamp desc, l.uuid desc limit ${limit}`);
  return rows;
}
