"use server";

import type { z } from "zod";
import { writeResult } from "#lib/app/session/action-result.ts";
import { cohortContract } from "#lib/people/cohorts/contract.ts";
import type { cohortCreate, cohortUpdate } from "#lib/people/cohorts/schema.ts";

const pages = (project_id: string) => `/project/${project_id}/cohorts`;

const one = (project_id: string, id: number) => ({ project_id, id: String(id) });

export async function create(project_id: string, body: z.input<typeof cohortCreate>) {
  return writeResult(pages(project_id), (api) =>
    api.call(cohortContract.create, { params: { project_id }, body }),
  );
}

export async function update(project_id: string, id: number, body: z.input<typeof cohortUpdate>) {
  return writeResult(pages(project_id), (api) =>
    api.call(cohortContract.partial_update, { params: one(project_id, id), body }),
  );
}

export async function count(project_id: string, id: number) {
  return writeResult(pages(project_id), (api) =>
    api.call(cohortContract.calculate, { params: one(project_id, id) }),
  );
}

export async function addMembers(project_id: string, id: number, distinct_ids: string[]) {
  return writeResult(pages(project_id), (api) =>
    api.call(cohortContract.add_persons_to_static_cohort, {
      params: one(project_id, id),
      body: { distinct_ids },
    }),
  );
}

/** The same by UUID, to undo a removal. */
export async function addMember(project_id: string, id: number, person_id: string) {
  return writeResult(pages(project_id), (api) =>
    api.call(cohortContract.add_persons_to_static_cohort, {
      params: one(project_id, id),
      body: { person_ids: [person_id] },
    }),
  );
}

export async function removeMember(project_id: string, id: number, person_id: string) {
  return writeResult(pages(project_id), (api) =>
    api.call(cohortContract.remove_person_from_static_cohort, {
      params: one(project_id, id),
      body: { person_id },
    }),
  );
}
