import { randomUUID } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { waitForDeletions } from "#lib/people/event_deletions/store.ts";
import { type EventFilter, type EventRow, selectEventsAmong } from "#lib/people/events/store.ts";
import { type Db, inTransaction, type Tx } from "#lib/platform/db/connect.ts";
import {
  type EventPosition,
  event_history,
  event_history_positions,
  type MergePosition,
} from "#lib/platform/db/tables/event_history.ts";
import type { CopyIdentity, PersonOverride } from "./clickhouse-store.ts";

/**
 * How many events a batch has at most, and how many bytes of them as PostgreSQL stores them; and how many batches of a
 * project are copied before it is the next one's turn.
 */
export type BatchLimits = { events: number; bytes: number; batches: number };

/** One process at a time works on the copy. */
const LOCK = 4_203_001;

/** The transaction that holds the lock does nothing else, for as long as the work takes. */
const mayBeIdle = sql`set_config('idle_in_transaction_session_timeout', '0', true)`;

/** Whether the transaction has the copy to itself, until it ends. */
export async function lockCopy(tx: Tx): Promise<boolean> {
  const { rows } = await tx.execute<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${LOCK}) as locked, ${mayBeIdle}`,
  );
  return rows[0]?.locked === true;
}

/** What this database's copy is known by, from the first time that there is one. */
export async function selectIdentity(db: Db): Promise<CopyIdentity & { folded_at: Date }> {
  const [row] = await db.select().from(event_history);
  if (row) return row;
  // Deletions that are not noted end before anything is read for the copy.
  await inTransaction(db, async (tx) => {
    await waitForDeletions(tx);
    await tx.insert(event_history).values({}).onConflictDoNothing();
  });
  return selectIdentity(db);
}

/** The copy has nothing: everything is to be copied. */
export async function clearPositions(db: Db): Promise<void> {
  await db.delete(event_history_positions);
}

/** After the restoration of a backup: the copy has events that are not here, and lacks others. */
export async function restartCopy(tx: Db): Promise<void> {
  await tx.execute(sql`update event_history set generation = generation + 1`);
  await tx.execute(sql`truncate event_history_positions, event_history_deletions`);
}

export async function selectProjects(db: Db): Promise<number[]> {
  const { rows } = await db.execute<{ id: number }>(sql`select id from projects order by id`);
  return rows.map(({ id }) => id);
}

/** Projects that have something to be copied. */
export async function selectWaiting(db: Db): Promise<number[]> {
  const { rows } = await db.execute<{ id: number }>(sql`
    select p.id from projects p left join event_history_positions h on h.project_id = p.id
    where h.batch_id is not null or coalesce(h.position ->> 'among', '') <> 'newer'
      or exists (select from events e where e.project_id = p.id
        and e.ingested >= (h.position ->> 'ingested')::xid8 and e.ingested < pg_snapshot_xmin(pg_current_snapshot())
        and (h.position ->> 'uuid' is null
          or (e.ingested, e.uuid) > ((h.position ->> 'ingested')::xid8, (h.position ->> 'uuid')::uuid)))
      or exists (select from person_merges m where m.project_id = p.id
        and m.ingested >= coalesce((h.merges ->> 'ingested')::xid8, '0')
        and m.ingested < pg_snapshot_xmin(pg_current_snapshot())
        and (h.merges is null
          or (m.ingested, m.id) > ((h.merges ->> 'ingested')::xid8, (h.merges ->> 'id')::bigint)))
    order by p.id`);
  return rows.map(({ id }) => id);
}

export type Progress = typeof event_history_positions.$inferSelect;

/** How far a project is copied; it begins with the transactions that have ended by now as the older ones. */
export async function selectProgress(db: Db, projectId: number): Promise<Progress> {
  const { rows } = await db.execute<Progress>(sql`
    select project_id, cut::text, position, batch_id, batch_end, merges
    from event_history_positions where project_id = ${projectId}`);
  const [row] = rows;
  if (row) return row;
  await db.execute(sql`
    insert into event_history_positions (project_id, cut)
    values (${projectId}, pg_snapshot_xmin(pg_current_snapshot())) on conflict do nothing`);
  return selectProgress(db, projectId);
}

/** The same for readers; null where nothing is copied. */
export async function findProgress(db: Db, projectId: number): Promise<Progress | null> {
  const { rows } = await db.execute<Progress>(sql`
    select project_id, cut::text, position, batch_id, batch_end, merges
    from event_history_positions where project_id = ${projectId}`);
  return rows[0] ?? null;
}

const isOlder = (progress: Progress) => progress.position?.among !== "newer";

/** The order in which events `e` are copied. */
const orderOf = (progress: Progress): SQL =>
  isOlder(progress) ? sql`e.event, e.timestamp, e.uuid` : sql`e.ingested, e.uuid`;

/** Events `e` that are neither copied nor of a transaction beside which others may still be under way. */
function remaining({ project_id, cut, position }: Progress): SQL {
  const project = sql`e.project_id = ${project_id}`;
  if (position?.among === "newer") {
    const { ingested, uuid } = position;
    const after = uuid ? sql`and (e.ingested, e.uuid) > (${ingested}::text::xid8, ${uuid}::uuid)` : sql``;
    return sql`${project} and e.ingested >= ${ingested}::text::xid8 ${after}
      and e.ingested < pg_snapshot_xmin(pg_current_snapshot())`;
  }
  const older = sql`${project} and e.ingested < ${cut}::text::xid8`;
  if (!position) return older;
  const { event, at, uuid } = position;
  return sql`${older} and (e.event, e.timestamp) >= (${event}, ${at}::timestamptz)
    and (e.event, e.timestamp, e.uuid) > (${event}, ${at}::timestamptz, ${uuid}::uuid)`;
}

/** Events `e` up to a position. */
const upTo = (end: EventPosition): SQL =>
  end.among === "newer"
    ? sql`(e.ingested, e.uuid) <= (${end.ingested}::text::xid8, ${end.uuid}::uuid)`
    : sql`(e.event, e.timestamp) <= (${end.event}, ${end.at}::timestamptz)
        and (e.event, e.timestamp, e.uuid) <= (${end.event}, ${end.at}::timestamptz, ${end.uuid}::uuid)`;

/** Events `e` that the copy must have. */
export function isCopied(progress: Progress): SQL {
  const { cut, position } = progress;
  if (!position) return sql`false`;
  if (position.among === "older") return sql`e.ingested < ${cut}::text::xid8 and ${upTo(position)}`;
  return position.uuid ? upTo(position) : sql`e.ingested < ${position.ingested}::text::xid8`;
}

/** Text as a field of ClickHouse's format TabSeparated. */
function field(text: SQL): SQL {
  const escapes = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
  return Object.entries(escapes).reduce((sum, [from, to]) => sql`replace(${sum}, ${from}, ${to})`, text);
}

/** Events `e` of the persons `d` as they are copied: the columns of COPIED, a line each. */
const LINE = sql`concat_ws(E'\\t', e.project_id, e.uuid, ${field(sql`e.event`)}, ${field(sql`e.distinct_id`)},
  coalesce(d.person_id, 0), to_char(e.timestamp at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'),
  replace(e.properties::text, E'\\\\', E'\\\\\\\\'), case when e.event = '$feature_flag_called'
    then coalesce(${field(sql`left(e.properties ->> '$feature_flag', 400)`)}, '') else '' end) || E'\\n'`;
const OWNER = sql.raw(
  "left join person_distinct_ids d on d.project_id = e.project_id and d.distinct_id = e.distinct_id",
);

/** Events that are copied together. */
export type Batch = {
  /** Up to where the project is copied before it. */
  progress: Progress;
  id: string;
  end: EventPosition;
  lines: string[];
};

/** An event as it is copied, and where it is. */
export type EventLine = { line: string; event: string; at: string; ingested: string; uuid: string };
const POSITION = sql.raw("e.event, e.timestamp::text as at, e.ingested::text as ingested, e.uuid");

/** The events after what is copied. */
async function selectNext(db: Db, progress: Progress, limits: BatchLimits): Promise<Batch | null> {
  const order = orderOf(progress);
  const { rows } = await db.execute<EventLine>(sql`
    select ${LINE} as line, ${POSITION} from (
      select e.*, row_number() over w as n, sum(pg_column_size(e.properties)) over w as size_so_far from (
        select e.* from events e where ${remaining(progress)} order by ${order} limit ${limits.events}) e
      window w as (order by ${order} rows unbounded preceding)) e ${OWNER}
    where n = 1 or size_so_far <= ${limits.bytes} order by n`);
  const last = rows.at(-1);
  if (!last) return null;
  const { event, at, ingested, uuid } = last;
  const end: EventPosition = isOlder(progress)
    ? { among: "older", event, at, uuid }
    : { among: "newer", ingested, uuid };
  return { progress, id: randomUUID(), end, lines: rows.map(({ line }) => line) };
}

/** The batch that is on its way, or the next one; null: everything is copied, but for what is still under way. */
export async function selectBatch(db: Db, progress: Progress, limits: BatchLimits): Promise<Batch | null> {
  const { batch_id, batch_end } = progress;
  if (batch_id && batch_end) {
    const { rows } = await db.execute<{ line: string }>(sql`
      select ${LINE} as line from events e ${OWNER}
      where ${remaining(progress)} and ${upTo(batch_end)} order by ${orderOf(progress)}`);
    return { progress, id: batch_id, end: batch_end, lines: rows.map(({ line }) => line) };
  }
  const next = await selectNext(db, progress, limits);
  if (next || !isOlder(progress)) return next;
  return selectNext(db, afterOlder(progress), limits);
}

const afterOlder = (progress: Progress): Progress => ({
  ...progress,
  position: { among: "newer", ingested: progress.cut, uuid: null },
});

/** How far a project is copied once a batch is. */
export const after = ({ progress, end }: Batch): Progress => ({
  ...progress,
  position: end,
  batch_id: null,
  batch_end: null,
});

/** A project is copied so far for certain. @returns false where it is no longer copied */
export async function acknowledge(db: Db, progress: Progress): Promise<boolean> {
  const json = (position: EventPosition | null) => position && JSON.stringify(position);
  const { rowCount } = await db.execute(sql`
    update event_history_positions set position = ${json(progress.position)}::jsonb,
      batch_id = ${progress.batch_id}::uuid, batch_end = ${json(progress.batch_end)}::jsonb
    where project_id = ${progress.project_id}`);
  return rowCount === 1;
}

/** Acknowledges what is before a batch, and closes it: from now on it is known which events it has, whatever happens. */
export const closeBatch = (db: Db, { progress, id, end }: Batch): Promise<boolean> =>
  acknowledge(db, { ...progress, batch_id: id, batch_end: end });

/** All events of before the beginning are copied. */
export async function leaveOlder(db: Db, progress: Progress): Promise<void> {
  if (isOlder(progress)) await acknowledge(db, afterOlder(progress));
}

/** Events of a day and name, some at a time, as far as the copy must have them. */
export async function selectDayEvents(
  db: Db,
  progress: Progress,
  { day, event }: { day: string; event: string },
  last: EventLine | null,
  limit: number,
): Promise<EventLine[]> {
  const from = last ? sql`and (e.timestamp, e.uuid) > (${last.at}::timestamptz, ${last.uuid}::uuid)` : sql``;
  const { rows } = await db.execute<EventLine>(sql`
    select ${LINE} as line, ${POSITION} from events e ${OWNER}
    where e.project_id = ${progress.project_id} and e.event = ${event} and e.timestamp >= ${day}::timestamptz
      and e.timestamp < ${day}::timestamptz + interval '1 day' and ${isCopied(progress)} ${from}
    order by e.timestamp, e.uuid limit ${limit}`);
  return rows;
}

/** Merges of persons at once. */
const MERGES = 5_000;

/**
 * The next merges of persons, each with the last of those who took it over, also for everybody who was merged into one
 * of these persons before.
 */
export async function selectOverrides(
  db: Db,
  { project_id, merges }: Progress,
): Promise<{ overrides: PersonOverride[]; end: MergePosition | null }> {
  const after = merges
    ? sql`and m.ingested >= ${merges.ingested}::text::xid8 and (m.ingested, m.id) > (${merges.ingested}::text::xid8, ${merges.id})`
    : sql``;
  const some = sql`
    select m.id, m.loser, m.winner, m.ingested from person_merges m
    where m.project_id = ${project_id} and m.ingested < pg_snapshot_xmin(pg_current_snapshot()) ${after}
    order by m.ingested, m.id limit ${MERGES}`;
  const { rows: ends } = await db.execute<MergePosition>(sql`
    select ingested::text as ingested, id::float8 as id from (${some}) batch
    order by batch.ingested desc, batch.id desc limit 1`);
  const [end] = ends;
  if (!end) return { overrides: [], end: null };
  const { rows } = await db.execute<PersonOverride>(sql`
    with recursive merges as materialized (
      select id, loser, winner from person_merges where project_id = ${project_id} and winner <> 0),
    batch as materialized (${some}),
    earlier(via, person_id) as (
      select loser, loser from batch where winner <> 0
      union select e.via, m.loser from earlier e join merges m on m.winner = e.person_id),
    later(via, id, winner, step) as (
      select loser, id, winner, 1 from batch where winner <> 0
      union all select l.via, m.id, m.winner, l.step + 1 from later l join merges m on m.loser = l.winner),
    last as (select distinct on (via) via, winner from later order by via, step desc)
    select distinct on (e.person_id) ${project_id}::int as project_id, e.person_id::float8 as person_id,
      l.winner::float8 as is_now, (select max(id) from later where via = e.via)::float8 as version
    from earlier e join last l using (via) order by e.person_id, version desc`);
  return { overrides: rows, end };
}

export async function acknowledgeMerges(db: Db, projectId: number, end: MergePosition): Promise<void> {
  await db.execute(sql`
    update event_history_positions set merges = ${JSON.stringify(end)}::jsonb where project_id = ${projectId}`);
}

export async function noteFolded(db: Db, now: Date): Promise<void> {
  await db.update(event_history).set({ folded_at: now });
}

/** Waits until the transaction has the copy to itself. */
export async function waitForCopy(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCK}), ${mayBeIdle}`);
}

