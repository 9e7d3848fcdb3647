import { type SQL, sql } from "drizzle-orm";
import type { Db, Tx } from "#lib/platform/db/connect.ts";
import { noteGone } from "./store.ts";

/** Events of a day and name that left PostgreSQL because of their age, and are only in the copy. */
export type KeptDay = { event: string; day: string; count: number; hash: string };

/** The first 60 bits of an MD5 sum: ClickHouse computes the same. */
export const HASH = sql.raw(`('x' || left(md5(concat_ws(E'\\n', e.uuid, e.event, e.distinct_id,
  (extract(epoch from e.timestamp) * 1000000)::bigint, e.properties::text)), 15))::bit(60)::bigint`);

/** Whether the copy of a project that is copied but for its newest events has `e`; its row of positions is `h`. */
export const isAcknowledged = sql.raw(`coalesce(h.position ->> 'among' = 'newer' and case
  when h.position ->> 'uuid' is null then e.ingested < (h.position ->> 'ingested')::xid8
  else (e.ingested, e.uuid) <= ((h.position ->> 'ingested')::xid8, (h.position ->> 'uuid')::uuid) end, false)`);

/** What is noted of events `e` that leave PostgreSQL. */
export const LEAVING = sql`e.event, (e.timestamp at time zone 'UTC')::date::text as day, ${HASH}::text as hash`;

/** Sums events up by day and name. */
export function sumDays(events: readonly { event: string; day: string; hash: string }[]): KeptDay[] {
  const days = new Map<string, KeptDay>();
  for (const { event, day, hash } of events) {
    const key = `${day} ${event}`;
    const { count, hash: sum } = days.get(key) ?? { count: 0, hash: "0" };
    days.set(key, { event, day, count: count + 1, hash: String(BigInt(sum) + BigInt(hash)) });
  }
  return [...days.values()];
}

const listed = (days: readonly KeptDay[]) => sql`unnest(
  ${sql.param(days.map(({ event }) => event))}::text[], ${sql.param(days.map(({ day }) => day))}::date[],
  ${sql.param(days.map(({ count }) => count))}::bigint[], ${sql.param(days.map(({ hash }) => hash))}::numeric[]
) as v(event, day, count, hash)`;

/** Notes events that only the copy has from now on, in the transaction in which they leave PostgreSQL. */
export async function addKept(tx: Db, projectId: number, days: readonly KeptDay[]): Promise<void> {
  await tx.execute(sql`
    insert into event_history_kept as k (project_id, event, day, count, hash)
    select ${projectId}::int, event, day, count, hash from ${listed(days)} order by event, day
    on conflict (project_id, event, day) do update set
      count = k.count + excluded.count, hash = k.hash + excluded.hash`);
}

/** Events are deleted that only the copy has. */
export async function subtractKept(tx: Db, projectId: number, days: readonly KeptDay[]): Promise<void> {
  await tx.execute(sql`
    update event_history_kept k set count = k.count - v.count, hash = k.hash - v.hash
    from ${listed(days)} where k.project_id = ${projectId} and k.event = v.event and k.day = v.day`);
  await tx.execute(sql`delete from event_history_kept where project_id = ${projectId} and count <= 0`);
}

/** Events of a name before a midnight (UTC) are to leave the copy, whether or not PostgreSQL has had them until now. */
export async function leaveCopy(
  tx: Db,
  projectId: number,
  { event, before }: { event: string; before: Date },
): Promise<void> {
  const midnight = before.toISOString();
  await tx.execute(sql`
    delete from event_history_kept
    where project_id = ${projectId} and event = ${event} and day < (${midnight}::timestamptz at time zone 'UTC')::date`);
  await noteGone(tx, projectId, { event, before: midnight });
}

/** Names of which only the copy has events, and between which days (inclusive). */
export type KeptName = { project_id: number; event: string; first_day: string; last_day: string };

export async function selectKeptNames(db: Db): Promise<KeptName[]> {
  const { rows } = await db.execute<KeptName>(sql`
    select project_id, event, min(day)::text as first_day, max(day)::text as last_day
    from event_history_kept group by 1, 2 order by 1, 2`);
  return rows;
}

