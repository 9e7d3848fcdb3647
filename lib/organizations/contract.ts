import { z } from "zod";
import { endpoint } from "#lib/http/contract.ts";
import { envelope, pageQuery } from "#lib/http/paging.ts";
import { projectRecord } from "#lib/projects/schema.ts";
import { memberCreate, memberRecord, memberUpdate, organizationRecord } from "./schema.ts";

const tag = "Organizations";
const root = "/api/organizations/" as const;
const one = "/api/organizations/{organization_id}/" as const;
const organizationParam = {
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
    summary: "List the organizations that the key may use",
    query: z.object(pageQuery),
    status: 200,
    response: envelope(organizationRecord),
  }),
  retrieve: endpoint({
    method: "GET",
    path: one,
    tag,
    scope: "organization:read",
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
    summary: "Add a person to an organization",
    description: "For administrators; nobody grants a level above their own.",
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
    summary: "Change a member's level, or switch the person off or on",
    description: "For administrators, for members up to their own level, never for themselves.",
    params: member,
    body: memberUpdate,
    status: 200,
    response: memberRecord,
  }),
};
