import { sql } from "drizzle-orm";
import { flagOf } from "#lib/experiments/results/events/clauses-store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import type { Caller } from "./arms.ts";

/** Some of a project's people, and how many there are in all. */
export type SomePeople = { people: Caller[]; total: number };

type Row = Caller & { total: number };

const of = (rows: readonly Row[]): SomePeople => ({
  people: rows.map(({ person_id, distinct_id, at }) => ({ person_id, distinct_id, at })),
  total: rows[0]?.total ?? 0,
});

/** People for whom a flag was ever called; `most` of them, the same ones each time. */
export async function selectCallers(
  db: Db,
  { project_id, flag_key }: { project_id: number; flag_key: string },
  most: number,
): Promise<SomePeople> {
  const { rows } = await db.execute<Row>(sql`
    select d.person_id::float8 as person_id, min(e.distinct_id) as distinct_id,
      extract(epoch from min(e.timestamp))::float8 * 1000 as at, (count(*) over ())::float8 as total
    from events e
    join person_distinct_ids d on d.project_id = e.project_id and d.distinct_id = e.distinct_id
    where e.project_id = ${project_id} and e.event = '$feature_flag_called'
      and ${flagOf} = left(${flag_key}::text, 400)
    group by d.person_id order by hashint8(d.person_id), d.person_id limit ${most}`);
  return of(rows);
}

/** The same of all people that are known, whatever they did. */
export async function selectAnybody(
  db: Db,
  { project_id, from }: { project_id: number; from: number },
  most: number,
): Promise<SomePeople> {
  const { rows } = await db.execute<Row>(sql`
    select p.id::float8 as person_id, p.total, ${from}::float8 as at,
      (select min(distinct_id) from person_distinct_ids d where d.person_id = p.id) as distinct_id
    from (
      select id, (count(*) over ())::float8 as total from persons where project_id = ${project_id}
      order by hashint8(id), id limit ${most}
    ) p where exists (select from person_distinct_ids d where d.person_id = p.id)`);
  return of(rows);
}
