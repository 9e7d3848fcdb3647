import { and, asc, count, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import {
  createUnpacking,
  type PackedPersons,
  packedColumns,
  propertyTexts,
} from "#lib/platform/db/packed.ts";
import { person_distinct_ids, persons } from "#lib/platform/db/tables/events.ts";
import type { Narrowing } from "./narrowing.ts";

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
export const SEARCH_MAX = 10_000;
/** How far persons are counted: further costs more the more there are. */
const COUNT_MAX = 100_000;

/** Fewer letters than this are looked for at beginnings: the indexes know texts by three letters in a row. */
const ANYWHERE_FROM = 3;

/** Persons with the filter's distinct id; nothing where it has none. */
const isNamed = ({ project_id, distinct_id }: PersonFilter, id: SQL): SQL =>
  distinct_id
    ? sql`and ${id} in (select person_id from ${person_distinct_ids} where project_id = ${project_id} and distinct_id = ${distinct_id})`
    : sql``;

/**
 * Numbers of the persons that the filter's text finds, newest first: by two indexes, or newest first where it fits so
 * many that this is sooner. Each way ends at SEARCH_MAX, so that a search costs what it finds and not what there is.
 */
export async function selectFound(db: Db, filter: PersonFilter, search: string): Promise<number[]> {
  const { project_id, before = Number.MAX_SAFE_INTEGER } = filter;
  const text = escapeLike(search);
  const short = [...search].length < ANYWHERE_FROM;
  const pattern = short ? `${text}%` : `%${text}%`;
  const byName = short ? sql`or p.search_text ilike ${`%\n${text}%`}` : sql``;
  const person = sql`p.project_id = ${project_id} and p.id < ${before} ${isNamed(filter, sql`p.id`)}`;
  const byUuid = UUID.test(search)
    ? sql`union select p.id from ${persons} p where ${person} and p.uuid = ${search}::uuid`
    : sql``;
  const { rows } = await db.execute<{ ids: number[] }>(sql`
    select coalesce(json_agg(id order by id desc), '[]') as ids from (
      select id from (
        (select p.id from ${persons} p where ${person} and (p.search_text ilike ${pattern} ${byName})
          order by p.id desc limit ${SEARCH_MAX})
        union
        (select distinct d.person_id from ${person_distinct_ids} d
          where d.project_id = ${project_id} and d.person_id < ${before} and d.distinct_id ilike ${pattern}
            ${isNamed(filter, sql`d.person_id`)}
          order by d.person_id desc limit ${SEARCH_MAX})
        ${byUuid}
      ) either order by id desc limit ${SEARCH_MAX}
    ) found`);
  return rows[0]?.ids ?? [];
}

const idOf = sql`${persons}.id`;

/** The filter's persons, whatever text it has. */
const whereOf = (filter: PersonFilter): SQL =>
  sql`${persons.project_id} = ${filter.project_id} and ${idOf} < ${filter.before ?? Number.MAX_SAFE_INTEGER} ${isNamed(filter, idOf)}`;

/** The number of the person with the filter's distinct id, if there is one. */
export async function selectNamed(db: Db, filter: PersonFilter): Promise<number[]> {
  const rows = await db.select({ id: persons.id }).from(persons).where(whereOf(filter));
  return rows.map(({ id }) => id);
}

/**
 * A page of persons, newest first, and how many there are in all.
 *
 * @returns `count` at the most SEARCH_MAX or COUNT_MAX; `exact` false where there are more
 */
export async function selectPersonPage(
  db: Db,
  filter: PersonFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: PersonRow[]; count: number; exact: boolean }> {
  if (filter.search) {
    const found = await selectFound(db, filter, filter.search);
    const rows = await selectPersonsById(db, found.slice(offset, offset + limit));
    // A search ends at its limit, so that it may have left some out as soon as it reaches it.
    return { rows, count: found.length, exact: found.length < SEARCH_MAX };
  }
  const where = whereOf(filter);
  const some = db
    .select({ id: persons.id })
    .from(persons)
    .where(where)
    .limit(COUNT_MAX + 1)
    .as("some");
  const [rows, [total]] = await Promise.all([
    db.select().from(persons).where(where).orderBy(desc(persons.id)).limit(limit).offset(offset),
    db.select({ count: count() }).from(some),
  ]);
  const counted = total?.count ?? 0;
  return { rows, count: Math.min(counted, COUNT_MAX), exact: counted <= COUNT_MAX };
}

/** A part of the persons of a project, newest first: those from `from` to before `before`, by their numbers. */
export type Range = { from: number; before: number };

/** Where the newest `count` persons of the filter begin; 0 where there are no more than these. */
export async function selectEdge(db: Db, filter: PersonFilter, count: number): Promise<number> {
  const [edge] = await db
    .select({ id: persons.id })
    .from(persons)
    .where(whereOf({ project_id: filter.project_id, before: filter.before }))
    .orderBy(desc(persons.id))
    .limit(1)
    .offset(count);
  return edge ? edge.id + 1 : 0;
}

/** Whether the filter has anybody with a number below this one. */
export async function hasEarlier(db: Db, filter: PersonFilter, before: number): Promise<boolean> {
  const [one] = await db
    .select({ id: persons.id })
    .from(persons)
    .where(whereOf({ ...filter, before }))
    .limit(1);
  return one !== undefined;
}

/** What a person must have for the conditions to hold; not enough for them to. */
const narrowedBy = (narrowing: readonly Narrowing[]): SQL =>
  sql.join(narrowing.map((each) => sql` and ${holdsFor(each)}`));

/** JavaScript represents every whole number with fewer digits exactly. */
const INEXACT_DIGITS = 16;

/** Texts are compared letter by letter, as the conditions do, whatever the database's language is. */
function holdsFor({ key, texts, part, unclear }: Narrowing): SQL {
  if (texts === null) return sql`properties ? ${key}`;
  const value = sql`(properties ->> ${key}) collate "C"`;
  const containing = (parts: readonly string[]) =>
    sql`${sql.param(parts.map((each) => `%${escapeLike(each)}%`))}::text[]`;
  const held = part
    ? sql`${value} ilike any(${containing(texts)})`
    : sql`lower(${value}) = any(${sql.param([...texts])}::text[])`;
  const { numbers, objects, letters } = unclear;
  const others = [
    ...(numbers
      ? [sql`when 'number' then ${value} like '%.%' or length(${value}) >= ${INEXACT_DIGITS}`]
      : []),
    ...(objects ? [sql`when 'object' then true when 'array' then true`] : []),
    ...(letters.length > 0 ? [sql`when 'string' then ${value} like any(${containing(letters)})`] : []),
  ];
  if (others.length === 0) return held;
  return sql`(${held} or case jsonb_typeof(properties -> ${key}) ${sql.join(others, sql` `)} else false end)`;
}

/** Someone of whom conditions may hold. */
export type Candidate = { id: number; distinct_id: string; properties: Record<string, unknown> };

/** Which persons to read for conditions, and what of them. */
type Wanted = { properties: readonly string[]; narrowing: readonly Narrowing[] };

async function candidates(db: Db, some: SQL, wanted: Wanted): Promise<Candidate[]> {
  const { rows } = await db.execute<PackedPersons>(sql`
    select ${packedColumns(wanted.properties)} from (
      select c.*, ${
        wanted.properties.includes("distinct_id")
          ? sql`(select min(d.distinct_id) from ${person_distinct_ids} d where d.person_id = c.id)`
          : sql`null`
      } as distinct_id from (${some}) c order by id desc
    ) c`);
  const propertiesAt = createUnpacking(wanted.properties);
  return rows.flatMap(({ ids, distinct_ids, columns }) =>
    ids.map((id, i) => ({ id, distinct_id: distinct_ids[i] ?? "", properties: propertiesAt(columns, i) })),
  );
}

/** The persons of a range who may match. */
const inRange = (filter: PersonFilter, { from, before }: Range, wanted: Wanted): SQL =>
  sql`select id, ${propertyTexts(wanted.properties)} from ${persons}
    where ${whereOf({ ...filter, before })} and id >= ${from} ${narrowedBy(wanted.narrowing)}`;

/** The newest persons of a range who may match. */
export function selectCandidates(
  db: Db,
  filter: PersonFilter,
  range: Range,
  wanted: Wanted,
  limit: number,
): Promise<Candidate[]> {
  return candidates(db, sql`${inRange(filter, range, wanted)} order by id desc limit ${limit}`, wanted);
}

/** The same of a range in which few may match: all of it is read, by several processes where that is sooner. */
export function selectRareCandidates(
  db: Db,
  filter: PersonFilter,
  range: Range,
  wanted: Wanted,
  limit: number,
): Promise<Candidate[]> {
  // Not in the order of an index, in which only one process would read.
  return candidates(db, sql`${inRange(filter, range, wanted)} order by id + 0 desc limit ${limit}`, wanted);
}

/** Those of some persons who may match. */
export function selectCandidatesOf(db: Db, ids: readonly number[], wanted: Wanted): Promise<Candidate[]> {
  const some = sql`select id, ${propertyTexts(wanted.properties)} from ${persons}
    where id = any(${sql.param([...ids])}::bigint[]) ${narrowedBy(wanted.narrowing)}`;
  return candidates(db, some, wanted);
}

/** Persons by number, newest first. */
export async function selectPersonsById(db: Db, ids: number[]): Promise<PersonRow[]> {
  if (ids.length === 0) return [];
  return db.select().from(persons).where(inArray(persons.id, ids)).orderBy(desc(persons.id));
}
