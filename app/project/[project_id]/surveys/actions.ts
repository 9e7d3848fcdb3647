"use server";

import { writeResult } from "#lib/app/session/action-result.ts";
import { surveyContract } from "#lib/surveys/surveys/contract.ts";
import type { SurveyChange, SurveyCreation } from "#lib/surveys/surveys/schema.ts";

const pages = (project_id: string) => `/project/${project_id}/surveys`;

export async function create(project_id: string, body: SurveyCreation) {
  return writeResult(pages(project_id), (api) =>
    api.call(surveyContract.create, { params: { project_id }, body }),
  );
}

export async function update(project_id: string, id: string, body: SurveyChange) {
  return writeResult(pages(project_id), (api) =>
    api.call(surveyContract.partial_update, { params: { project_id, id }, body }),
  );
}

export async function remove(project_id: string, id: string) {
  return writeResult(pages(project_id), async (api) => {
    await api.call(surveyContract.destroy, { params: { project_id, id } });
    return null;
  });
}