/** How many events only the copy has, and since when; null: none. */
export type KeptSpan = { first: string; last: string; count: number };

/** @param of a project, perhaps its events of one name; or all projects */
export async function selectKeptSpan(
  db: Db,
  of: { project_id: number; event?: string | undefined } | null,
): Promise<KeptSpan | null> {
  const { rows } = await db.execute<KeptSpan | { first: null }>(sql`
    select min(day)::text as first, max(day)::text as last, sum(count)::float8 as count from event_history_kept
    where true ${of ? sql`and project_id = ${of.project_id}` : sql``}
      ${of?.event === undefined ? sql`` : sql`and event = ${of.event}`}`);
  const [row] = rows;
  return row && row.first !== null ? row : null;
}

/** Days and names of some time of which only the copy has events. */
export async function selectKeptDays(
  db: Db,
  { project_id, from, to }: { project_id: number; from: number; to: number },
): Promise<KeptDay[]> {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const { rows } = await db.execute<KeptDay>(sql`
    select event, day::text, count::float8 as count, hash::text from event_history_kept
    where project_id = ${project_id} and day >= ${day(from)}::date and day < ${day(to)}::date`);
  return rows;
}

/**
 * Of these projects, those whose old events stay in the copy. Until the transaction ends, the copy is then not made
 * again, which would forget what it has acknowledged.
 */
export async function lockKeeping(tx: Tx, projectIds: readonly number[] | null = null): Promise<number[]> {
  const among = (column: SQL) =>
    projectIds ? sql`and ${column} = any(${sql.param([...projectIds])}::int[])` : sql``;
  const { rows } = await tx.execute<{ id: number }>(sql`
    select id from projects where event_retention ->> 'keep_in_clickhouse' = 'true' ${among(sql`id`)} order by id`);
  if (rows.length > 0)
    await tx.execute(
      sql`select 1 from event_history_positions where true ${among(sql`project_id`)} order by project_id for key share`,
    );
  return rows.map(({ id }) => id);
}

/** Events cannot leave PostgreSQL for now. */
export class EventsWait extends Error {
  override name = "EventsWait";
}

/** @throws EventsWait unless the copy has acknowledged all these events, and nobody is being erased */
export async function requireKept(tx: Tx, projectId: number, uuids: readonly string[]): Promise<void> {
  // After the events were read: of whoever is erased meanwhile, none of them is of a later person with the same ids.
  const { rows } = await tx.execute<{ erasing: boolean; behind: boolean }>(sql`
    select exists (select from erasures where project_id = ${projectId} and finished_at is null) as erasing,
      exists (select from events e left join event_history_positions h on h.project_id = e.project_id
        where e.project_id = ${projectId} and e.uuid = any(${sql.param([...uuids])}::uuid[])
          and not ${isAcknowledged}) as behind`);
  if (rows[0]?.erasing) throw new EventsWait("somebody is being erased");
  if (rows[0]?.behind) throw new EventsWait("some of them have not been copied yet");
}

/** Which of these events, found in the copy, are only there. */
export async function selectOnlyCopied(
  db: Db,
  projectId: number,
  found: readonly { uuid: string; event: string; day: string }[],
): Promise<Set<string>> {
  const { rows } = await db.execute<{ uuid: string }>(sql`
    select v.uuid from unnest(
      ${sql.param(found.map(({ uuid }) => uuid))}::uuid[], ${sql.param(found.map(({ event }) => event))}::text[],
      ${sql.param(found.map(({ day }) => day))}::date[]) as v(uuid, event, day)
    where exists (select from event_history_kept k
        where k.project_id = ${projectId} and k.event = v.event and k.day = v.day)
      and not exists (select from events e where e.project_id = ${projectId} and e.uuid = v.uuid)
      and not exists (select from event_history_deletions d
        where d.project_id = ${projectId} and v.uuid = any(d.uuids))`);
  return new Set(rows.map(({ uuid }) => uuid));
}
