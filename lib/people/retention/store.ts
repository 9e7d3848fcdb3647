import { eq, isNotNull, or, type SQL, sql } from "drizzle-orm";
import type { EventRetention } from "#lib/identity/projects/event-retention-schema.ts";
import {
  addKept,
  LEAVING,
  leaveCopy,
  lockKeeping,
  requireKept,
  sumDays,
} from "#lib/people/event_deletions/retained-store.ts";
import type { Db, Tx } from "#lib/platform/db/connect.ts";
import { projects } from "#lib/platform/db/tables/accounts.ts";
import { event_horizons } from "#lib/platform/db/tables/events.ts";
import { OTHER_EVENTS } from "./horizons.ts";
import { horizonSql } from "./horizons-store.ts";

/** Projects that delete events, or did. */
export async function selectRetaining(
  db: Db,
): Promise<{ id: number; event_retention: EventRetention | null }[]> {
  return db
    .selectDistinctOn([projects.id], { id: projects.id, event_retention: projects.event_retention })
    .from(projects)
    .leftJoin(event_horizons, eq(event_horizons.project_id, projects.id))
    .where(or(isNotNull(projects.event_retention), isNotNull(event_horizons.project_id)))
    .orderBy(projects.id);
}

/** Moves horizons forward; never back. */
export async function writeHorizons(
  tx: Db,
  projectId: number,
  horizons: { event: string; before: Date }[],
): Promise<void> {
  await tx.execute(sql`
    insert into event_horizons as h (project_id, event, before)
    select ${projectId}, event, before from unnest(
      ${sql.param(horizons.map(({ event }) => event))}::text[],
      ${sql.param(horizons.map(({ before }) => before.toISOString()))}::timestamptz[]) as v(event, before)
    order by event
    on conflict (project_id, event) do update set before = greatest(h.before, excluded.before)`);
}

/** Names of which events may be stored that are older than their horizon. */
export async function selectNamesDue(db: Db): Promise<{ project_id: number; event: string; before: Date }[]> {
  const { rows } = await db.execute<{ project_id: number; event: string; before: number }>(sql`
    select project_id, event, (extract(epoch from before) * 1000)::float8 as before from (
      select d.project_id, d.name as event, ${horizonSql(sql`d.project_id`, sql`d.name`)} as before
      from event_definitions d
      where d.count > d.deleted and exists (select from event_horizons h where h.project_id = d.project_id)) d
    where before is not null order by 1, 2`);
  return rows.map((row) => ({ ...row, before: new Date(row.before) }));
}

/**
 * Deletes some of the oldest events of a name, and notes how many. Where the project keeps them in ClickHouse, they leave
 * PostgreSQL only, once the copy has them all.
 *
 * @returns how many were found
 * @throws EventsWait while they cannot leave
 */
export async function deleteOldest(
  tx: Tx,
  { project_id, event, before }: { project_id: number; event: string; before: Date },
  limit: number,
): Promise<number> {
  const { rows } = await tx.execute<EventKey>(sql`
    select uuid, timestamp::text as at from events
    where project_id = ${project_id} and event = ${event} and timestamp < ${before.toISOString()}::timestamptz
    order by timestamp limit ${limit}`);
  if (rows.length === 0) return 0;
  const keeps = (await lockKeeping(tx, [project_id])).length > 0;
  if (keeps)
    await requireKept(
      tx,
      project_id,
      rows.map(({ uuid }) => uuid),
    );
  const deleted = await deleteEvents<{ event: string; day: string; hash: string }>(
    tx,
    project_id,
    rows,
    LEAVING,
  );
  await addDeleted(tx, [{ project_id, event, count: deleted.length }]);
  if (keeps) await addKept(tx, project_id, sumDays(deleted));
  else if (deleted.length > 0) await leaveCopy(tx, project_id, { event, before });
  return rows.length;
}

/** Where an event is found. */
export type EventKey = { uuid: string; at: string };

