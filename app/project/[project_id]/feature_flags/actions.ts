"use server";

import { revalidatePath } from "next/cache";
import type { z } from "zod";
import { type ActionResult, actionResult } from "#lib/app/session/action-result.ts";
import { getApi } from "#lib/app/session/api.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import type { FlagRecord, flagCreate, flagUpdate } from "#lib/flags/feature_flags/schema.ts";
import {
  type TestCase,
  type TestCaseCreate,
  testCasesContract,
} from "#lib/flags/feature_flags/who_changes/pinned-cases-contract.ts";

type Creation = z.input<typeof flagCreate>;
type Change = z.input<typeof flagUpdate>;

const refresh = (projectId: string) => revalidatePath(`/project/${projectId}/feature_flags`, "layout");

export async function createFlag(projectId: string, body: Creation): Promise<ActionResult<FlagRecord>> {
  const api = await getApi();
  const result = await actionResult(() =>
    api.call(flagContract.create, { params: { project_id: projectId }, body }),
  );
  if (result.ok) refresh(projectId);
  return result;
}

export async function updateFlag(
  projectId: string,
  id: number,
  body: Change,
): Promise<ActionResult<FlagRecord>> {
  const api = await getApi();
  const result = await actionResult(() =>
    api.call(flagContract.partial_update, { params: { project_id: projectId, id: String(id) }, body }),
  );
  if (result.ok) refresh(projectId);
  return result;
}

/** Several flags, one after another; each has its own outcome. */
export async function updateFlags(
  projectId: string,
  changes: { id: number; body: Change }[],
): Promise<{ id: number; problem: string | null }[]> {
  const api = await getApi();
  const outcomes: { id: number; problem: string | null }[] = [];
  for (const { id, body } of changes) {
    const result = await actionResult(() =>
      api.call(flagContract.partial_update, { params: { project_id: projectId, id: String(id) }, body }),
    );
    outcomes.push({ id, problem: result.ok ? null : result.error.detail });
  }
  refresh(projectId);
  return outcomes;
}

export async function addTestCase(
  projectId: string,
  id: number,
  body: TestCaseCreate,
): Promise<ActionResult<TestCase>> {
  const api = await getApi();
  const params = { project_id: projectId, id: String(id) };
  const result = await actionResult(() => api.call(testCasesContract.create_test_case, { params, body }));
  if (result.ok) refresh(projectId);
  return result;
}

export async function removeTestCase(
  projectId: string,
  id: number,
  testCaseId: number,
): Promise<ActionResult<null>> {
  const api = await getApi();
  const params = { project_id: projectId, id: String(id), test_case_id: String(testCaseId) };
  const result = await actionResult(async () => {
    await api.call(testCasesContract.destroy_test_case, { params });
    return null;
  });
  if (result.ok) refresh(projectId);
  return result;
}
