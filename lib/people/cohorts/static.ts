import type { Db } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { COHORTS_TOPIC } from "./cache.ts";
import { selectIdsByDistinctId, selectIdsByUuid } from "./people-store.ts";
import { addMembers, type CohortRow, countMembers, insertCohort, updateCohort } from "./store.ts";

const CHUNK = 5_000;

/**
 * Creates a static cohort of given persons.
 *
 * @param tx a transaction; after its commit, `runtime.cohorts.changed(project_id)` makes this process see it
 * @param of.person_ids persons.id of the members, read once and in chunks; unknown ids are skipped
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
  const row = await insertCohort(tx, { ...values, is_static: true, filters: {} });
  const { stored } = await extend(tx, row, person_ids);
  await publish(tx, COHORTS_TOPIC, { project_id: of.project_id });
  return stored;
}

/** Adds persons (persons.id) to a static cohort and counts its members. */
export async function extend(
  tx: Db,
  row: CohortRow,
  personIds: Iterable<number> | AsyncIterable<number>,
): Promise<{ stored: CohortRow; added: number }> {
  let added = 0;
  let chunk: number[] = [];
  for await (const id of personIds) {
    chunk.push(id);
    if (chunk.length < CHUNK) continue;
    added += await addMembers(tx, row, chunk);
    chunk = [];
  }
  if (chunk.length > 0) added += await addMembers(tx, row, chunk);
  return { stored: await recount(tx, row), added };
}

/** Stamps a static cohort with the number of its members. */
export async function recount(tx: Db, row: CohortRow): Promise<CohortRow> {
  return updateCohort(tx, row.id, { count: await countMembers(tx, row.id), last_calculation: new Date() });
}

/**
 * The persons (persons.id) that a call names.
 *
 * @throws ApiError 400 for an unknown UUID; unknown distinct ids are only counted
 */
export async function findNamedPersons(
  db: Db,
  projectId: number,
  named: { person_ids?: string[] | undefined; distinct_ids?: string[] | undefined },
): Promise<{ ids: Set<number>; not_found: number }> {
  const uuids = [...new Set(named.person_ids ?? [])];
  const distinctIds = [...new Set(named.distinct_ids ?? [])];
  const [byUuid, byDistinctId] = await Promise.all([
    selectIdsByUuid(db, projectId, uuids),
    selectIdsByDistinctId(db, projectId, distinctIds),
  ]);
  const unknown = uuids.find((uuid) => !byUuid.has(uuid));
  if (unknown) throw invalid(`Person ${unknown} does not exist.`, "person_ids", "does_not_exist");
  return {
    ids: new Set([...byUuid.values(), ...byDistinctId.values()]),
    not_found: distinctIds.length - byDistinctId.size,
  };
}
