import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope } from "#lib/platform/http/paging.ts";
import { projectParam } from "#lib/platform/http/params.ts";
import { policyCreate, policyQuery, policyRecord, policyUpdate } from "./schema.ts";

const tag = "Approval policies";
const root = "/api/projects/{project_id}/approval_policies/" as const;
const project = z.object(projectParam);
const one = z.object({ ...projectParam, id: z.uuid().meta({ description: "UUID of the policy." }) });

/** The public service's endpoints of approval policies. */
export const approvalPolicyContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "project:read",
    summary: "List approval policies",
    description: "Newest first, those that are not in use included.",
    params: project,
    query: policyQuery,
    status: 200,
    response: envelope(policyRecord),
  }),
  create: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "project:write",
    administrators: true,
    summary: "Create an approval policy",
    description: "Of several policies that a change meets, each has to be satisfied.",
    params: project,
    body: policyCreate,
    status: 201,
    response: policyRecord,
  }),
  retrieve: endpoint({
    method: "GET",
    path: `${root}{id}/`,
    tag,
    scope: "project:read",
    summary: "Retrieve an approval policy",
    params: one,
    status: 200,
    response: policyRecord,
  }),
  partial_update: endpoint({
    method: "PATCH",
    path: `${root}{id}/`,
    tag,
    scope: "project:write",
    administrators: true,
    summary: "Update an approval policy",
    description:
      "Absent fields stay unchanged. Requests that wait for approval keep the policy they were made under.",
    params: one,
    body: policyUpdate,
    status: 200,
    response: policyRecord,
  }),
  update: endpoint({
    method: "PUT",
    path: `${root}{id}/`,
    tag,
    scope: "project:write",
    administrators: true,
    summary: "Replace an approval policy",
    description: "Absent fields get their defaults.",
    params: one,
    body: policyCreate,
    status: 200,
    response: policyRecord,
  }),
  destroy: endpoint({
    method: "DELETE",
    path: `${root}{id}/`,
    tag,
    scope: "project:write",
    administrators: true,
    summary: "Delete an approval policy",
    params: one,
    status: 204,
  }),
};
