import { z } from "zod";
import { projectRecord } from "#lib/identity/projects/schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope, pageQuery } from "#lib/platform/http/paging.ts";
import { memberCreate, memberRecord, memberUpdate, organizationRecord } from "./schema.ts";

const tag = "Organizations";
const root = "/api/organizations/" as const;
const one = "/api/organizations/{organization_id}/" as const;
export const organizationParam = {
  organization_id: z
    .string()
    .meta({ description: "UUID of the organization, or @current for that of the current project." }),
};
const params = z.object(organizationParam);
const member = z.object({
  ...organizationParam,
  user_uuid: z.uuid().meta({ description: "UUID of the person." }),
});

export const organizationContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "organization:read",
    refuses: "project_keys",
    summary: "List the organizations that the key can use",
    query: z.object(pageQuery),
    status: 200,
    response: envelope(organizationRecord),
  }),
  retrieve: endpoint({
    method: "GET",
    path: one,
    tag,
    scope: "organization:read",
    refuses: "project_keys",
    summary: "Retrieve an organization",
    params,
    status: 200,
    response: organizationRecord,
  }),
  projects: endpoint({
    method: "GET",
    path: `${one}projects/`,
    tag,
    scope: "project:read",
    refuses: "project_keys",
    summary: "List the projects of an organization",
    params,
    query: z.object(pageQuery),
    status: 200,
    response: envelope(projectRecord),
  }),
  members: endpoint({
    method: "GET",
    path: `${one}members/`,
    tag,
    scope: "organization_member:read",
    refuses: "project_keys",
    summary: "List the members of an organization",
    params,
    query: z.object(pageQuery),
    status: 200,
    response: envelope(memberRecord),
  }),
  add_member: endpoint({
    method: "POST",
    path: `${one}members/`,
    tag,
    scope: "organization_member:write",
    refuses: "project_keys",
    summary: "Add a member to an organization",
    description: "No one can grant a level above their own.",
    administrators: true,
    params,
    body: memberCreate,
    status: 201,
    response: memberRecord,
  }),
  update_member: endpoint({
    method: "PATCH",
    path: `${one}members/{user_uuid}/`,
    tag,
    scope: "organization_member:write",
    refuses: "project_keys",
    summary: "Change a member's level, or deactivate or activate the member",
    description: "Of members up to the caller's own level, but not the caller.",
    administrators: true,
    params: member,
    body: memberUpdate,
    status: 200,
    response: memberRecord,
  }),
};
