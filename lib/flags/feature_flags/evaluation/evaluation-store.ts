import { and, eq, inArray, or, sql } from "drizzle-orm";
import type { FindPerson, KnownPerson } from "#lib/people/persons/cache.ts";
import { keyOf, type PersonKey } from "#lib/people/persons/ingest-store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { group_types, groups, person_distinct_ids, persons } from "#lib/platform/db/tables/events.ts";
import { cohort_people } from "#lib/platform/db/tables/feature_flags.ts";
import { type Caller, createFairQueue } from "#lib/platform/fair-queue.ts";

type Properties = Record<string, unknown>;

/** The group types of a project by index. */
export async function selectGroupTypes(db: Db, projectId: number) {
  return db
    .select({ index: group_types.group_type_index, name: group_types.group_type })
    .from(group_types)
    .where(eq(group_types.project_id, projectId))
    .orderBy(group_types.group_type_index);
}

/** The persons behind distinct ids; unknown ids are omitted. */
export async function selectPersons(db: Db, projectId: number, distinctIds: string[]) {
  return db
    .select({
      distinct_id: person_distinct_ids.distinct_id,
      id: persons.id,
      properties: persons.properties,
    })
    .from(person_distinct_ids)
    .innerJoin(persons, eq(persons.id, person_distinct_ids.person_id))
    .where(
      and(
        eq(person_distinct_ids.project_id, projectId),
        inArray(person_distinct_ids.distinct_id, distinctIds),
      ),
    );
}

/** Few: they are evaluated in one go, and others wait meanwhile. */
const PERSONS_AT_ONCE = 10;
/** Of all projects; one of each. The busier the database is, the longer each read takes, and the more people the next one finds. */
const READS_AT_ONCE = 4;

type Wanted = PersonKey & { found: (person: KnownPerson | null) => void; failed: (error: unknown) => void };

/**
 * Finds people one by one; those asked for while others of their project are being read are read by one statement.
 * Projects take turns, so that none waits for all the people of another.
 */
export function createFindPerson(db: Db): FindPerson {
  const waiting = createFairQueue<Wanted>();
  /** Projects that a read is under way for. */
  const reading = new Set<Caller>();
  let running = 0;
  // The selects hide how many there are, so that the database keeps one plan: making it takes longer than reading.
  const wanted = sql`unnest((select ${sql.placeholder("project_ids")}::int[]), (select ${sql.placeholder("distinct_ids")}::text[])) as wanted(project_id, distinct_id)`;
  // The limit makes the database look up one id at a time; without it, it reads a whole table of a few thousand people.
  const found = db
    .select({ id: persons.id, properties: persons.properties })
    .from(person_distinct_ids)
    .innerJoin(persons, eq(persons.id, person_distinct_ids.person_id))
    .where(
      and(
        eq(person_distinct_ids.project_id, sql`wanted.project_id`),
        eq(person_distinct_ids.distinct_id, sql`wanted.distinct_id`),
      ),
    )
    .limit(1)
    .as("found");
  const statement = db
    .select({
      project_id: sql<number>`wanted.project_id`,
      distinct_id: sql<string>`wanted.distinct_id`,
      id: found.id,
      properties: found.properties,
    })
    .from(wanted)
    .crossJoinLateral(found)
    .prepare("find_persons");

  const read = async (keys: Wanted[]): Promise<void> => {
    const different = [...new Map(keys.map((key) => [keyOf(key), key])).values()];
    try {
      const rows = await statement.execute({
        project_ids: different.map((key) => key.project_id),
        distinct_ids: different.map((key) => key.distinct_id),
      });
      const people = new Map(rows.map(({ id, properties, ...key }) => [keyOf(key), { id, properties }]));
      for (const key of keys) key.found(people.get(keyOf(key)) ?? null);
    } catch (error) {
      for (const key of keys) key.failed(error);
    }
  };
  const isFree = (project: Caller) => !reading.has(project);
  const startReads = () => {
    while (running < READS_AT_ONCE) {
      const keys: Wanted[] = [];
      for (let next = waiting.take(isFree); next; next = waiting.take(isFree))
        if (keys.push(next) === PERSONS_AT_ONCE) break;
      if (keys.length === 0) return;
      const projects = new Set(keys.map(({ project_id }) => project_id));
      for (const project of projects) reading.add(project);
      running += 1;
      void read(keys).finally(() => {
        running -= 1;
        for (const project of projects) reading.delete(project);
        startReads();
      });
    }
  };
  return (project_id, distinct_id) =>
    new Promise((found, failed) => {
      waiting.push(project_id, { project_id, distinct_id, found, failed });
      // Those that are asked for in the same turn of the event loop are read together.
      setImmediate(startReads);
    });
}

/** Which of the cohorts the person is a named member of. */
export async function selectMemberships(db: Db, personId: number, cohortIds: number[]): Promise<Set<number>> {
  const rows = await db
    .select({ id: cohort_people.cohort_id })
    .from(cohort_people)
    .where(and(eq(cohort_people.person_id, personId), inArray(cohort_people.cohort_id, cohortIds)));
  return new Set(rows.map((row) => row.id));
}

/** Stored properties of groups, by type index and key. */
export async function selectGroups(
  db: Db,
  projectId: number,
  wanted: { index: number; key: string }[],
): Promise<{ index: number; properties: Properties }[]> {
  return db
    .select({ index: groups.group_type_index, properties: groups.properties })
    .from(groups)
    .where(
      and(
        eq(groups.project_id, projectId),
        or(
          ...wanted.map(({ index, key }) =>
            and(eq(groups.group_type_index, index), eq(groups.group_key, key)),
          ),
        ),
      ),
    );
}
