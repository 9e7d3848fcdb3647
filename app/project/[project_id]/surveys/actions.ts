"use server";

import { revalidatePath } from "next/cache";
import type { SurveyChange, SurveyCreation } from "#components/surveys/draft/survey-actions.ts";
import { type ActionResult, actionResult } from "#lib/app/session/action-result.ts";
import { getApi } from "#lib/app/session/api.ts";
import { surveyContract } from "#lib/surveys/surveys/contract.ts";
import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";

const refresh = (projectId: string) => revalidatePath(`/project/${projectId}/surveys`, "layout");

/** Runs a write and revalidates the survey pages. */
async function write<T>(
  projectId: string,
  run: (api: Awaited<ReturnType<typeof getApi>>) => Promise<T>,
): Promise<ActionResult<T>> {
  const api = await getApi();
  const result = await actionResult(() => run(api));
  if (result.ok) refresh(projectId);
  return result;
}

export async function createSurvey(
  projectId: string,
  body: SurveyCreation,
): Promise<ActionResult<SurveyWritten>> {
  return write(projectId, (api) =>
    api.call(surveyContract.create, { params: { project_id: projectId }, body }),
  );
}

export async function updateSurvey(
  projectId: string,
  id: string,
  body: SurveyChange,
): Promise<ActionResult<SurveyWritten>> {
  return write(projectId, (api) =>
    api.call(surveyContract.partial_update, { params: { project_id: projectId, id }, body }),
  );
}

export async function removeSurvey(projectId: string, id: string): Promise<ActionResult<null>> {
  return write(projectId, async (api) => {
    await api.call(surveyContract.destroy, { params: { project_id: projectId, id } });
    return null;
  });
}
