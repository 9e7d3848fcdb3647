"use server";

import type { z } from "zod";
import { writeResult } from "#lib/app/session/action-result.ts";
import { approvalPolicyContract } from "#lib/approvals/approval_policies/contract.ts";
import type { policyCreate, policyUpdate } from "#lib/approvals/approval_policies/schema.ts";

/** The frame shows change requests once there is a policy. */
const PAGES = "/project/[project_id]";

export async function create(project_id: string, body: z.input<typeof policyCreate>) {
  return writeResult(PAGES, (api) =>
    api.call(approvalPolicyContract.create, { params: { project_id }, body }),
  );
}

export async function update(project_id: string, id: string, body: z.input<typeof policyUpdate>) {
  return writeResult(PAGES, (api) =>
    api.call(approvalPolicyContract.partial_update, { params: { project_id, id }, body }),
  );
}

export async function replace(project_id: string, id: string, body: z.input<typeof policyCreate>) {
  return writeResult(PAGES, (api) =>
    api.call(approvalPolicyContract.update, { params: { project_id, id }, body }),
  );
}

export async function remove(project_id: string, id: string) {
  return writeResult(PAGES, async (api) => {
    await api.call(approvalPolicyContract.destroy, { params: { project_id, id } });
    return null;
  });
}
