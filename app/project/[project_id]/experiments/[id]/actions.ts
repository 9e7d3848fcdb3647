"use server";

import { actionResult, writeResult } from "#lib/app/session/action-result.ts";
import { experimentContract } from "#lib/experiments/experiments/contract.ts";
import { HIDE_PARAMETER } from "#lib/experiments/experiments/hiding.ts";
import { experimentResultContract } from "#lib/experiments/results/contract.ts";

const one = (project_id: string, id: number) => ({ project_id, id: String(id) });

/** Records a look by the signed-in person; a read-only key is enough. */
export async function look(project_id: string, id: number) {
  return actionResult(async (api) => {
    await api.call(experimentResultContract.results, {
      params: one(project_id, id),
      query: { look: "true" },
    });
    return null;
  });
}

/** Hides the metrics until the planned sample, or shows them. Parameters are replaced whole, so all are sent. */
export async function hide(project_id: string, id: number, hidden: boolean) {
  return writeResult(`/project/${project_id}/experiments/${id}`, async (api) => {
    const seen = await api.call(experimentContract.retrieve, { params: one(project_id, id) });
    const body = {
      parameters: { ...seen.parameters, [HIDE_PARAMETER]: hidden },
      version: seen.version,
      original_experiment: seen,
    };
    await api.call(experimentContract.partial_update, { params: one(project_id, id), body });
    return null;
  });
}

/** Recomputes the recorded days of a metric in the background; a second request finds it under way. */
export async function recompute(
  project_id: string,
  id: number,
  body: { metric: Record<string, unknown>; fingerprint: string },
) {
  return actionResult(async (api) => {
    await api.call(experimentResultContract.recalculate_timeseries, { params: one(project_id, id), body });
    return null;
  });
}
