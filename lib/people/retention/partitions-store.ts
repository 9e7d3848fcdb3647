import { sql } from "drizzle-orm";
import {
  addKept,
  EventsWait,
  HASH,
  isAcknowledged,
  type KeptDay,
  leaveCopy,
  lockKeeping,
  requireKept,
} from "#lib/people/event_deletions/retained-store.ts";
import type { Db, Tx } from "#lib/platform/db/connect.ts";
import { horizonSql } from "./horizons-store.ts";
import { addDeleted, keepEvents } from "./store.ts";

/** Makes the partition of a quarter, `quarter` being its first day, unless it is there. */
export async function createPartition(tx: Db, quarter: Date, end: Date, lockMs: number): Promise<void> {
  const name = `events_${quarter.getUTCFullYear()}q${Math.floor(quarter.getUTCMonth() / 3) + 1}`;
  const { rows } = await tx.execute<{ exists: boolean }>(
    sql`select to_regclass(${`public.${name}`}) is not null as exists`,
  );
  if (rows[0]?.exists) return;
  await tx.execute(sql`set local lock_timeout = ${sql.raw(String(lockMs))}`);
  const [from, to] = [quarter, end].map((at) => sql.raw(`'${at.toISOString()}'`));
  await tx.execute(
    sql`create table ${sql.identifier(name)} partition of events for values from (${from}) to (${to})`,
  );
}

/** Partitions that end before the latest horizon, the oldest first. */
export async function selectOldPartitions(db: Db): Promise<string[]> {
  const { rows } = await db.execute<{ name: string }>(sql`
    select name from (
      select c.relname as name,
        (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \\(''([^'']+)''\\)'))[1]::timestamptz as ends
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass) p
    where ends <= (select max(before) from event_horizons) order by ends`);
  return rows.map(({ name }) => name);
}

/** Whether a partition has events, and none that is to be kept. */
export async function isObsolete(db: Db, partition: string): Promise<boolean> {
  const table = sql.identifier(partition);
  const { rows } = await db.execute<{ obsolete: boolean }>(sql`
    select exists (select from ${table}) and not exists (
      select from ${table} e left join (
        select d.project_id, d.name, ${horizonSql(sql`d.project_id`, sql`d.name`)} as before from event_definitions d
      ) d on d.project_id = e.project_id and d.name = e.event
      where d.before is null or e.timestamp >= d.before) as obsolete`);
  return rows[0]?.obsolete ?? false;
}

/**
 * Drops a partition of which nothing is kept, and notes how many events that deletes. They are counted before the lock,
 * which then keeps others out for a moment only; people are not erased from then on.
 *
 * @returns false where events have arrived in it meanwhile
 * @throws EventsWait while events are to stay in a copy that does not have them yet, or their people are being erased
 * @throws when the lock cannot be had in time (SQLSTATE 55P03)
 */
export async function dropPartition(tx: Tx, partition: string, lockMs: number): Promise<boolean> {
  const table = sql.identifier(partition);
  await tx.execute(sql`set local lock_timeout = ${sql.raw(String(lockMs))}`);
  await keepEvents(tx);
  const [before] = (await tx.execute<{ seen: string }>(sql`select pg_current_snapshot()::text as seen`)).rows;
  const keeping = await lockKeeping(tx);
  type Counted = { project_id: number; event: string; count: number; before: string; keeps: boolean };
  const { rows } = await tx.execute<Counted>(sql`
    select project_id, event, count(*)::float8 as count,
      (date_trunc('day', max(timestamp), 'UTC') + interval '1 day')::text as before,
      project_id = any(${sql.param(keeping)}::int[]) as keeps
    from ${table} group by 1, 2 order by 1, 2`);
  const { rows: kept } = await tx.execute<KeptDay & { project_id: number; isCopied: boolean }>(sql`
    select e.project_id, e.event, (e.timestamp at time zone 'UTC')::date::text as day, count(*)::float8 as count,
      sum(${HASH})::text as hash, bool_and(${isAcknowledged}) as "isCopied"
    from ${table} e left join event_history_positions h on h.project_id = e.project_id
    where e.project_id = any(${sql.param(keeping)}::int[]) group by 1, 2, 3`);
  if (!kept.every(({ isCopied }) => isCopied)) throw new EventsWait("some of them have not been copied yet");
  await tx.execute(sql`lock table only events in access exclusive mode`);
  await tx.execute(sql`lock table ${table} in access exclusive mode`);
  await tx.execute(sql`set local enable_seqscan = off`);
  const { rows: late } = await tx.execute(sql`
    select 1 from (select ${before?.seen}::text::pg_snapshot as seen) s cross join projects p
    cross join lateral (select from ${table} e
      where e.project_id = p.id and e.ingested >= pg_snapshot_xmin(s.seen)
        and not pg_visible_in_snapshot(e.ingested, s.seen) limit 1) e limit 1`);
  if (late.length > 0) return false;
  await addDeleted(tx, rows);
  for (const [projectId, days] of Map.groupBy(kept, (day) => day.project_id)) {
    await requireKept(tx, projectId, []);
    await addKept(tx, projectId, days);
  }
  for (const { project_id, event, before, keeps } of rows)
    if (!keeps) await leaveCopy(tx, project_id, { event, before: new Date(before) });
  await tx.execute(sql`drop table ${table}`);
  return true;
}
