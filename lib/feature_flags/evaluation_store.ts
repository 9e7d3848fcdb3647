import { and, eq, inArray, or } from "drizzle-orm";
import type { Db } from "#lib/db/connect.ts";
import { group_types, groups, person_distinct_ids, persons } from "#lib/db/tables/events.ts";
import { cohort_people, feature_flag_hash_key_overrides } from "#lib/db/tables/feature_flags.ts";

type Properties = Record<string, unknown>;

/** The group types of a project by index. */
export async function selectGroupTypes(db: Db, projectId: number) {
  return db
    .select({ index: group_types.group_type_index, name: group_types.group_type })
    .from(group_types)
    .where(eq(group_types.project_id, projectId))
    .orderBy(group_types.group_type_index);
}

/** The persons behind distinct ids; ids of nobody are left out. */
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

/** Stored properties of groups, asked for by type index and key. */
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

/** The hash keys stored for persons. */
export async function selectHashKeys(db: Db, projectId: number, personIds: number[]) {
  return db
    .select({
      person_id: feature_flag_hash_key_overrides.person_id,
      flag_key: feature_flag_hash_key_overrides.feature_flag_key,
      hash_key: feature_flag_hash_key_overrides.hash_key,
    })
    .from(feature_flag_hash_key_overrides)
    .where(
      and(
        eq(feature_flag_hash_key_overrides.project_id, projectId),
        inArray(feature_flag_hash_key_overrides.person_id, personIds),
      ),
    );
}

/** Stores hash keys; one that is there already stays. */
export async function insertHashKeys(
  db: Db,
  rows: (typeof feature_flag_hash_key_overrides.$inferInsert)[],
): Promise<void> {
  if (rows.length > 0) await db.insert(feature_flag_hash_key_overrides).values(rows).onConflictDoNothing();
}

/** A person for ids that nobody had a moment ago; an id that another writer took meanwhile stays with theirs. */
export async function insertPerson(
  tx: Db,
  projectId: number,
  distinctIds: string[],
  now: Date,
): Promise<void> {
  const [made] = await tx
    .insert(persons)
    .values({ project_id: projectId, created_at: now })
    .returning({ id: persons.id });
  if (!made) throw new Error("The person was not written.");
  const taken = await tx
    .insert(person_distinct_ids)
    .values(distinctIds.map((distinct_id) => ({ project_id: projectId, distinct_id, person_id: made.id })))
    .onConflictDoNothing()
    .returning({ distinct_id: person_distinct_ids.distinct_id });
  if (taken.length === 0) await tx.delete(persons).where(eq(persons.id, made.id));
}
