"use server";

import { writeResult } from "#lib/app/session/action-result.ts";
import { personDataContract } from "#lib/people/erasures/contract.ts";

export async function erase(project_id: string, id: string) {
  return writeResult(`/project/${project_id}/persons/erasures`, (api) =>
    api.call(personDataContract.destroy, { params: { project_id, id }, query: { delete_events: "true" } }),
  );
}
