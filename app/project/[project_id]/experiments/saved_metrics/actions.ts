"use server";

import { writeResult } from "#lib/app/session/action-result.ts";
import { savedMetricContract } from "#lib/experiments/experiments/metrics/saved-metric-contract.ts";
import type { SavedMetricInput } from "#lib/experiments/experiments/schema.ts";

const pages = (project_id: string) => `/project/${project_id}/experiments`;

const one = (project_id: string, id: number) => ({ project_id, id: String(id) });

/** Creates a saved metric, or changes the one with this id. */
export async function save(project_id: string, id: number | null, body: SavedMetricInput) {
  return writeResult(pages(project_id), (api) =>
    id === null
      ? api.call(savedMetricContract.create, { params: { project_id }, body })
      : api.call(savedMetricContract.partial_update, { params: one(project_id, id), body }),
  );
}

export async function setDeleted(project_id: string, id: number, deleted: boolean) {
  return writeResult(pages(project_id), (api) =>
    api.call(savedMetricContract.partial_update, { params: one(project_id, id), body: { deleted } }),
  );
}
