import { sql } from "drizzle-orm";
import type { Db } from "#lib/db/connect.ts";

/** Days of history that the events are spread over. */
export const DAYS = 90;
const NAMES = 10;
/** One person in so many takes part in each experiment but the first, which has all. */
export const SMALL_SHARE = 20;
const CHUNK = 500_000;

export const flagKey = (n: number) => `bench-experiment-${n}`;

/** People with an id each, without the way through ingestion, which is measured elsewhere. */
export async function seedPeople(db: Db, people: number): Promise<void> {
  await db.execute(sql`
    insert into persons (id, project_id, is_identified)
    select g, 1, true from generate_series(1, ${people}::int) g`);
  await db.execute(sql`
    insert into person_distinct_ids (project_id, distinct_id, person_id)
    select 1, 'person-' || g, g from generate_series(1, ${people}::int) g`);
  await db.execute(sql`select setval('persons_id_seq', ${people}::bigint)`);
}

/** When something happens: any moment between two days ago counted from the end. */
const momentBetween = (from: number, to: number) =>
  sql`to_timestamp(${from / 1_000}::float8 + random() * ${(to - from) / 1_000}::float8)`;

const variantOf = sql`case when hashint8(p.id) % 2 = 0 then 'control' else 'test' end`;

/** A call of a flag by one person in so many. */
export async function seedCalls(
  db: Db,
  flag: string,
  among: { first: number; last: number; one_in: number; turn: number },
  from: number,
  to: number,
): Promise<void> {
  await db.execute(sql`
    insert into events (project_id, uuid, event, distinct_id, timestamp, properties)
    select 1, gen_random_uuid(), '$feature_flag_called', 'person-' || p.id, ${momentBetween(from, to)},
      jsonb_build_object('$feature_flag', ${flag}::text, '$feature_flag_response', ${variantOf}, '$lib', 'web')
    from generate_series(${among.first}::bigint, ${among.last}::bigint) p(id)
    where p.id % ${among.one_in} = ${among.turn % among.one_in}`);
}

/** Events of ten names by people at random, about as large as real ones. */
export async function seedEvents(db: Db, count: number, people: number, from: number, to: number) {
  for (let done = 0; done < count; done += CHUNK) {
    const next = Math.min(CHUNK, count - done);
    await db.execute(sql`
      insert into events (project_id, uuid, event, distinct_id, timestamp, properties)
      select 1, gen_random_uuid(), 'event ' || (g % ${NAMES}), 'person-' || (1 + floor(random() * ${people})::int),
        ${momentBetween(from, to)},
        jsonb_build_object('amount', round((random() * 100)::numeric, 2), '$session_id', 's-' || (g / 5),
          'path', '/a/page/of/the/product/' || (g % 1000), '$lib', 'web', '$browser', 'Firefox')
      from generate_series(1, ${next}::int) g`);
  }
}

/** What ingestion would have counted, and what the planner would have learnt by now. */
export async function settle(db: Db): Promise<void> {
  await db.execute(sql`delete from event_definitions`);
  await db.execute(sql`
    insert into event_definitions (project_id, name, count, last_seen_at)
    select project_id, event, count(*), max(timestamp) from events group by 1, 2`);
  await db.execute(sql`analyze`);
}
