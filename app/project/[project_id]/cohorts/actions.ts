"use server";

import { revalidatePath } from "next/cache";
import type { z } from "zod";
import { type ActionResult, actionResult } from "#lib/app/session/action-result.ts";
import { getApi } from "#lib/app/session/api.ts";
import { cohortContract } from "#lib/people/cohorts/contract.ts";
import type { CohortRecord, cohortCreate, cohortUpdate, membersAdded } from "#lib/people/cohorts/schema.ts";

const refresh = (projectId: string) => revalidatePath(`/project/${projectId}/cohorts`, "layout");

/** Runs a write and revalidates the cohort pages. */
async function write<T>(
  projectId: string,
  run: (api: Awaited<ReturnType<typeof getApi>>) => Promise<T>,
): Promise<ActionResult<T>> {
  const api = await getApi();
  const result = await actionResult(() => run(api));
  if (result.ok) refresh(projectId);
  return result;
}

const one = (projectId: string, id: number) => ({ project_id: projectId, id: String(id) });

export async function createCohort(
  projectId: string,
  body: z.input<typeof cohortCreate>,
): Promise<ActionResult<CohortRecord>> {
  return write(projectId, (api) =>
    api.call(cohortContract.create, { params: { project_id: projectId }, body }),
  );
}

export async function updateCohort(
  projectId: string,
  id: number,
  body: z.input<typeof cohortUpdate>,
): Promise<ActionResult<CohortRecord>> {
  return write(projectId, (api) =>
    api.call(cohortContract.partial_update, { params: one(projectId, id), body }),
  );
}

export async function countCohort(projectId: string, id: number): Promise<ActionResult<CohortRecord>> {
  return write(projectId, (api) => api.call(cohortContract.calculate, { params: one(projectId, id) }));
}

export async function addMembers(
  projectId: string,
  id: number,
  distinct_ids: string[],
): Promise<ActionResult<z.output<typeof membersAdded>>> {
  return write(projectId, (api) =>
    api.call(cohortContract.add_persons_to_static_cohort, {
      params: one(projectId, id),
      body: { distinct_ids },
    }),
  );
}

/** The same by UUID, to undo a removal. */
export async function addMember(
  projectId: string,
  id: number,
  person_id: string,
): Promise<ActionResult<z.output<typeof membersAdded>>> {
  return write(projectId, (api) =>
    api.call(cohortContract.add_persons_to_static_cohort, {
      params: one(projectId, id),
      body: { person_ids: [person_id] },
    }),
  );
}

export async function removeMember(
  projectId: string,
  id: number,
  person_id: string,
): Promise<ActionResult<{ success: true }>> {
  return write(projectId, (api) =>
    api.call(cohortContract.remove_person_from_static_cohort, {
      params: one(projectId, id),
      body: { person_id },
    }),
  );
}
