import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { event_history_deletions } from "#lib/platform/db/tables/event_history.ts";

/** Events of a project that were deleted: some, all of a name before a moment, or all of one in some time. */
export type GoneEvents = { project_id: number } & (
  | { uuids: string[]; first_day: string; last_day: string }
  | { event: string; before: string }
);

/** Held in common by transactions that delete events, and alone by the one from which on that is noted. */
const NOTING = 4_203_002;

/** Until the transaction ends, none begins to delete events; those under way are waited for. */
export async function waitForDeletions(tx: Db): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${NOTING})`);
}

const DAY = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Uuids deleted by one statement. */
const UUIDS = 10_000;

/**
 * Notes, in the transaction that deletes them, that these events are gone, so that they go from the copy as well: some
 * events, or all of a name before a moment. A person is gone with the events of its distinct ids.
 */
export async function noteGone(
  tx: Db,
  projectId: number,
  gone: readonly { uuid: string; at: number }[] | { event: string /** ISO 8601. */; before: string },
): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${NOTING})`);
  const { rows } = await tx.execute(sql`select 1 from event_history`);
  if (rows.length === 0) return;
  if ("event" in gone) {
    await tx.insert(event_history_deletions).values({ project_id: projectId, ...gone });
    return;
  }
  for (let from = 0; from < gone.length; from += UUIDS) {
    const some = gone.slice(from, from + UUIDS);
    const days = some.map(({ at }) => DAY(at)).sort();
    await tx.insert(event_history_deletions).values({
      project_id: projectId,
      uuids: some.map(({ uuid }) => uuid),
      first_day: days[0],
      last_day: days.at(-1),
    });
  }
}

/** Rows of deletions that are read at once. */
const DELETIONS = 1_000;

/** Deletions that the copy has not seen, as few statements; the oldest first. */
export async function selectGone(db: Db): Promise<{ ids: number[]; gone: GoneEvents }[]> {
  const { rows } = await db.execute<{
    ids: number[];
    project_id: number;
    uuids: string[] | null;
    first_day: string;
    last_day: string;
    event: string | null;
    before: string;
  }>(sql`
    with noted as materialized (
      select d.*, sum(cardinality(uuids)) over (partition by project_id, event is null order by id) / ${UUIDS}::int as part
      from event_history_deletions d order by id limit ${DELETIONS})
    select array_agg(id::float8) as ids, project_id, min(first_day)::text as first_day, max(last_day)::text as last_day,
      (select array_agg(uuid::text) from noted s cross join unnest(s.uuids) uuid
        where s.project_id = d.project_id and s.part = d.part and d.event is null) as uuids,
      event, to_char(before at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as before
    from noted d group by project_id, event, before, part order by min(id)`);
  return rows.map(({ ids, project_id, uuids, first_day, last_day, event, before }) => ({
    ids,
    gone:
      event === null
        ? { project_id, uuids: uuids ?? [], first_day, last_day }
        : { project_id, event, before },
  }));
}

export async function acknowledgeGone(db: Db, ids: number[]): Promise<void> {
  await db.execute(sql`delete from event_history_deletions where id = any(${sql.param(ids)}::bigint[])`);
}

/** Whether the copy of a project has events that are deleted here. */
export async function hasGone(db: Db, projectId: number): Promise<boolean> {
  const { rows } = await db.execute(
    sql`select 1 from event_history_deletions where project_id = ${projectId} limit 1`,
  );
  return rows.length > 0;
}
