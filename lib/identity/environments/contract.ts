import { z } from "zod";
import { organizationParam } from "#lib/identity/organizations/contract.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope, pageQuery } from "#lib/platform/http/paging.ts";
import { environmentGroup, environmentGroupCreate, environmentGroupUpdate } from "./schema.ts";

const tag = "Environments";
const root = "/api/organizations/{organization_id}/environments/" as const;
const organization = z.object(organizationParam);
const one = z.object({
  ...organizationParam,
  id: z.uuid().meta({ description: "UUID of the group." }),
});

/** Which projects are environments of one another. */
export const environmentContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "project:read",
    refuses: "project_keys",
    summary: "List the groups of environments of an organization",
    params: organization,
    query: z.object(pageQuery),
    status: 200,
    response: envelope(environmentGroup),
  }),
  create: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "project:write",
    administrators: true,
    refuses: "project_keys",
    summary: "Link projects as environments of one another",
    description: "A project is in one group at most.",
    params: organization,
    body: environmentGroupCreate,
    status: 201,
    response: environmentGroup,
  }),
  partial_update: endpoint({
    method: "PATCH",
    path: `${root}{id}/`,
    tag,
    scope: "project:write",
    administrators: true,
    refuses: "project_keys",
    summary: "Link, rename, reorder or unlink the environments of a group",
    params: one,
    body: environmentGroupUpdate,
    status: 200,
    response: environmentGroup,
  }),
  destroy: endpoint({
    method: "DELETE",
    path: `${root}{id}/`,
    tag,
    scope: "project:write",
    administrators: true,
    refuses: "project_keys",
    summary: "Unlink all environments of a group",
    description: "Their flags stay as they are.",
    params: one,
    status: 204,
  }),
};
