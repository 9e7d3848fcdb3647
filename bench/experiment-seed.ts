import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";

/** Days of history that the events are spread over. */
export const DAYS = 90;
const NAMES = 10;
/** One person in so many takes part in each experiment but the first, which has all. */
export const SMALL_SHARE = 20;
const CHUNK = 1_000_000;

export const flagKey = (n: number) => `bench-experiment-${n}`;

type Definition = { table: string; name: string; drop: string; make: string };

/**
 * Loads with the indexes of events put aside, and makes them afterwards: ten million rows come in minutes. Nothing
 * is left to the planner's luck either: tables are analysed as autovacuum would have done by then.
 */
export async function loading(db: Db, work: () => Promise<void>): Promise<void> {
  const { rows } = await db.execute<Definition>(sql`
    select c.conrelid::regclass::text as table, c.conname as name,
      format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname) as drop,
      format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) as make
    from pg_constraint c where c.conrelid = 'events'::regclass and c.contype = 'p'
    union all
    select i.indrelid::regclass::text, i.indexrelid::regclass::text,
      format('drop index %s', i.indexrelid::regclass), replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
    from pg_index i where i.indrelid = 'events'::regclass and not i.indisprimary`);
  for (const { drop } of rows) await db.execute(sql.raw(drop));
  await work();
  await db.transaction(async (tx) => {
    await tx.execute(sql`set local maintenance_work_mem = '1GB'`);
    for (const { make } of rows) await tx.execute(sql.raw(make));
  });
  await settle(db);
}

/** People with an id each, without the way through ingestion, which is measured elsewhere. */
export async function seedPeople(db: Db, first: number, last: number): Promise<void> {
  await db.execute(sql`
    insert into persons (id, project_id, is_identified)
    select g, 1, true from generate_series(${first}::int, ${last}::int) g`);
  await db.execute(sql`
    insert into person_distinct_ids (project_id, distinct_id, person_id)
    select 1, 'person-' || g, g from generate_series(${first}::int, ${last}::int) g`);
  await db.execute(sql`select setval('persons_id_seq', ${last}::bigint)`);
}

const variantOf = sql`case when hashint8(p.id) % 2 = 0 then 'control' else 'test' end`;

/** A call of a flag by one person in so many, at any moment between two. */
export async function seedCalls(
  db: Db,
  flag: string,
  among: { first: number; last: number; one_in: number; turn: number },
  from: number,
  to: number,
): Promise<void> {
  await db.execute(sql`
    insert into events (project_id, uuid, event, distinct_id, timestamp, properties)
    select 1, gen_random_uuid(), '$feature_flag_called', 'person-' || p.id,
      to_timestamp(${from / 1_000}::float8 + random() * ${(to - from) / 1_000}::float8),
      jsonb_build_object('$feature_flag', ${flag}::text, '$feature_flag_response', ${variantOf}, '$lib', 'web')
    from generate_series(${among.first}::bigint, ${among.last}::bigint) p(id)
    where p.id % ${among.one_in} = ${among.turn % among.one_in}`);
}

/** Events of ten names by people at random, one after the other, about as large as real ones. */
export async function seedEvents(db: Db, count: number, people: number, from: number, to: number) {
  for (let done = 0; done < count; done += CHUNK) {
    const next = Math.min(CHUNK, count - done);
    await db.execute(sql`
      insert into events (project_id, uuid, event, distinct_id, timestamp, properties)
      select 1, gen_random_uuid(), 'event ' || floor(random() * ${NAMES})::int,
        'person-' || (1 + floor(random() * ${people})::int),
        to_timestamp(${from / 1_000}::float8 + (${done}::float8 + g - random()) * ${(to - from) / 1_000 / count}::float8),
        jsonb_build_object('amount', round((random() * 100)::numeric, 2), '$session_id', 's-' || (g / 5),
          'path', '/a/page/of/the/product/' || (g % 1000), '$lib', 'web', '$browser', 'Firefox')
      from generate_series(1, ${next}::int) g`);
  }
}

/** What ingestion would have counted, and what the planner would have learnt by now. */
async function settle(db: Db): Promise<void> {
  await db.execute(sql`delete from event_definitions`);
  await db.execute(sql`
    insert into event_definitions (project_id, name, count, last_seen_at)
    select project_id, event, count(*), max(timestamp) from events group by 1, 2`);
  await db.execute(sql`vacuum analyze`);
  await db.execute(sql`checkpoint`);
}
