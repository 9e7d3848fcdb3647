import { and, eq, inArray, or } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { group_types, groups, person_distinct_ids, persons } from "#lib/platform/db/tables/events.ts";
import { cohort_people } from "#lib/platform/db/tables/feature_flags.ts";

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
