"use server";

import type { z } from "zod";
import { writeResult } from "#lib/app/session/action-result.ts";
import { projectContract } from "#lib/identity/projects/contract.ts";
import type { projectCreate } from "#lib/identity/projects/schema.ts";

/** Creates a project, which every page's frame then lists; returns its id. */
export async function createProject(body: z.input<typeof projectCreate>) {
  return writeResult(
    "/project/[project_id]",
    async (api) => (await api.call(projectContract.create, { body })).id,
  );
}
