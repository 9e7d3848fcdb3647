import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import type { Properties } from "./changes.ts";

/** A distinct id within its project. */
export type PersonKey = { project_id: number; distinct_id: string };

/** The same as one text. */
export const keyOf = ({ project_id, distinct_id }: PersonKey): string => `${project_id}:${distinct_id}`;

/** A person as stored, found by one of its distinct ids. */
export type FoundPerson = PersonKey & {
  id: number;
  properties: Properties;
  is_identified: boolean;
  created_at: number;
};

const keyArrays = (keys: PersonKey[]) =>
  sql`unnest(${sql.param(keys.map((k) => k.project_id))}::int[], ${sql.param(keys.map((k) => k.distinct_id))}::text[])`;

const isoList = (moments: number[]) => sql.param(moments.map((at) => new Date(at).toISOString()));

/** Which of the distinct ids already belong to a person. */
export async function selectKnownKeys(db: Db, keys: PersonKey[]): Promise<PersonKey[]> {
  if (keys.length === 0) return [];
  const { rows } = await db.execute<PersonKey>(sql`
    select project_id, distinct_id from ${keyArrays(keys)} as wanted(project_id, distinct_id)
    join person_distinct_ids using (project_id, distinct_id)`);
  return rows;
}

/**
 * Creates a person for each distinct id without one, even if another process does so concurrently.
 *
 * @param people sorted, so that processes wait for each other instead of deadlocking
 * @returns the distinct ids that got their person here
 */
export async function insertPeople(
  db: Db,
  people: (PersonKey & { json: string; is_identified: boolean; created_at: number })[],
): Promise<PersonKey[]> {
  if (people.length === 0) return [];
  const { rows } = await db.execute<PersonKey>(sql`
    with incoming as materialized (
      select nextval('persons_id_seq') as id, v.* from unnest(
        ${sql.param(people.map((p) => p.project_id))}::int[], ${sql.param(people.map((p) => p.distinct_id))}::text[],
        ${sql.param(people.map((p) => p.json))}::text[], ${sql.param(people.map((p) => p.is_identified))}::boolean[],
        ${isoList(people.map((p) => p.created_at))}::timestamptz[]
      ) as v(project_id, distinct_id, properties, is_identified, created_at)
    ), linked as (
      insert into person_distinct_ids (project_id, distinct_id, person_id)
      select project_id, distinct_id, id from incoming
      on conflict do nothing
      returning project_id, distinct_id, person_id
    ), made as (
      insert into persons (id, project_id, properties, is_identified, created_at)
      select i.id, i.project_id, i.properties::jsonb, i.is_identified, i.created_at
      from incoming i join linked l on l.person_id = i.id
    )
    select project_id, distinct_id from linked`);
  return rows;
}

/** The persons of distinct ids, locked in the order of their ids if requested. Missing: merged away meanwhile. */
export async function selectPeople(db: Db, keys: PersonKey[], lock: boolean): Promise<FoundPerson[]> {
  if (keys.length === 0) return [];
  type Row = Omit<FoundPerson, "id"> & { id: string };
  const { rows } = await db.execute<Row>(sql`
    select d.project_id, d.distinct_id, p.id, p.properties, p.is_identified,
      (extract(epoch from p.created_at) * 1000)::float8 as created_at
    from ${keyArrays(keys)} as wanted(project_id, distinct_id)
    join person_distinct_ids d using (project_id, distinct_id)
    join persons p on p.id = d.person_id
    order by p.id ${lock ? sql`for update of p` : sql``}`);
  return rows.map((row) => ({ ...row, id: Number(row.id) }));
}

/** Writes changed persons, who are locked. */
export async function updatePeople(
  db: Db,
  people: { id: number; json: string; is_identified: boolean; created_at: number }[],
): Promise<void> {
  if (people.length === 0) return;
  await db.execute(sql`
    update persons p
    set properties = v.properties::jsonb, is_identified = v.is_identified, created_at = least(p.created_at, v.created_at)
    from unnest(
      ${sql.param(people.map((p) => p.id))}::bigint[], ${sql.param(people.map((p) => p.json))}::text[],
      ${sql.param(people.map((p) => p.is_identified))}::boolean[], ${isoList(people.map((p) => p.created_at))}::timestamptz[]
    ) as v(id, properties, is_identified, created_at)
    where p.id = v.id`);
}

/**
 * Lets persons take over what belongs to others, who are deleted: distinct ids, cohort memberships and stored hash
 * keys (the taker's own hash key of a flag stays). All are locked.
 *
 * @returns the projects in which a static cohort became smaller
 */
export async function mergePeople(db: Db, pairs: { loser: number; winner: number }[]): Promise<number[]> {
  if (pairs.length === 0) return [];
  const merges = sql`unnest(${sql.param(pairs.map((p) => p.loser))}::bigint[], ${sql.param(pairs.map((p) => p.winner))}::bigint[]) as m(loser, winner)`;
  await db.execute(
    sql`update person_distinct_ids d set person_id = m.winner from ${merges} where d.person_id = m.loser`,
  );
  const cohorts = await db.execute<{ project_id: number }>(sql`
    with moved as (
      delete from cohort_people c using ${merges} where c.person_id = m.loser returning c.cohort_id, m.winner
    ), added as (
      insert into cohort_people (cohort_id, person_id)
      select distinct cohort_id, winner from moved order by 1, 2
      on conflict do nothing returning cohort_id
    ), fewer as (
      select cohort_id, count(*) - (select count(*) from added a where a.cohort_id = moved.cohort_id) as by
      from moved group by cohort_id
    )
    update cohorts c set count = c.count - fewer.by from fewer
    where c.id = fewer.cohort_id and c.is_static and fewer.by > 0
    returning c.project_id`);
  await db.execute(sql`
    with moved as (
      delete from feature_flag_hash_key_overrides o using ${merges} where o.person_id = m.loser
      returning o.project_id, m.winner, o.feature_flag_key, o.hash_key
    )
    insert into feature_flag_hash_key_overrides (project_id, person_id, feature_flag_key, hash_key)
    select distinct on (project_id, winner, feature_flag_key) project_id, winner, feature_flag_key, hash_key
    from moved order by project_id, winner, feature_flag_key, hash_key
    on conflict do nothing`);
  await db.execute(sql`
    insert into person_merges (project_id, loser, winner)
    select p.project_id, m.loser, m.winner from ${merges} join persons p on p.id = m.loser`);
  await db.execute(
    sql`delete from persons where id = any(${sql.param(pairs.map((pair) => pair.loser))}::bigint[])`,
  );
  return [...new Set(cohorts.rows.map((row) => row.project_id))];
}
