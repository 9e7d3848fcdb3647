import { and, asc, count, eq, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { feature_flag_test_cases as cases, feature_flags } from "#lib/platform/db/tables/feature_flags.ts";

export type TestCaseRow = typeof cases.$inferSelect;

/** The test cases of a flag, the oldest first. */
export const selectTestCases = (db: Db, flagId: number): Promise<TestCaseRow[]> =>
  db.select().from(cases).where(eq(cases.flag_id, flagId)).orderBy(asc(cases.id));

/** Adds a case where there are fewer than `most`; null where there are not. */
export async function insertTestCase(
  tx: Db,
  row: typeof cases.$inferInsert,
  most: number,
): Promise<TestCaseRow | null> {
  // The flag's row keeps two additions from passing the limit together.
  await tx
    .select({ id: feature_flags.id })
    .from(feature_flags)
    .where(eq(feature_flags.id, row.flag_id))
    .for("update");
  const [found] = await tx.select({ count: count() }).from(cases).where(eq(cases.flag_id, row.flag_id));
  if ((found?.count ?? 0) >= most) return null;
  const [made] = await tx.insert(cases).values(row).returning();
  return made ?? null;
}

/** @returns the case that is gone now; undefined where there was none */
export async function deleteTestCase(tx: Db, flagId: number, id: number): Promise<TestCaseRow | undefined> {
  const [gone] = await tx
    .delete(cases)
    .where(and(eq(cases.flag_id, flagId), eq(cases.id, id)))
    .returning();
  return gone;
}

/** Deletes the cases of a project that name somebody. @returns how many those were */
export async function deleteTestCasesOf(
  tx: Db,
  projectId: number,
  distinctIds: readonly string[],
): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    delete from feature_flag_test_cases c using feature_flags f where f.id = c.flag_id and f.project_id = ${projectId}
      and c.distinct_id = any(${sql.param([...distinctIds])}::text[])`);
  return rowCount ?? 0;
}

/** The cases of a project that name somebody. */
export async function selectTestCasesOf(db: Db, projectId: number, distinctIds: readonly string[]) {
  const { rows } = await db.execute<{
    flag_key: string;
    name: string;
    distinct_id: string;
    person_properties: object;
  }>(sql`
    select f.key as flag_key, c.name, c.distinct_id, c.person_properties
    from feature_flag_test_cases c join feature_flags f on f.id = c.flag_id and f.project_id = ${projectId}
    where c.distinct_id = any(${sql.param([...distinctIds])}::text[]) order by c.id`);
  return rows;
}
