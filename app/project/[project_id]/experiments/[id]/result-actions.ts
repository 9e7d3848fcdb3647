"use server";

import { revalidatePath } from "next/cache";
import { HIDE_PARAMETER } from "#components/experiments/hide-parameter.ts";
import { type ActionResult, actionResult } from "#lib/app/session/action-result.ts";
import { getApi } from "#lib/app/session/api.ts";
import { experimentContract } from "#lib/experiments/experiments/contract.ts";
import { experimentResultContract } from "#lib/experiments/results/contract.ts";

const one = (projectId: string, id: number) => ({ project_id: projectId, id: String(id) });

/** Records a look by the signed-in person; a read-only key is enough. */
export async function look(projectId: string, id: number): Promise<ActionResult<null>> {
  const api = await getApi();
  return actionResult(async () => {
    await api.call(experimentResultContract.results, {
      params: one(projectId, id),
      query: { look: "true" },
    });
    return null;
  });
}

/** Hides the metrics until the planned sample, or shows them. Parameters are replaced whole, so all are sent. */
export async function hide(projectId: string, id: number, hidden: boolean): Promise<ActionResult<null>> {
  const api = await getApi();
  const result = await actionResult(async () => {
    const seen = await api.call(experimentContract.retrieve, { params: one(projectId, id) });
    const body = {
      parameters: { ...seen.parameters, [HIDE_PARAMETER]: hidden },
      version: seen.version,
      original_experiment: seen,
    };
    await api.call(experimentContract.partial_update, { params: one(projectId, id), body });
    return null;
  });
  if (result.ok) revalidatePath(`/project/${projectId}/experiments/${id}`);
  return result;
}

/** Recomputes the recorded days of a metric; a second request finds it under way. */
export async function recompute(
  projectId: string,
  id: number,
  body: { metric: Record<string, unknown>; fingerprint: string },
): Promise<ActionResult<null>> {
  const api = await getApi();
  return actionResult(async () => {
    await api.call(experimentResultContract.recalculate_timeseries, { params: one(projectId, id), body });
    return null;
  });
}
