import { permitted } from "#lib/app/session/permitted.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import { cohortContract } from "#lib/people/cohorts/contract.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import type { Client } from "#lib/platform/http/client.ts";
import type { referencesIn } from "./differences.ts";

/** Names of the cohorts and flags that changes refer to. */
export async function namesIn(
  api: Client,
  project_id: string,
  references: ReturnType<typeof referencesIn>,
): Promise<Names> {
  const params = { project_id };
  const [keys, cohorts] = await Promise.all([
    references.flags.length > 0
      ? permitted(api.call(flagContract.bulk_keys, { params, body: { ids: references.flags } }))
      : null,
    references.cohorts
      ? permitted(api.call(cohortContract.list, { params, query: { limit: "1000" } }))
      : null,
  ]);
  return {
    flags: new Map(Object.entries(keys?.keys ?? {})),
    cohorts: new Map((cohorts?.results ?? []).map((cohort) => [String(cohort.id), cohort.name])),
  };
}