/** Milliseconds of a project's first and last event; null: it has none. */
export async function selectSpan(db: Db, projectId: number): Promise<{ first: number; last: number } | null> {
  const { rows } = await db.execute<{ first: number | null; last: number | null }>(sql`
    select (extract(epoch from min(timestamp)) * 1000)::float8 as first,
      (extract(epoch from max(timestamp)) * 1000)::float8 as last
    from events where project_id = ${projectId}`);
  const { first = null, last = null } = rows[0] ?? {};
  return first === null || last === null ? null : { first, last };
}

/**
 * A page of the events that are not copied yet, of a project that is copied but for its newest.
 *
 * @returns null where more than `most` are waiting
 */
export async function selectUncopied(
  db: Db,
  { project_id, cut, position }: Progress,
  filter: EventFilter,
  limit: number,
  most: number,
): Promise<EventRow[] | null> {
  const { ingested, uuid } = position?.among === "newer" ? position : { ingested: cut, uuid: null };
  const after = uuid ? sql`and (e.ingested, e.uuid) > (${ingested}::text::xid8, ${uuid}::uuid)` : sql``;
  const waiting = sql`e.project_id = ${project_id} and e.ingested >= ${ingested}::text::xid8 ${after}`;
  const { rows } = await db.execute<{ count: number }>(sql`
    select count(*)::int as count from (select 1 from events e where ${waiting} limit ${most + 1}) w`);
  const [found] = rows;
  if (!found || found.count > most) return null;
  return found.count === 0 ? [] : selectEventsAmong(db, filter, waiting, limit);
}
