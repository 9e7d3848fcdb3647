"use server";

import { revalidatePath } from "next/cache";
import type { z } from "zod";
import { type ActionResult, actionResult } from "#lib/dashboard/action_result.ts";
import { getApi } from "#lib/dashboard/api.ts";
import { projectContract } from "#lib/projects/contract.ts";
import type { projectCreate } from "#lib/projects/schema.ts";

/** Makes a project, which every page's frame lists from then on; its number is answered. */
export async function createProject(body: z.input<typeof projectCreate>): Promise<ActionResult<number>> {
  const api = await getApi();
  const result = await actionResult(async () => (await api.call(projectContract.create, { body })).id);
  if (result.ok) revalidatePath("/project/[project_id]", "layout");
  return result;
}
