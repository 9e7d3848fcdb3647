import { and, asc, count, desc, eq, exists, ilike, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/db/connect.ts";
import { person_distinct_ids, persons } from "#lib/db/tables/events.ts";

export type PersonRow = typeof persons.$inferSelect;
export type PersonWithIds = PersonRow & { distinct_ids: string[] };

/** What evaluation and statistics ask of a person. */
export type StoredPerson = Pick<PersonRow, "id" | "uuid" | "properties" | "is_identified">;

const SHOWN_IDS = 100;

const escapeLike = (text: string) => text.replace(/[\\%_]/g, "\\$&");
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

const stored = {
  id: persons.id,
  uuid: persons.uuid,
  properties: persons.properties,
  is_identified: persons.is_identified,
};

const byDistinctIds = (projectId: number, distinctIds: string[]) =>
  and(
    eq(person_distinct_ids.project_id, projectId),
    sql`${person_distinct_ids.distinct_id} = any(${sql.param(distinctIds)}::text[])`,
  );

/** The persons behind distinct ids; ids of nobody are absent. */
export async function personsByDistinctIds(
  db: Db,
  projectId: number,
  distinctIds: string[],
): Promise<Map<string, StoredPerson>> {
  if (distinctIds.length === 0) return new Map();
  const rows = await db
    .select({ distinct_id: person_distinct_ids.distinct_id, ...stored })
    .from(person_distinct_ids)
    .innerJoin(persons, eq(persons.id, person_distinct_ids.person_id))
    .where(byDistinctIds(projectId, distinctIds));
  return new Map(rows.map(({ distinct_id, ...person }) => [distinct_id, person]));
}

/** The person behind a distinct id, or null; one point read. */
export async function personByDistinctId(
  db: Db,
  projectId: number,
  distinctId: string,
): Promise<StoredPerson | null> {
  return (await personsByDistinctIds(db, projectId, [distinctId])).get(distinctId) ?? null;
}

/** Adds the distinct ids to persons, in alphabetical order and at most a hundred each. */
export async function withDistinctIds(db: Db, rows: PersonRow[]): Promise<PersonWithIds[]> {
  if (rows.length === 0) return [];
  const { rows: names } = await db.execute<{ person_id: number; distinct_id: string }>(sql`
    select p.id as person_id, d.distinct_id
    from unnest(${sql.param(rows.map((row) => row.id))}::bigint[]) as p(id)
    cross join lateral (
      select distinct_id from person_distinct_ids where person_id = p.id order by distinct_id limit ${SHOWN_IDS}
    ) d`);
  const byPerson = Map.groupBy(names, (row) => row.person_id);
  return rows.map((row) => ({
    ...row,
    distinct_ids: (byPerson.get(row.id) ?? []).map((name) => name.distinct_id),
  }));
}

/** A person by UUID or number. */
export async function selectPerson(db: Db, projectId: number, id: string): Promise<PersonRow | null> {
  const named = UUID.test(id) ? eq(persons.uuid, id) : eq(persons.id, Number(id));
  const [row] = await db
    .select()
    .from(persons)
    .where(and(eq(persons.project_id, projectId), named));
  return row ?? null;
}

/** Every distinct id of a person. */
export async function selectDistinctIds(db: Db, personId: number): Promise<string[]> {
  const rows = await db
    .select({ distinct_id: person_distinct_ids.distinct_id })
    .from(person_distinct_ids)
    .where(eq(person_distinct_ids.person_id, personId))
    .orderBy(asc(person_distinct_ids.distinct_id));
  return rows.map((row) => row.distinct_id);
}

export type PersonFilter = {
  project_id: number;
  search?: string | undefined;
  distinct_id?: string | undefined;
};

function whereOf(db: Db, filter: PersonFilter): SQL | undefined {
  const known = (match: SQL) =>
    exists(
      db
        .select({ one: sql`1` })
        .from(person_distinct_ids)
        .where(and(eq(person_distinct_ids.person_id, persons.id), match)),
    );
  const { search, distinct_id } = filter;
  const pattern = search ? `%${escapeLike(search)}%` : null;
  return and(
    eq(persons.project_id, filter.project_id),
    pattern && search
      ? or(
          sql`${persons.properties} ->> 'email' ilike ${pattern}`,
          sql`${persons.properties} ->> 'name' ilike ${pattern}`,
          known(ilike(person_distinct_ids.distinct_id, pattern)),
          UUID.test(search) ? eq(persons.uuid, search) : undefined,
        )
      : undefined,
    distinct_id
      ? inArray(
          persons.id,
          db
            .select({ id: person_distinct_ids.person_id })
            .from(person_distinct_ids)
            .where(byDistinctIds(filter.project_id, [distinct_id])),
        )
      : undefined,
  );
}

/** A page of persons, newest first, and how many there are in all. */
export async function selectPersonPage(
  db: Db,
  filter: PersonFilter,
  page: { limit: number; offset: number },
) {
  const where = whereOf(db, filter);
  const [rows, [total]] = await Promise.all([
    db.select().from(persons).where(where).orderBy(desc(persons.id)).limit(page.limit).offset(page.offset),
    db.select({ count: count() }).from(persons).where(where),
  ]);
  return { rows, count: total?.count ?? 0 };
}

/**
 * Persons before an id, newest first, with only the properties asked for; `distinct_id` is the alphabetically
 * first of each.
 */
export async function selectCandidates(
  db: Db,
  filter: PersonFilter,
  before: number,
  limit: number,
  properties: readonly string[],
) {
  const names = sql.param([...properties]);
  return db
    .select({
      id: persons.id,
      distinct_id: sql<string>`coalesce((select min(d.distinct_id) from ${person_distinct_ids} d
        where d.person_id = ${persons.id}), '')`,
      properties: sql<Record<string, unknown>>`coalesce((
        select jsonb_object_agg(name, ${persons.properties} -> name)
        from unnest(${names}::text[]) as name where ${persons.properties} ? name), '{}'::jsonb)`,
    })
    .from(persons)
    .where(and(whereOf(db, filter), lt(persons.id, before)))
    .orderBy(desc(persons.id))
    .limit(limit);
}

/** Persons by number, newest first. */
export async function selectPersonsById(db: Db, ids: number[]): Promise<PersonRow[]> {
  if (ids.length === 0) return [];
  return db.select().from(persons).where(inArray(persons.id, ids)).orderBy(desc(persons.id));
}
