"use server";

import { actionResult, writeResult } from "#lib/app/session/action-result.ts";
import { experimentContract } from "#lib/experiments/experiments/contract.ts";
import type { ExperimentChange, ExperimentCreation } from "#lib/experiments/experiments/schema.ts";
import { experimentResultContract } from "#lib/experiments/results/contract.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import type { FlagChange } from "#lib/flags/feature_flags/schema.ts";

const pages = (project_id: string) => `/project/${project_id}/experiments`;

const one = (project_id: string, id: number) => ({ project_id, id: String(id) });

export async function create(project_id: string, body: ExperimentCreation) {
  return writeResult(pages(project_id), (api) =>
    api.call(experimentContract.create, { params: { project_id }, body }),
  );
}

export async function update(project_id: string, id: number, body: ExperimentChange) {
  return writeResult(pages(project_id), (api) =>
    api.call(experimentContract.partial_update, { params: one(project_id, id), body }),
  );
}

export async function duplicate(
  project_id: string,
  id: number,
  body: { name?: string; feature_flag_key?: string },
) {
  return writeResult(pages(project_id), (api) =>
    api.call(experimentContract.duplicate, { params: one(project_id, id), body }),
  );
}

export async function makeCohort(project_id: string, id: number) {
  return writeResult(pages(project_id), async (api) => {
    const verb = experimentContract.create_exposure_cohort_for_experiment;
    const { cohort } = await api.call(verb, { params: one(project_id, id), body: {} });
    return { id: cohort.id, name: cohort.name };
  });
}

/** Records that the signed-in person was shown results in the list; a read-only key is enough. */
export async function lookAtList(project_id: string, ids: number[]) {
  return actionResult(async (api) => {
    const query = { ids: ids.join(","), look: "true" as const };
    await api.call(experimentResultContract.results_summaries, { params: { project_id }, query });
    return null;
  });
}

export async function updateFlag(project_id: string, id: number, body: FlagChange) {
  return writeResult(pages(project_id), (api) =>
    api.call(flagContract.partial_update, { params: one(project_id, id), body }),
  );
}
