import { and, desc, eq, isNull, sql } from "drizzle-orm";
import type { PersonEvent, PersonEvents } from "#lib/people/events/history/clickhouse-store.ts";
import { horizonSql } from "#lib/people/retention/horizons-store.ts";
import { deleteEvents, type EventKey, keepPartitions } from "#lib/people/retention/store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { erasures } from "#lib/platform/db/tables/erasures.ts";
import { person_distinct_ids, persons } from "#lib/platform/db/tables/events.ts";
import { feature_flag_hash_key_overrides } from "#lib/platform/db/tables/feature_flags.ts";
import type { ErasedEvent } from "./step.ts";

export type ErasureRow = typeof erasures.$inferSelect;

const texts = (list: readonly string[]) => sql`${sql.param([...list])}::text[]`;
const numbers = (list: readonly number[]) => sql`${sql.param([...list])}::bigint[]`;

/** A person, locked. */
export async function lockPerson(tx: Db, projectId: number, id: number) {
  const [row] = await tx
    .select()
    .from(persons)
    .where(and(eq(persons.project_id, projectId), eq(persons.id, id)))
    .for("update");
  return row ?? null;
}

/** The numbers of persons who were merged into one, directly or through others. */
export async function selectMergedInto(tx: Db, projectId: number, id: number): Promise<number[]> {
  const { rows } = await tx.execute<{ loser: string }>(sql`
    with recursive merged(loser) as (
      select loser from person_merges where project_id = ${projectId} and winner = ${id}
      union select m.loser from person_merges m join merged on m.winner = merged.loser
        where m.project_id = ${projectId}
    ) select loser from merged`);
  return rows.map(({ loser }) => Number(loser));
}

