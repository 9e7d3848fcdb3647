import { and, asc, count, desc, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { propertiesFrom, valuesOf } from "#lib/platform/db/json-values.ts";
import { person_distinct_ids, persons } from "#lib/platform/db/tables/events.ts";

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
export async function selectPersonsByDistinctIds(
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
export async function selectPersonByDistinctId(
  db: Db,
  projectId: number,
  distinctId: string,
): Promise<StoredPerson | null> {
  return (await selectPersonsByDistinctIds(db, projectId, [distinctId])).get(distinctId) ?? null;
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
  /** Only persons with a number below it, who were seen earlier. */
  before?: number | undefined;
};

/** How many of the newest persons a search finds; a term that matches more must be longer. */
const SEARCH_MAX = 10_000;
/** How far persons are counted: further costs more the more there are. */
const COUNT_MAX = 100_000;

/** Fewer letters than this are looked for at beginnings: the indexes know texts by three letters in a row. */
const ANYWHERE_FROM = 3;

/**
 * Persons found by a text: by two indexes, or newest first where a text fits so many that this is sooner. Each
 * way ends at SEARCH_MAX, so that a search costs what it finds and not what there is.
 */
function foundBy(search: string, { project_id, before = Number.MAX_SAFE_INTEGER }: PersonFilter): SQL {
  const text = escapeLike(search);
  const short = [...search].length < ANYWHERE_FROM;
  const pattern = short ? `${text}%` : `%${text}%`;
  const byName = short ? sql`or p.search_text ilike ${`%\n${text}%`}` : sql``;
  const byUuid = UUID.test(search)
    ? sql`union all select p.id from ${persons} p where p.project_id = ${project_id} and p.uuid = ${search}::uuid`
    : sql``;
  return sql`${persons.id} in (
    (select p.id from ${persons} p
      where p.project_id = ${project_id} and p.id < ${before} and (p.search_text ilike ${pattern} ${byName})
      order by p.id desc limit ${SEARCH_MAX})
    union all
    (select distinct d.person_id from ${person_distinct_ids} d
      where d.project_id = ${project_id} and d.person_id < ${before} and d.distinct_id ilike ${pattern}
      order by d.person_id desc limit ${SEARCH_MAX})
    ${byUuid})`;
}

function whereOf(db: Db, filter: PersonFilter): SQL | undefined {
  const { search, distinct_id, before } = filter;
  return and(
    eq(persons.project_id, filter.project_id),
    before === undefined ? undefined : lt(persons.id, before),
    search ? foundBy(search, filter) : undefined,
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

/**
 * A page of persons, newest first, and how many there are in all.
 *
 * @returns `count` at the most SEARCH_MAX or COUNT_MAX; `exact` false where there are more
 */
export async function selectPersonPage(
  db: Db,
  filter: PersonFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: PersonRow[]; count: number; exact: boolean }> {
  const where = whereOf(db, filter);
  const most = filter.search ? SEARCH_MAX : COUNT_MAX;
  const some = db
    .select({ id: persons.id })
    .from(persons)
    .where(where)
    .limit(most + 1)
    .as("some");
  const [rows, [total]] = await Promise.all([
    db.select().from(persons).where(where).orderBy(desc(persons.id)).limit(page.limit).offset(page.offset),
    db.select({ count: count() }).from(some),
  ]);
  const counted = total?.count ?? 0;
  // A search ends at its limit, so that it may have left some out as soon as it reaches it.
  const exact = filter.search ? counted < most : counted <= most;
  return { rows, count: Math.min(counted, most), exact };
}

/**
 * The filter's persons before an id, newest first, with only the requested properties; `distinct_id` is the
 * alphabetically first of each, empty where nobody asks for it.
 */
export async function selectCandidates(
  db: Db,
  filter: PersonFilter,
  limit: number,
  properties: readonly string[],
) {
  const rows = await db
    .select({
      id: persons.id,
      distinct_id: properties.includes("distinct_id")
        ? sql<string>`coalesce((select min(d.distinct_id) from ${person_distinct_ids} d
            where d.person_id = ${persons.id}), '')`
        : sql<string>`''`,
      values: valuesOf(sql`${persons.properties}`, properties),
    })
    .from(persons)
    .where(whereOf(db, filter))
    .orderBy(desc(persons.id))
    .limit(limit);
  return rows.map(({ values, ...person }) => ({ ...person, properties: propertiesFrom(properties, values) }));
}

/** Persons by number, newest first. */
export async function selectPersonsById(db: Db, ids: number[]): Promise<PersonRow[]> {
  if (ids.length === 0) return [];
  return db.select().from(persons).where(inArray(persons.id, ids)).orderBy(desc(persons.id));
}
