"use server";

import { revalidatePath } from "next/cache";
import { demoContract } from "#lib/app/demo/contract.ts";
import type { DemoLoad } from "#lib/app/demo/schema.ts";
import { type ActionResult, actionResult } from "#lib/app/session/action-result.ts";
import { getApi } from "#lib/app/session/api.ts";

/** Starts to load the demo project, or resumes an interrupted load. */
export async function loadDemo(): Promise<ActionResult<DemoLoad>> {
  const api = await getApi();
  const result = await actionResult(() => api.call(demoContract.load, { body: {} }));
  // From now on it is in the project switcher.
  if (result.ok) revalidatePath("/project/[project_id]", "layout");
  return result;
}
