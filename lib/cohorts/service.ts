import { type UserBasic, userOf } from "#lib/accounts/schema.ts";
import type { Db } from "#lib/db/connect.ts";
import { publish } from "#lib/db/notify.ts";
import { instant, instantOrNull } from "#lib/http/instant.ts";
import { COHORTS_TOPIC } from "./cache.ts";
import type { CohortRecord } from "./schema.ts";
import {
  addMembers,
  type CohortRow,
  countMembers,
  insertCohort,
  selectLiveCohorts,
  selectStaticMemberships,
  updateCohort,
} from "./store.ts";

export type { CohortRow };
export { COHORTS_TOPIC };

/** Cohorts of a project that are not deleted, read now; a cohort cache holds them in memory. */
export const cohortsOf = (db: Db, projectId: number): Promise<CohortRow[]> =>
  selectLiveCohorts(db, projectId);

/** The live static cohorts that each of the persons (persons.id) is in; persons in none are absent. */
export async function staticCohortsOf(db: Db, personIds: number[]): Promise<Map<number, Set<number>>> {
  const found = new Map<number, Set<number>>();
  for (const { person_id, cohort_id } of await selectStaticMemberships(db, personIds)) {
    const of = found.get(person_id) ?? new Set();
    found.set(person_id, of.add(cohort_id));
  }
  return found;
}

const CHUNK = 5_000;

/** The public record of a stored cohort; `accounts` is what `directory.current()` gives. */
export function cohortRecordOf(row: CohortRow, accounts: Parameters<typeof userOf>[0]): CohortRecord {
  const created_by: UserBasic | null = userOf(accounts, row.created_by_id);
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    filters: row.filters,
    groups: [],
    deleted: row.deleted,
    is_calculating: row.is_calculating,
    created_by,
    created_at: instant(row.created_at),
    last_calculation: instantOrNull(row.last_calculation),
    errors_calculating: row.errors_calculating,
    count: row.count,
    is_static: row.is_static,
  };
}

/**
 * Makes a static cohort of given persons.
 *
 * @param tx a transaction; after its commit, `runtime.cohorts.changed(project_id)` makes this process see it
 * @param of.person_ids persons.id of the members, read once and in chunks; ids of nobody are passed over
 * @returns the stored cohort, its count being the members really in it
 */
export async function createStaticCohort(
  tx: Db,
  of: {
    project_id: number;
    name: string;
    description?: string;
    created_by_id: number | null;
    person_ids: Iterable<number> | AsyncIterable<number>;
  },
): Promise<CohortRow> {
  const { person_ids, ...values } = of;
  const row = await insertCohort(tx, {
    ...values,
    is_static: true,
    filters: {},
  });
  let chunk: number[] = [];
  for await (const id of person_ids) {
    chunk.push(id);
    if (chunk.length < CHUNK) continue;
    await addMembers(tx, row, chunk);
    chunk = [];
  }
  if (chunk.length > 0) await addMembers(tx, row, chunk);
  const counted = {
    count: await countMembers(tx, row.id),
    last_calculation: new Date(),
  };
  const stored = await updateCohort(tx, row.id, counted);
  await publish(tx, COHORTS_TOPIC, { project_id: of.project_id });
  return stored;
}