/** Takes a person out of static cohorts. @returns how many those were */
export async function deleteMemberships(tx: Db, id: number): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    with gone as (delete from cohort_people where person_id = ${id} returning cohort_id),
    fewer as (
      update cohorts c set count = c.count - 1 from gone where c.id = gone.cohort_id and c.is_static
    )
    select 1 from gone`);
  return rowCount ?? 0;
}

export async function deleteHashKeys(tx: Db, projectId: number, id: number): Promise<number> {
  const { rowCount } = await tx
    .delete(feature_flag_hash_key_overrides)
    .where(
      and(
        eq(feature_flag_hash_key_overrides.project_id, projectId),
        eq(feature_flag_hash_key_overrides.person_id, id),
      ),
    );
  return rowCount ?? 0;
}

/** Deletes a person with its distinct ids. */
export async function deletePerson(tx: Db, id: number): Promise<void> {
  await tx.delete(person_distinct_ids).where(eq(person_distinct_ids.person_id, id));
  await tx.delete(persons).where(eq(persons.id, id));
}

/** Forgets properties that no person carries any more: their names may say whose they were. */
export async function deleteUnusedProperties(tx: Db, projectId: number): Promise<void> {
  await tx.execute(sql`
    delete from property_definitions where project_id = ${projectId} and type = 'person' and count <= 0`);
}

/**
 * Makes readers of the history who know the person by its number look at it again, and at those who have its distinct
 * ids now: as merged into nobody.
 */
export async function insertDepartures(tx: Db, erasure: ErasureRow): Promise<void> {
  await tx.execute(sql`
    insert into person_merges (project_id, loser, winner)
    select ${erasure.project_id}, id, 0 from (
      select unnest(${numbers(erasure.person_ids)}) as id
      union select d.person_id from person_distinct_ids d
        where d.project_id = ${erasure.project_id} and d.distinct_id = any(${texts(erasure.distinct_ids)})
    ) gone`);
}

export async function insertErasure(tx: Db, row: typeof erasures.$inferInsert): Promise<ErasureRow> {
  const [made] = await tx.insert(erasures).values(row).returning();
  if (!made) throw new Error("The erasure was not written.");
  return made;
}

export async function selectErasure(db: Db, id: string, projectId?: number): Promise<ErasureRow | null> {
  const [row] = await db
    .select()
    .from(erasures)
    .where(
      and(eq(erasures.id, id), projectId === undefined ? undefined : eq(erasures.project_id, projectId)),
    );
  return row ?? null;
}

export async function selectErasures(
  db: Db,
  projectId: number,
  page: { limit: number; offset: number },
): Promise<{ rows: ErasureRow[]; count: number }> {
  const where = eq(erasures.project_id, projectId);
  const [rows, count] = await Promise.all([
    db
      .select()
      .from(erasures)
      .where(where)
      .orderBy(desc(erasures.requested_at), desc(erasures.id))
      .limit(page.limit)
      .offset(page.offset),
    db.$count(erasures, where),
  ]);
  return { rows, count };
}

/** The ids of erasures that are not finished. */
export async function selectUnfinished(db: Db): Promise<string[]> {
  const rows = await db
    .select({ id: erasures.id })
    .from(erasures)
    .where(isNull(erasures.finished_at))
    .orderBy(erasures.id);
  return rows.map(({ id }) => id);
}

/** Locks an erasure; null where it is finished. */
export async function lockErasure(tx: Db, id: string): Promise<ErasureRow | null> {
  const [row] = await tx
    .select()
    .from(erasures)
    .where(and(eq(erasures.id, id), isNull(erasures.finished_at)))
    .for("update");
  return row ?? null;
}

export async function updateErasure(
  tx: Db,
  id: string,
  values: Partial<
    Pick<
      ErasureRow,
      | "removed"
      | "distinct_ids"
      | "copied_distinct_ids"
      | "finished_at"
      | "unchanged_experiments"
      | "events_deleted_before"
    >
  >,
): Promise<void> {
  await tx.update(erasures).set(values).where(eq(erasures.id, id));
}

/** Events of somebody who is being erased: those that had arrived when that was requested. */
const ownEvents = (erasure: Pick<ErasureRow, "project_id" | "distinct_ids" | "cut">) =>
  sql`e.project_id = ${erasure.project_id} and e.distinct_id = any(${texts(erasure.distinct_ids)})
    and e.ingested <= ${erasure.cut}::text::xid8`;

/**
 * Deletes some of the events of somebody who is being erased. Uuids go first: writers, who take them first too, and
 * this wait for each other instead of deadlocking.
 *
 * @returns how many were found; of these, others may have been deleted by age meanwhile
 */
export async function deleteSomeEvents(
  tx: Db,
  erasure: ErasureRow,
  limit: number,
): Promise<{ found: number; events: ErasedEvent[] }> {
  await keepPartitions(tx);
  const { rows } = await tx.execute<EventKey>(sql`
    select uuid, at::text from (
      select e.uuid, e.timestamp as at from events e where ${ownEvents(erasure)} limit ${limit}) own order by own.at`);
  if (rows.length === 0) return { found: 0, events: [] };
  await tx.execute(sql`
    delete from event_uuids u where u.project_id = ${erasure.project_id}
      and u.uuid = any(${texts(rows.map(({ uuid }) => uuid))}::uuid[])`);
  const events = await deleteEvents<ErasedEvent>(
    tx,
    erasure.project_id,
    rows,
    sql`e.uuid, e.event, (extract(epoch from e.timestamp) * 1000)::float8 as at, e.properties`,
  );
  return { found: rows.length, events };
}

/**
 * Subtracts erased events from the counts of event names; names sorted. Those that were only in the copy had been counted
 * as deleted. The rows are locked before the latest event
 * that is left is looked for: whoever adds one meanwhile has either committed it, or adds it afterwards. If only events
 * are left that were deleted by age, the latest of them was before the horizon.
 */
export async function subtractNames(
  tx: Db,
  projectId: number,
  names: readonly { name: string; count: number }[],
  wereKept = false,
): Promise<void> {
  const list = texts(names.map(({ name }) => name));
  await tx.execute(sql`
    select 1 from event_definitions where project_id = ${projectId} and name = any(${list}) order by name for update`);
  await tx.execute(sql`
    update event_definitions d set count = d.count - v.count,
      deleted = d.deleted - ${wereKept ? sql`v.count` : sql`0`}, last_seen_at = coalesce(
      (select max(e.timestamp) from events e where e.project_id = ${projectId} and e.event = v.name),
      least(d.last_seen_at, ${horizonSql(sql`d.project_id`, sql`d.name`)}))
    from unnest(${list}, ${numbers(names.map(({ count }) => count))}) as v(name, count)
    where d.project_id = ${projectId} and d.name = v.name`);
  await tx.execute(sql`
    delete from event_definitions where project_id = ${projectId} and name = any(${list}) and count <= 0`);
}

export async function countEvents(db: Db, projectId: number, id: number): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`
    select count(*)::int as count from events e where e.project_id = ${projectId} and e.distinct_id in (
      select distinct_id from person_distinct_ids where person_id = ${id})`);
  return rows[0]?.count ?? 0;
}

/** Events of a person in the order of time, after a cursor. */
export async function selectEventsAfter(
  db: Db,
  projectId: number,
  id: number,
  after: PersonEvents["after"],
  limit: number,
): Promise<PersonEvent[]> {
  const from = after
    ? sql`and (e.timestamp, e.uuid) > ('epoch'::timestamptz + ${after.at}::bigint * interval '1 microsecond', ${after.uuid}::uuid)`
    : sql``;
  const { rows } = await db.execute<PersonEvent>(sql`
    select e.uuid, e.event, e.distinct_id, e.properties, (extract(epoch from e.timestamp) * 1000000)::bigint::text as at,
      to_char(e.timestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as timestamp
    from events e where e.project_id = ${projectId} and e.distinct_id in (
      select distinct_id from person_distinct_ids where person_id = ${id}) ${from}
    order by e.timestamp, e.uuid limit ${limit}`);
  return rows;
}

/** The static cohorts that a person is in. */
export async function selectMemberships(db: Db, id: number) {
  const { rows } = await db.execute<{ id: number; name: string }>(sql`
    select c.id, c.name from cohort_people m join cohorts c on c.id = m.cohort_id
    where m.person_id = ${id} and not c.deleted order by c.id`);
  return rows;
}

/** The hash keys stored of a person, by flag. */
export async function selectHashKeysOf(db: Db, projectId: number, id: number) {
  const { rows } = await db.execute<{ feature_flag_key: string; hash_key: string }>(sql`
    select feature_flag_key, hash_key from feature_flag_hash_key_overrides
    where project_id = ${projectId} and person_id = ${id} order by feature_flag_key`);
  return rows;
}

/** The erasures of all projects. */
export const selectAllErasures = (db: Db): Promise<ErasureRow[]> => db.select().from(erasures);

/** Until the transaction ends, nobody begins to erase people; whoever has begun is waited for. */
export async function keepErasuresOut(tx: Db): Promise<void> {
  await tx.execute(sql`lock table event_uuids in row exclusive mode`);
}

/** The hashes of those who were erased since a moment. */
export async function selectHashesSince(
  db: Db,
  projectIds: readonly number[],
  since: Date,
): Promise<Set<string>> {
  const { rows } = await db.execute<{ hash: string }>(sql`
    select unnest(hashes) as hash from erasures
    where project_id = any(${sql.param([...projectIds])}::int[]) and requested_at >= ${since.toISOString()}::timestamptz`);
  return new Set(rows.map(({ hash }) => hash));
}

/** Adds those that are not there yet. @returns their ids */
export async function insertMissingErasures(tx: Db, rows: readonly ErasureRow[]): Promise<Set<string>> {
  const added = new Set<string>();
  for (const row of rows) {
    const made = await tx.insert(erasures).values(row).onConflictDoNothing().returning({ id: erasures.id });
    for (const { id } of made) added.add(id);
  }
  return added;
}

/** All distinct ids of a project's persons, some at a time. */
export async function* scanDistinctIds(tx: Db, projectId: number) {
  const page = 5_000;
  for (let after: string | null = null, more = true; more; ) {
    const { rows }: { rows: { distinct_id: string; person_id: string }[] } = await tx.execute(sql`
      select distinct_id, person_id from person_distinct_ids
      where project_id = ${projectId} ${after === null ? sql`` : sql`and distinct_id > ${after}`}
      order by distinct_id limit ${page}`);
    yield rows.map(({ distinct_id, person_id }) => ({ distinct_id, person_id: Number(person_id) }));
    after = rows.at(-1)?.distinct_id ?? null;
    more = rows.length === page;
  }
}
