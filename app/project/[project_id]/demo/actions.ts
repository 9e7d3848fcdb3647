"use server";

import { demoContract } from "#lib/app/demo/contract.ts";
import { writeResult } from "#lib/app/session/action-result.ts";

/** Starts to load the demo project, or resumes an interrupted load. From now on it is in the project switcher. */
export async function loadDemo() {
  return writeResult("/project/[project_id]", (api) => api.call(demoContract.load, { body: {} }));
}
