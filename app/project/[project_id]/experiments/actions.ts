"use server";

import { revalidatePath } from "next/cache";
import type {
  ExperimentChange,
  ExperimentCreation,
  SavedMetricInput,
} from "#components/experiments/experiment-actions.ts";
import type { FlagChange } from "#components/feature_flags/flag-actions.ts";
import { type ActionResult, actionResult } from "#lib/app/session/action-result.ts";
import { getApi } from "#lib/app/session/api.ts";
import { experimentContract } from "#lib/experiments/experiments/contract.ts";
import { holdoutContract } from "#lib/experiments/experiments/holdout-contract.ts";
import { savedMetricContract } from "#lib/experiments/experiments/metrics/saved-metric-contract.ts";
import type {
  ExperimentRecord,
  HoldoutRecord,
  SavedMetricRecord,
} from "#lib/experiments/experiments/schema.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";

type Api = Awaited<ReturnType<typeof getApi>>;

/** Runs a write and revalidates the pages of experiments. */
async function write<T>(projectId: string, run: (api: Api) => Promise<T>): Promise<ActionResult<T>> {
  const api = await getApi();
  const result = await actionResult(() => run(api));
  if (result.ok) revalidatePath(`/project/${projectId}/experiments`, "layout");
  return result;
}

const params = (projectId: string, id: number) => ({ project_id: projectId, id: String(id) });

export async function createExperiment(
  projectId: string,
  body: ExperimentCreation,
): Promise<ActionResult<ExperimentRecord>> {
  return write(projectId, (api) =>
    api.call(experimentContract.create, { params: { project_id: projectId }, body }),
  );
}

export async function updateExperiment(
  projectId: string,
  id: number,
  body: ExperimentChange,
): Promise<ActionResult<ExperimentRecord>> {
  return write(projectId, (api) =>
    api.call(experimentContract.partial_update, { params: params(projectId, id), body }),
  );
}

export async function duplicateExperiment(
  projectId: string,
  id: number,
  body: { name?: string; feature_flag_key?: string },
): Promise<ActionResult<ExperimentRecord>> {
  return write(projectId, (api) =>
    api.call(experimentContract.duplicate, { params: params(projectId, id), body }),
  );
}

export async function makeExposureCohort(
  projectId: string,
  id: number,
): Promise<ActionResult<{ id: number; name: string }>> {
  return write(projectId, async (api) => {
    const verb = experimentContract.create_exposure_cohort_for_experiment;
    const { cohort } = await api.call(verb, { params: params(projectId, id), body: {} });
    return { id: cohort.id, name: cohort.name };
  });
}

export async function createHoldout(
  projectId: string,
  name: string,
  percent: number,
): Promise<ActionResult<HoldoutRecord>> {
  const body = { name, filters: [{ properties: [], rollout_percentage: percent }] };
  return write(projectId, (api) =>
    api.call(holdoutContract.create, { params: { project_id: projectId }, body }),
  );
}

/** Makes a saved metric, or changes the one of an id. */
export async function saveMetric(
  projectId: string,
  id: number | null,
  body: SavedMetricInput,
): Promise<ActionResult<SavedMetricRecord>> {
  return write(projectId, (api) =>
    id === null
      ? api.call(savedMetricContract.create, { params: { project_id: projectId }, body })
      : api.call(savedMetricContract.partial_update, { params: params(projectId, id), body }),
  );
}

export async function setMetricDeleted(
  projectId: string,
  id: number,
  deleted: boolean,
): Promise<ActionResult<SavedMetricRecord>> {
  return write(projectId, (api) =>
    api.call(savedMetricContract.partial_update, { params: params(projectId, id), body: { deleted } }),
  );
}

export async function updateFlagOfExperiment(
  projectId: string,
  id: number,
  body: FlagChange,
): Promise<ActionResult<FlagRecord>> {
  return write(projectId, (api) =>
    api.call(flagContract.partial_update, { params: params(projectId, id), body }),
  );
}
