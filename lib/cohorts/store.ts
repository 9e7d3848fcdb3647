import { and, count, eq, inArray, sql } from "drizzle-orm";
import type { Db } from "#lib/db/connect.ts";
import { cohort_people, cohorts } from "#lib/db/tables/feature_flags.ts";

export type CohortRow = typeof cohorts.$inferSelect;

export async function insertCohort(db: Db, values: typeof cohorts.$inferInsert): Promise<CohortRow> {
  const [row] = await db.insert(cohorts).values(values).returning();
  if (!row) throw new Error("The cohort was not written.");
  return row;
}

export async function updateCohort(
  db: Db,
  id: number,
  changes: Partial<typeof cohorts.$inferInsert>,
): Promise<CohortRow> {
  const [row] = await db.update(cohorts).set(changes).where(eq(cohorts.id, id)).returning();
  if (!row) throw new Error("The cohort is gone.");
  return row;
}

/** Adds persons of the project; strangers and those already in are passed over. */
export async function addMembers(db: Db, cohort: CohortRow, personIds: number[]): Promise<void> {
  await db.execute(sql`
    insert into cohort_people (cohort_id, person_id)
    select ${cohort.id}, persons.id from persons
    where persons.project_id = ${cohort.project_id} and persons.id = any(${sql.param(personIds)}::bigint[])
    on conflict do nothing`);
}

export async function countMembers(db: Db, cohortId: number): Promise<number> {
  const [row] = await db
    .select({ count: count() })
    .from(cohort_people)
    .where(eq(cohort_people.cohort_id, cohortId));
  return row?.count ?? 0;
}

/** Cohorts of a project that are not deleted. */
export async function selectLiveCohorts(db: Db, projectId: number): Promise<CohortRow[]> {
  return db
    .select()
    .from(cohorts)
    .where(and(eq(cohorts.project_id, projectId), eq(cohorts.deleted, false)))
    .orderBy(cohorts.id);
}

/** Live static cohorts that persons are in, as pairs. */
export async function selectStaticMemberships(db: Db, personIds: number[]) {
  if (personIds.length === 0) return [];
  return db
    .select({
      person_id: cohort_people.person_id,
      cohort_id: cohort_people.cohort_id,
    })
    .from(cohort_people)
    .innerJoin(cohorts, eq(cohorts.id, cohort_people.cohort_id))
    .where(and(inArray(cohort_people.person_id, personIds), eq(cohorts.deleted, false)));
}
