"use server";

import { revalidatePath } from "next/cache";
import { type ActionResult, actionResult } from "#lib/app/session/action-result.ts";
import { getApi } from "#lib/app/session/api.ts";
import { surveyResultsContract } from "#lib/surveys/results/contract.ts";
import type { ResponseRow } from "#lib/surveys/results/schema.ts";

async function put(
  verb: "archive" | "unarchive",
  project_id: string,
  id: string,
  response_id: string,
): Promise<ActionResult<ResponseRow>> {
  const api = await getApi();
  const result = await actionResult(() =>
    api.call(surveyResultsContract[verb], { params: { project_id, id, response_id } }),
  );
  if (result.ok) revalidatePath(`/project/${project_id}/surveys/${id}`, "layout");
  return result;
}

/** Archives a response: it is excluded from all figures until restored. */
export async function archiveResponse(projectId: string, surveyId: string, uuid: string) {
  return put("archive", projectId, surveyId, uuid);
}

export async function unarchiveResponse(projectId: string, surveyId: string, uuid: string) {
  return put("unarchive", projectId, surveyId, uuid);
}
