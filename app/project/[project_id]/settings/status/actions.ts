"use server";

import { instanceStatusContract } from "#lib/app/instance_status/contract.ts";
import { writeResult } from "#lib/app/session/action-result.ts";

const PAGE = "/project/[project_id]/settings/status";

/** Runs failed jobs of a kind again. */
export async function retryJobs(name: string) {
  return writeResult(PAGE, (api) => api.call(instanceStatusContract.retry_jobs, { body: { name } }));
}
