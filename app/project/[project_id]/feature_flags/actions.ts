"use server";

import { revalidatePath } from "next/cache";
import { actionResult, writeResult } from "#lib/app/session/action-result.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import type { FlagChange, FlagCreation } from "#lib/flags/feature_flags/schema.ts";
import {
  type TestCaseCreate,
  testCasesContract,
} from "#lib/flags/feature_flags/who_changes/pinned-cases-contract.ts";

const pages = (project_id: string) => `/project/${project_id}/feature_flags`;

const one = (project_id: string, id: number) => ({ project_id, id: String(id) });

export async function create(project_id: string, body: FlagCreation) {
  return writeResult(pages(project_id), (api) =>
    api.call(flagContract.create, { params: { project_id }, body }),
  );
}

export async function update(project_id: string, id: number, body: FlagChange) {
  return writeResult(pages(project_id), (api) =>
    api.call(flagContract.partial_update, { params: one(project_id, id), body }),
  );
}

/** Several flags, one after another; each has its own outcome. */
export async function updateMany(
  project_id: string,
  changes: { id: number; body: FlagChange }[],
): Promise<{ id: number; problem: string | null }[]> {
  const outcomes: { id: number; problem: string | null }[] = [];
  for (const { id, body } of changes) {
    const result = await actionResult((api) =>
      api.call(flagContract.partial_update, { params: one(project_id, id), body }),
    );
    outcomes.push({ id, problem: result.ok ? null : result.error.detail });
  }
  revalidatePath(pages(project_id), "layout");
  return outcomes;
}

export async function addTestCase(project_id: string, id: number, body: TestCaseCreate) {
  return writeResult(pages(project_id), (api) =>
    api.call(testCasesContract.create_test_case, { params: one(project_id, id), body }),
  );
}

export async function removeTestCase(project_id: string, id: number, testCaseId: number) {
  return writeResult(pages(project_id), async (api) => {
    const params = { ...one(project_id, id), test_case_id: String(testCaseId) };
    await api.call(testCasesContract.destroy_test_case, { params });
    return null;
  });
}