/**
 * Deletes events of a project, by age or because somebody is erased.
 *
 * @param keys sorted by time
 * @param returning columns of `e`
 * @returns those that nobody else has deleted meanwhile
 */
export async function deleteEvents<Row extends Record<string, unknown> = { uuid: string }>(
  tx: Db,
  projectId: number,
  keys: readonly EventKey[],
  returning: SQL,
) {
  const [first, last] = [keys[0], keys.at(-1)];
  if (!first || !last) return [];
  // The bounds leave out the other partitions.
  const { rows } = await tx.execute<Row>(sql`
    delete from events e using unnest(
      ${sql.param(keys.map(({ uuid }) => uuid))}::uuid[], ${sql.param(keys.map(({ at }) => at))}::timestamptz[]
    ) as v(uuid, at)
    where e.project_id = ${projectId} and e.uuid = v.uuid and e.timestamp = v.at
      and e.timestamp between ${first.at}::timestamptz and ${last.at}::timestamptz
    returning ${returning}`);
  return rows;
}

/** Any number will do as long as it never changes. */
const DELETING = 7_294_311;

/** Until the transaction ends, no partition is dropped; one that is being dropped is waited for. */
export async function keepPartitions(tx: Db): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${DELETING})`);
}

/** Until the transaction ends, nobody else deletes events. */
export async function keepEvents(tx: Db): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${DELETING})`);
}

/** Projects of which somebody is being erased, unless that has taken longer than a day. */
export async function selectErasing(db: Db): Promise<Set<number>> {
  const { rows } = await db.execute<{ project_id: number }>(sql`
    select distinct project_id from erasures where finished_at is null and requested_at > now() - interval '1 day'`);
  return new Set(rows.map(({ project_id }) => project_id));
}

/** Notes that events were deleted, in the transaction that does it. */
export async function addDeleted(tx: Db, rows: { project_id: number; event: string; count: number }[]) {
  await tx.execute(sql`
    update event_definitions d set deleted = d.deleted + v.count
    from (select * from unnest(
      ${sql.param(rows.map((row) => row.project_id))}::int[], ${sql.param(rows.map((row) => row.event))}::text[],
      ${sql.param(rows.map((row) => row.count))}::bigint[]) as v(project_id, event, count)) v
    where d.project_id = v.project_id and d.name = v.event`);
}

/** What is known of the events that a project deleted. */
export async function selectDeletions(
  db: Db,
  projectId: number,
): Promise<{ event: string | null; before: Date; refused: number }[]> {
  const rows = await db
    .select()
    .from(event_horizons)
    .where(eq(event_horizons.project_id, projectId))
    .orderBy(event_horizons.event);
  return rows.map(({ event, before, refused }) => ({
    event: event === OTHER_EVENTS ? null : event,
    before,
    refused,
  }));
}

/** Names of a project's events, and how many were deleted. */
export async function selectStoredNames(
  db: Db,
  projectId: number,
): Promise<{ name: string; stored: number; deleted: number }[]> {
  const { rows } = await db.execute<{ name: string; stored: number; deleted: number }>(sql`
    select name, (count - deleted)::float8 as stored, deleted::float8 as deleted from event_definitions
    where project_id = ${projectId} order by name`);
  return rows;
}

/** How many events are older than the horizons of their names, counted up to a limit. */
export async function countOlder(
  db: Db,
  projectId: number,
  horizons: { event: string; before: Date }[],
  limit: number,
): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`
    select count(*)::int as count from (
      select 1 from unnest(
        ${sql.param(horizons.map(({ event }) => event))}::text[],
        ${sql.param(horizons.map(({ before }) => before.toISOString()))}::timestamptz[]) as v(event, before)
      cross join lateral (select 1 from events e
        where e.project_id = ${projectId} and e.event = v.event and e.timestamp < v.before limit ${limit}) e
      limit ${limit}) n`);
  return rows[0]?.count ?? 0;
}
