"use server";

import type { z } from "zod";
import { actionResult, writeResult } from "#lib/app/session/action-result.ts";
import { environmentContract } from "#lib/identity/environments/contract.ts";
import type { EnvironmentGroupCreate, EnvironmentGroupUpdate } from "#lib/identity/environments/schema.ts";
import { organizationContract } from "#lib/identity/organizations/contract.ts";
import type { memberCreate, memberUpdate } from "#lib/identity/organizations/schema.ts";
import { projectContract } from "#lib/identity/projects/contract.ts";
import type { EventRetention } from "#lib/identity/projects/event-retention-schema.ts";
import type { projectUpdate } from "#lib/identity/projects/schema.ts";
import { retentionContract } from "#lib/people/retention/contract.ts";

/** The frame shows names of projects too. */
const PAGES = "/project/[project_id]";

export async function update(project_id: string, body: z.input<typeof projectUpdate>) {
  return writeResult(PAGES, async (api) => {
    await api.call(projectContract.partial_update, { params: { project_id }, body });
    return null;
  });
}

/** What a retention would delete, and what keeps events beyond it. */
export async function previewRetention(project_id: string, event_retention: EventRetention | null) {
  return actionResult((api) =>
    api.call(retentionContract.preview_event_retention, {
      params: { project_id },
      body: { event_retention },
    }),
  );
}

export async function resetToken(project_id: string) {
  return writeResult(PAGES, async (api) => {
    await api.call(projectContract.reset_token, { params: { project_id } });
    return null;
  });
}

/** The secret key, null where the API does not show it; no page contains it until it is requested. */
export async function revealSecret(project_id: string) {
  return actionResult(async (api) => {
    const project = await api.call(projectContract.retrieve, { params: { project_id } });
    return project.secret_api_token ?? null;
  });
}

export async function rotateSecret(project_id: string) {
  return writeResult(PAGES, async (api) => {
    const project = await api.call(projectContract.rotate_secret_token, { params: { project_id } });
    return project.secret_api_token ?? null;
  });
}

export async function addMember(organization_id: string, body: z.input<typeof memberCreate>) {
  return writeResult(PAGES, (api) =>
    api.call(organizationContract.add_member, { params: { organization_id }, body }),
  );
}

export async function updateMember(
  organization_id: string,
  user_uuid: string,
  body: z.input<typeof memberUpdate>,
) {
  return writeResult(PAGES, (api) =>
    api.call(organizationContract.update_member, { params: { organization_id, user_uuid }, body }),
  );
}

export async function linkEnvironments(organization_id: string, body: EnvironmentGroupCreate) {
  return writeResult(PAGES, (api) =>
    api.call(environmentContract.create, { params: { organization_id }, body }),
  );
}

export async function updateEnvironments(organization_id: string, id: string, body: EnvironmentGroupUpdate) {
  return writeResult(PAGES, (api) =>
    api.call(environmentContract.partial_update, { params: { organization_id, id }, body }),
  );
}

export async function unlinkEnvironments(organization_id: string, id: string) {
  return writeResult(PAGES, async (api) => {
    await api.call(environmentContract.destroy, { params: { organization_id, id } });
    return null;
  });
}
