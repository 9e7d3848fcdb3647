import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { propertiesFrom, type Values, valuesOf } from "#lib/platform/db/json-values.ts";
import { groups } from "#lib/platform/db/tables/events.ts";

const CHUNK = 4_000;
/** How many persons one statement groups by equal values. */
const COUNTED_AT_ONCE = 50_000;

/** A stored person as evaluation sees them; of several distinct ids, the alphabetically first is used. */
export type ScannedPerson = {
  id: number;
  distinct_id: string;
  properties: Record<string, unknown>;
  static_cohorts: ReadonlySet<number>;
};

type ScanOptions = {
  /** Only persons with a higher number. */
  after?: number;
  /** Static cohorts whose membership is wanted; none: not looked up. */
  cohort_ids?: readonly number[];
  /** Whether properties are wanted at all. */
  properties?: boolean;
};

type Row = { id: string; distinct_id: string; properties: Record<string, unknown>; cohorts: number[] | null };

async function chunkOf(db: Db, projectId: number, after: number, options: ScanOptions) {
  const cohorts: SQL = options.cohort_ids?.length
    ? sql`(select array_agg(c.cohort_id) from cohort_people c
        where c.person_id = p.id and c.cohort_id = any(${sql.param([...options.cohort_ids])}::int[]))`
    : sql`null`;
  const { rows } = await db.execute<Row>(sql`
    select p.id, ${options.properties === false ? sql`'{}'::jsonb` : sql`p.properties`} as properties,
      coalesce((select min(d.distinct_id) from person_distinct_ids d where d.person_id = p.id), '') as distinct_id,
      ${cohorts} as cohorts
    from persons p where p.project_id = ${projectId} and p.id > ${after} order by p.id limit ${CHUNK}`);
  return rows.map(({ id, cohorts: ids, ...person }) => ({
    ...person,
    id: Number(id),
    static_cohorts: new Set(ids),
  }));
}

/** Every person of a project, a chunk at a time and never all in memory; the next is read meanwhile. */
export async function* scanPersons(
  db: Db,
  projectId: number,
  options: ScanOptions = {},
): AsyncGenerator<ScannedPerson[]> {
  let next = chunkOf(db, projectId, options.after ?? 0, options);
  for (;;) {
    const people = await next;
    const last = people.at(-1);
    if (!last) return;
    const more = people.length === CHUNK;
    if (more) next = chunkOf(db, projectId, last.id, options);
    // Whoever stops here does not wait for it, and must not see its failure.
    next.catch(() => undefined);
    yield people;
    if (!more) return;
  }
}

type Counted = { people: number; properties: Record<string, unknown> };

/**
 * Every person of a project, those with the same values of some properties as one: their number and the values.
 * The database counts, so that millions of people cost as many rows as there are different values.
 *
 * @param names the properties; of others nothing is known
 */
export async function* countPersonsBy(
  db: Db,
  projectId: number,
  names: readonly string[],
): AsyncGenerator<Counted[]> {
  for (let after = 0; ; ) {
    const { rows } = await db.execute<{ people: number; last: string; vals: Values }>(sql`
      select count(*)::int as people, max(id) as last, vals from (
        select id, ${valuesOf(sql`properties`, names)} as vals from persons
        where project_id = ${projectId} and id > ${after} order by id limit ${COUNTED_AT_ONCE}
      ) part group by vals`);
    if (rows.length === 0) return;
    after = Math.max(...rows.map(({ last }) => Number(last)));
    yield rows.map(({ people, vals: found }) => ({
      people,
      properties: propertiesFrom(names, found),
    }));
    if (rows.reduce((sum, { people }) => sum + people, 0) < COUNTED_AT_ONCE) return;
  }
}

/** Every group of one type, a chunk at a time. */
export async function* scanGroups(db: Db, projectId: number, groupTypeIndex: number) {
  for (let after = ""; ; ) {
    const rows = await db
      .select({ key: groups.group_key, properties: groups.properties })
      .from(groups)
      .where(
        and(
          eq(groups.project_id, projectId),
          eq(groups.group_type_index, groupTypeIndex),
          gt(groups.group_key, after),
        ),
      )
      .orderBy(asc(groups.group_key))
      .limit(CHUNK);
    const last = rows.at(-1);
    if (!last) return;
    after = last.key;
    yield rows;
  }
}
