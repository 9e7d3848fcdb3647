"use server";

import { revalidatePath } from "next/cache";
import type { z } from "zod";
import { type ActionResult, actionResult } from "#lib/app/session/action-result.ts";
import { getApi } from "#lib/app/session/api.ts";
import { projectContract } from "#lib/identity/projects/contract.ts";
import type { projectCreate } from "#lib/identity/projects/schema.ts";

/** Creates a project, which every page's frame then lists; returns its id. */
export async function createProject(body: z.input<typeof projectCreate>): Promise<ActionResult<number>> {
  const api = await getApi();
  const result = await actionResult(async () => (await api.call(projectContract.create, { body })).id);
  if (result.ok) revalidatePath("/project/[project_id]", "layout");
  return result;
}
