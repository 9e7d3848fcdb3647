"use server";

import { revalidatePath } from "next/cache";
import type { z } from "zod";
import { type ActionResult, actionResult } from "#lib/app/session/action-result.ts";
import { getApi } from "#lib/app/session/api.ts";
import { organizationContract } from "#lib/identity/organizations/contract.ts";
import type { MemberRecord, memberCreate, memberUpdate } from "#lib/identity/organizations/schema.ts";
import { projectContract } from "#lib/identity/projects/contract.ts";
import type { projectUpdate } from "#lib/identity/projects/schema.ts";

/** The frame shows names of projects too. */
const refresh = () => revalidatePath("/project/[project_id]", "layout");

async function write<T>(
  run: (api: Awaited<ReturnType<typeof getApi>>) => Promise<T>,
): Promise<ActionResult<T>> {
  const api = await getApi();
  const result = await actionResult(() => run(api));
  if (result.ok) refresh();
  return result;
}

export async function updateProject(
  project_id: string,
  body: z.input<typeof projectUpdate>,
): Promise<ActionResult<null>> {
  return write(async (api) => {
    await api.call(projectContract.partial_update, { params: { project_id }, body });
    return null;
  });
}

export async function resetToken(project_id: string): Promise<ActionResult<null>> {
  return write(async (api) => {
    await api.call(projectContract.reset_token, { params: { project_id } });
    return null;
  });
}

/** The secret key; no page contains it until it is requested. */
export async function revealSecret(project_id: string): Promise<ActionResult<string | null>> {
  const api = await getApi();
  return actionResult(async () => {
    const project = await api.call(projectContract.retrieve, { params: { project_id } });
    return project.secret_api_token ?? null;
  });
}

export async function rotateSecret(project_id: string): Promise<ActionResult<string | null>> {
  return write(async (api) => {
    const project = await api.call(projectContract.rotate_secret_token, { params: { project_id } });
    return project.secret_api_token ?? null;
  });
}

export async function addMember(
  organization_id: string,
  body: z.input<typeof memberCreate>,
): Promise<ActionResult<MemberRecord>> {
  return write((api) => api.call(organizationContract.add_member, { params: { organization_id }, body }));
}

export async function updateMember(
  organization_id: string,
  user_uuid: string,
  body: z.input<typeof memberUpdate>,
): Promise<ActionResult<MemberRecord>> {
  return write((api) =>
    api.call(organizationContract.update_member, { params: { organization_id, user_uuid }, body }),
  );
}
