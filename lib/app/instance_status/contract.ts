import { endpoint } from "#lib/platform/http/contract.ts";
import { instanceStatus, jobRetried, jobRetry } from "./schema.ts";

export const instanceStatusContract = {
  retrieve: endpoint({
    method: "GET",
    path: "/api/instance_status/",
    tag: "Organizations",
    scope: "organization:read",
    summary: "Retrieve the status of the service and its database",
    description: "Version, size of the database, slow statements, background work and backups.",
    administrators: true,
    refuses: "project_keys",
    status: 200,
    response: instanceStatus,
  }),
  retry_jobs: endpoint({
    method: "POST",
    path: "/api/instance_status/retry_jobs/",
    tag: "Organizations",
    scope: "organization:write",
    summary: "Run failed jobs of a kind again",
    description: "At once, instead of at their next try; those that failed for good, too.",
    administrators: true,
    refuses: "project_keys",
    body: jobRetry,
    status: 200,
    response: jobRetried,
  }),
};
