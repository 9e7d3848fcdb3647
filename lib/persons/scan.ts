import { and, asc, eq, gt, inArray, min } from "drizzle-orm";
import type { Db } from "#lib/db/connect.ts";
import { groups, person_distinct_ids, persons } from "#lib/db/tables/events.ts";
import { cohort_people } from "#lib/db/tables/feature_flags.ts";

const CHUNK = 2_000;

/** A stored person as evaluation sees them; of several distinct ids the alphabetically first stands for them. */
export type ScannedPerson = {
  id: number;
  distinct_id: string;
  properties: Record<string, unknown>;
  static_cohorts: ReadonlySet<number>;
};

/**
 * Every person of a project, a chunk at a time and never all in memory.
 *
 * @param cohortIds static cohorts whose membership is wanted; none: not looked up
 */
export async function* scanPersons(
  db: Db,
  projectId: number,
  cohortIds: readonly number[] = [],
): AsyncGenerator<ScannedPerson[]> {
  for (let after = 0; ; ) {
    const rows = await db
      .select({ id: persons.id, properties: persons.properties })
      .from(persons)
      .where(and(eq(persons.project_id, projectId), gt(persons.id, after)))
      .orderBy(asc(persons.id))
      .limit(CHUNK);
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    const ids = rows.map((row) => row.id);
    const [names, memberships] = await Promise.all([
      db
        .select({ id: person_distinct_ids.person_id, distinct_id: min(person_distinct_ids.distinct_id) })
        .from(person_distinct_ids)
        .where(inArray(person_distinct_ids.person_id, ids))
        .groupBy(person_distinct_ids.person_id),
      cohortIds.length === 0
        ? []
        : db
            .select()
            .from(cohort_people)
            .where(
              and(inArray(cohort_people.person_id, ids), inArray(cohort_people.cohort_id, [...cohortIds])),
            ),
    ]);
    const nameOf = new Map(names.map((row) => [row.id, row.distinct_id ?? ""]));
    const cohortsOf = Map.groupBy(memberships, (row) => row.person_id);
    yield rows.map((row) => ({
      ...row,
      distinct_id: nameOf.get(row.id) ?? "",
      static_cohorts: new Set(cohortsOf.get(row.id)?.map((m) => m.cohort_id)),
    }));
  }
}

/** Every group of one type, a chunk at a time. */
export async function* scanGroups(db: Db, projectId: number, groupTypeIndex: number) {
  for (let after = ""; ; ) {
    const rows = await db
      .select({ key: groups.group_key, properties: groups.properties })
      .from(groups)
      .where(
        and(
          eq(groups.project_id, projectId),
          eq(groups.group_type_index, groupTypeIndex),
          gt(groups.group_key, after),
        ),
      )
      .orderBy(asc(groups.group_key))
      .limit(CHUNK);
    const last = rows.at(-1);
    if (!last) return;
    after = last.key;
    yield rows;
  }
}
