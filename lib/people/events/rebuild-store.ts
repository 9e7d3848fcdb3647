import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";

/**
 * Everything is compared with everything until the transaction ends. Right after a load the database has no
 * statistics, takes tables for small, and would go through one again for each row of another.
 */
export async function readWholeTables(tx: Db): Promise<void> {
  await tx.execute(sql`select set_config('enable_nestloop', 'off', true), set_config('jit', 'off', true)`);
}

/** Keeps every writer out until the transaction ends. */
export async function lockWriters(tx: Db): Promise<void> {
  await tx.execute(sql`lock table event_uuids, persons, groups in share row exclusive mode`);
}

const countedNames = sql`
  select project_id, event as name, count(*) as count, max(timestamp) as last_seen_at
  from events group by 1, 2`;

export async function countRows(db: Db, query: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`select count(*) as count from (${query}) d`);
  return rows[0]?.count ?? 0;
}

/** How many event names have another count or last moment than the events, stored and deleted ones together. */
export const countNameDifferences = (db: Db) =>
  countRows(
    db,
    sql`select 1 from (${countedNames}) c full join event_definitions s using (project_id, name)
      where coalesce(c.count, 0) + s.deleted is distinct from s.count
        or (c.last_seen_at is distinct from s.last_seen_at and (c.count > 0 or coalesce(s.deleted, 0) = 0))`,
  );

/** The uuids of events that were deleted because of their age stay: such projects have more of them than events. */
const keepsUuids = sql`exists (select from event_horizons h where h.project_id = u.project_id)`;

/** How many events lack their entry among the uuids, or the other way round. */
export const countUuidDifferences = (db: Db) =>
  countRows(
    db,
    sql`select 1 from events e full join event_uuids u using (project_id, uuid)
      where u.project_id is null or (e.distinct_id is null and not ${keepsUuids})`,
  );

/** How many distinct ids of events belong to no person. */
export const countOrphans = (db: Db) =>
  countRows(
    db,
    sql`select distinct e.project_id, e.distinct_id from events e
      where not exists (select from person_distinct_ids d
        where d.project_id = e.project_id and d.distinct_id = e.distinct_id)`,
  );

export async function rewriteNames(tx: Db): Promise<void> {
  await tx.execute(sql`delete from event_definitions where deleted = 0`);
  await tx.execute(sql`update event_definitions set count = deleted`);
  await tx.execute(sql`
    insert into event_definitions as d (project_id, name, count, last_seen_at)
    select * from (${countedNames}) c where exists (select from projects p where p.id = c.project_id)
    on conflict (project_id, name) do update set
      count = d.count + excluded.count, last_seen_at = excluded.last_seen_at`);
}

export async function rewriteUuids(tx: Db): Promise<void> {
  await tx.execute(sql`
    delete from event_uuids u where not ${keepsUuids} and not exists (
      select from events e where e.project_id = u.project_id and e.uuid = u.uuid)`);
  await tx.execute(sql`
    insert into event_uuids (project_id, uuid) select project_id, uuid from events on conflict do nothing`);
}

export async function adoptOrphans(tx: Db): Promise<void> {
  await tx.execute(sql`
    with orphans as materialized (
      select nextval('persons_id_seq') as id, o.* from (
        select e.project_id, e.distinct_id, min(e.timestamp) as created_at from events e
        where not exists (select from person_distinct_ids d
          where d.project_id = e.project_id and d.distinct_id = e.distinct_id)
          and exists (select from projects p where p.id = e.project_id)
        group by 1, 2) o
    ), made as (
      insert into persons (id, project_id, created_at) select id, project_id, created_at from orphans
    )
    insert into person_distinct_ids (project_id, distinct_id, person_id)
    select project_id, distinct_id, id from orphans`);
}
