import { accessTo, permitted } from "#lib/app/session/permitted.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import { cohortContract } from "#lib/people/cohorts/contract.ts";
import type { CohortRecord } from "#lib/people/cohorts/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import type { Client } from "#lib/platform/http/client.ts";

export const cohortAccess = () => accessTo("cohort:write", "create, change or delete cohorts");

/** One cohort; null where there is none with this id, or the key may not read it. */
export const readCohort = async (
  api: Client,
  project_id: string,
  id: string,
): Promise<CohortRecord | null> =>
  /^\d{1,10}$/.test(id) ? permitted(api.call(cohortContract.retrieve, { params: { project_id, id } })) : null;

/** Names of all cohorts, for definitions that refer to others. */
export async function cohortNames(api: Client, project_id: string): Promise<Names> {
  const list = await permitted(
    api.call(cohortContract.list, { params: { project_id }, query: { limit: "1000" } }),
  );
  return { cohorts: new Map((list?.results ?? []).map((each) => [String(each.id), each.name])) };
}

const mentions = (node: unknown, id: number): boolean => {
  if (Array.isArray(node)) return node.some((each) => mentions(each, id));
  if (typeof node !== "object" || node === null) return false;
  const row = node as Record<string, unknown>;
  return (
    (row.type === "cohort" && String(row.value) === String(id)) ||
    Object.values(row).some((each) => mentions(each, id))
  );
};

/** Flags and other cohorts that use a cohort; null where the key may not read flags. */
export async function usersOf(api: Client, project_id: string, id: number) {
  const params = { project_id };
  const [flags, cohorts] = await Promise.all([
    permitted(api.call(flagContract.list, { params, query: { limit: "1000", cohort_id: String(id) } })),
    permitted(api.call(cohortContract.list, { params, query: { limit: "1000" } })),
  ]);
  return {
    // Another API than our own may not know the filter.
    flags:
      flags?.results
        .filter((flag) => mentions(flag.filters.groups, id))
        .map(({ id, key, active }) => ({ id, key, active })) ?? null,
    cohorts: (cohorts?.results ?? [])
      .filter((other) => other.id !== id && mentions(other.filters, id))
      .map((other) => ({ id: other.id, name: other.name })),
  };
}
