import { accessTo, permitted } from "#lib/app/session/permitted.ts";
import { experimentContract } from "#lib/experiments/experiments/contract.ts";
import { holdoutContract } from "#lib/experiments/experiments/holdouts/contract.ts";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import type { Client } from "#lib/platform/http/client.ts";

export const experimentAccess = () => accessTo("experiment:write", "make or change experiments");

/** One experiment; null where there is none with this id, or the key may not read it. */
export const experimentBy = async (
  api: Client,
  project_id: string,
  id: string,
): Promise<ExperimentRecord | null> =>
  /^\d{1,9}$/.test(id)
    ? permitted(api.call(experimentContract.retrieve, { params: { project_id, id } }))
    : null;

/** The project's holdouts; null where the key may not read them. */
export const holdoutsOf = async (api: Client, project_id: string) =>
  (await permitted(api.call(holdoutContract.list, { params: { project_id }, query: { limit: "200" } })))
    ?.results ?? null;
