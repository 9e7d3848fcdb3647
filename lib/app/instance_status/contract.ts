import { endpoint } from "#lib/platform/http/contract.ts";
import { instanceStatus } from "./schema.ts";

export const instanceStatusContract = {
  retrieve: endpoint({
    method: "GET",
    path: "/api/instance_status/",
    tag: "Organizations",
    scope: "organization:read",
    summary: "Retrieve the status of the service and its database",
    description: "Version, size of the database and the latest backup.",
    administrators: true,
    refuses: "project_keys",
    status: 200,
    response: instanceStatus,
  }),
};
