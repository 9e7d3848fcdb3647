"use server";

import { writeResult } from "#lib/app/session/action-result.ts";
import { auditContract } from "#lib/audit/contract.ts";

/** Verifies the audit log in the background. */
export async function verifyLog(project_id: string) {
  return writeResult("/project/[project_id]/activity", (api) =>
    api.call(auditContract.verify, { params: { project_id } }),
  );
}
