import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { propertiesFrom, valuesOf } from "#lib/platform/db/json-values.ts";
import { person_distinct_ids, persons } from "#lib/platform/db/tables/events.ts";
import { cohort_people } from "#lib/platform/db/tables/feature_flags.ts";

/** A person as far as membership of a cohort is concerned. */
export type CandidateRow = { id: number; distinct_id: string; properties: Record<string, unknown> };

/** The first distinct id of a person, from the index alone. */
const firstDistinctId = sql<string>`coalesce((select min(d.distinct_id) from ${person_distinct_ids} d
  where d.person_id = ${persons.id}), '')`;

/**
 * Persons after an id, in the order of their ids, with only the properties that are requested: a person can
 * carry hundreds.
 */
export async function selectCandidates(
  db: Db,
  projectId: number,
  after: number,
  limit: number,
  properties: readonly string[],
): Promise<CandidateRow[]> {
  // A probe a person, for the one property that is no stored one.
  const distinctId = properties.includes("distinct_id") ? firstDistinctId : sql<string>`''`;
  const rows = await db
    .select({
      id: persons.id,
      distinct_id: distinctId,
      values: valuesOf(sql`${persons.properties}`, properties),
    })
    .from(persons)
    .where(and(eq(persons.project_id, projectId), gt(persons.id, after)))
    .orderBy(asc(persons.id))
    .limit(limit);
  return rows.map(({ values, ...person }) => ({ ...person, properties: propertiesFrom(properties, values) }));
}

/** Ids of a static cohort's members after an id, in order. */
export async function selectMemberIds(
  db: Db,
  cohortId: number,
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .select({ id: cohort_people.person_id })
    .from(cohort_people)
    .where(and(eq(cohort_people.cohort_id, cohortId), gt(cohort_people.person_id, after)))
    .orderBy(asc(cohort_people.person_id))
    .limit(limit);
  return rows.map((row) => row.id);
}

/** Whole persons by id, with every id that they are known by. */
export async function selectPersonsWithIds(db: Db, ids: number[]) {
  if (ids.length === 0) return [];
  const [rows, names] = await Promise.all([
    db.select().from(persons).where(inArray(persons.id, ids)).orderBy(asc(persons.id)),
    db
      .select({ person_id: person_distinct_ids.person_id, distinct_id: person_distinct_ids.distinct_id })
      .from(person_distinct_ids)
      .where(inArray(person_distinct_ids.person_id, ids))
      .orderBy(asc(person_distinct_ids.distinct_id)),
  ]);
  const known = Map.groupBy(names, (row) => row.person_id);
  return rows.map((row) => ({ ...row, distinct_ids: (known.get(row.id) ?? []).map((d) => d.distinct_id) }));
}

/** persons.id by UUID; unknown UUIDs are absent. */
export async function selectIdsByUuid(
  db: Db,
  projectId: number,
  uuids: string[],
): Promise<Map<string, number>> {
  const rows = await db
    .select({ uuid: persons.uuid, id: persons.id })
    .from(persons)
    .where(and(eq(persons.project_id, projectId), sql`${persons.uuid} = any(${sql.param(uuids)}::uuid[])`));
  return new Map(rows.map((row) => [row.uuid, row.id]));
}

/** persons.id by distinct id; unknown distinct ids are absent. */
export async function selectIdsByDistinctId(
  db: Db,
  projectId: number,
  distinctIds: string[],
): Promise<Map<string, number>> {
  const rows = await db
    .select({ distinct_id: person_distinct_ids.distinct_id, id: person_distinct_ids.person_id })
    .from(person_distinct_ids)
    .where(
      and(
        eq(person_distinct_ids.project_id, projectId),
        sql`${person_distinct_ids.distinct_id} = any(${sql.param(distinctIds)}::text[])`,
      ),
    );
  return new Map(rows.map((row) => [row.distinct_id, row.id]));
}
