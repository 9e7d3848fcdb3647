import { and, count, desc, eq, inArray, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { descending } from "#lib/platform/db/descending.ts";
import { experiments } from "#lib/platform/db/tables/experiments.ts";
import { cohort_people, cohorts } from "#lib/platform/db/tables/feature_flags.ts";
import { type Readable, readStored } from "#lib/platform/http/stored-schema.ts";
import { storedCohort } from "./schema.ts";

export type CohortRow = typeof cohorts.$inferSelect & Readable;

const read = (row: CohortRow): CohortRow => readStored(storedCohort, row);

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
  return read(row);
}

/** Cohorts of a project that are not deleted. */
export async function selectLiveCohorts(db: Db, projectId: number): Promise<CohortRow[]> {
  const rows = await db
    .select()
    .from(cohorts)
    .where(and(eq(cohorts.project_id, projectId), eq(cohorts.deleted, false)))
    .orderBy(cohorts.id);
  return rows.map(read);
}

/** A page of live cohorts, newest first, whose names contain a text. */
export async function selectCohorts(
  db: Db,
  projectId: number,
  query: { search?: string | undefined; limit: number; offset: number },
) {
  const named = query.search
    ? sql`position(lower(${query.search}) in lower(${cohorts.name})) > 0`
    : undefined;
  const where = and(eq(cohorts.project_id, projectId), eq(cohorts.deleted, false), named);
  const [rows, [total]] = await Promise.all([
    db
      .select()
      .from(cohorts)
      .where(where)
      .orderBy(descending(cohorts.created_at), desc(cohorts.id))
      .limit(query.limit)
      .offset(query.offset),
    db.select({ count: count() }).from(cohorts).where(where),
  ]);
  return { rows: rows.map(read), count: total?.count ?? 0 };
}

export async function selectCohort(db: Db, projectId: number, id: number): Promise<CohortRow | null> {
  const [row] = await db
    .select()
    .from(cohorts)
    .where(and(eq(cohorts.project_id, projectId), eq(cohorts.id, id)));
  return row ? read(row) : null;
}

export async function lockCohort(db: Db, projectId: number, id: number): Promise<CohortRow | null> {
  const [row] = await db
    .select()
    .from(cohorts)
    .where(and(eq(cohorts.project_id, projectId), eq(cohorts.id, id)))
    .for("update");
  return row ? read(row) : null;
}

/** One change of references among a project's cohorts at a time: two could close a circle together. */
export async function lockReferences(db: Db, projectId: number): Promise<void> {
  await db.execute(sql`select pg_advisory_xact_lock(7294302, ${projectId})`);
}

/** Stores what was counted, unless the filters have changed since; then another counting is on its way. */
export async function storeCount(db: Db, row: CohortRow, counted: number, at: Date): Promise<void> {
  await db
    .update(cohorts)
    .set({ count: counted, last_calculation: at, is_calculating: false, errors_calculating: 0 })
    .where(and(eq(cohorts.id, row.id), sql`${cohorts.filters}::text = ${JSON.stringify(row.filters)}`));
}

export async function storeFailure(db: Db, id: number): Promise<void> {
  await db
    .update(cohorts)
    .set({ is_calculating: false, errors_calculating: sql`${cohorts.errors_calculating} + 1` })
    .where(eq(cohorts.id, id));
}

/**
 * Adds persons of the project; strangers and those already in are passed over.
 *
 * @returns how many were added
 */
export async function addMembers(db: Db, cohort: CohortRow, personIds: number[]): Promise<number> {
  const { rowCount } = await db.execute(sql`
    insert into cohort_people (cohort_id, person_id)
    select ${cohort.id}, persons.id from persons
    where persons.project_id = ${cohort.project_id} and persons.id = any(${sql.param(personIds)}::bigint[])
    on conflict do nothing`);
  return rowCount ?? 0;
}

export async function removeMember(db: Db, cohortId: number, personId: number): Promise<boolean> {
  const removed = await db
    .delete(cohort_people)
    .where(and(eq(cohort_people.cohort_id, cohortId), eq(cohort_people.person_id, personId)))
    .returning({ person_id: cohort_people.person_id });
  return removed.length > 0;
}

export async function countMembers(db: Db, cohortId: number): Promise<number> {
  const [row] = await db
    .select({ count: count() })
    .from(cohort_people)
    .where(eq(cohort_people.cohort_id, cohortId));
  return row?.count ?? 0;
}

/** Live static cohorts that persons are in, as pairs. */
export async function selectStaticMemberships(db: Db, personIds: number[]) {
  if (personIds.length === 0) return [];
  return db
    .select({ person_id: cohort_people.person_id, cohort_id: cohort_people.cohort_id })
    .from(cohort_people)
    .innerJoin(cohorts, eq(cohorts.id, cohort_people.cohort_id))
    .where(and(inArray(cohort_people.person_id, personIds), eq(cohorts.deleted, false)));
}

/** Ids of the live experiments whose exposed people each cohort holds; cohorts of none are absent. */
export async function selectExperimentSets(db: Db, cohortIds: number[]): Promise<Map<number, number[]>> {
  if (cohortIds.length === 0) return new Map();
  const rows = await db
    .select({ id: experiments.id, cohort_id: experiments.exposure_cohort_id })
    .from(experiments)
    .where(and(inArray(experiments.exposure_cohort_id, cohortIds), eq(experiments.deleted, false)))
    .orderBy(experiments.id);
  const sets = new Map<number, number[]>();
  for (const { id, cohort_id } of rows)
    if (cohort_id !== null) sets.set(cohort_id, [...(sets.get(cohort_id) ?? []), id]);
  return sets;
}
