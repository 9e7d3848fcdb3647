"use server";

import { writeResult } from "#lib/app/session/action-result.ts";
import { surveyResultsContract } from "#lib/surveys/results/contract.ts";

const put = async (verb: "archive" | "unarchive", project_id: string, id: string, response_id: string) =>
  writeResult(`/project/${project_id}/surveys/${id}`, (api) =>
    api.call(surveyResultsContract[verb], { params: { project_id, id, response_id } }),
  );

/** Archives a response: it is excluded from all figures until restored. */
export async function archive(project_id: string, id: string, response_id: string) {
  return put("archive", project_id, id, response_id);
}

export async function unarchive(project_id: string, id: string, response_id: string) {
  return put("unarchive", project_id, id, response_id);
}
