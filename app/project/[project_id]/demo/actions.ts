"use server";

import { revalidatePath } from "next/cache";
import { type ActionResult, actionResult } from "#lib/dashboard/action_result.ts";
import { getApi } from "#lib/dashboard/api.ts";
import { demoContract } from "#lib/demo/contract.ts";
import type { DemoLoad } from "#lib/demo/schema.ts";

/** Begins to load the demo project, or goes on with a load that was interrupted. */
export async function loadDemo(): Promise<ActionResult<DemoLoad>> {
  const api = await getApi();
  const result = await actionResult(() => api.call(demoContract.load, { body: {} }));
  // It is there to be switched to from now on.
  if (result.ok) revalidatePath("/project/[project_id]", "layout");
  return result;
}
