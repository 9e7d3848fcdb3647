import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope, pageQuery } from "#lib/platform/http/paging.ts";
import { projectParam } from "#lib/platform/http/params.ts";
import { projectCreate, projectDetail, projectRecord, projectUpdate } from "./schema.ts";

const tag = "Projects";
const root = "/api/projects/" as const;
const one = "/api/projects/{project_id}/" as const;
const project = z.object(projectParam);

export const projectContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: null,
    summary: "List the projects that the key can use",
    query: z.object(pageQuery),
    status: 200,
    response: envelope(projectRecord),
  }),
  create: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "project:write",
    summary: "Create a project with its own tokens",
    administrators: true,
    refuses: "project_keys",
    body: projectCreate,
    status: 201,
    response: projectDetail,
  }),
  retrieve: endpoint({
    method: "GET",
    path: one,
    tag,
    scope: "project:read",
    summary: "Retrieve a project",
    params: project,
    status: 200,
    response: projectDetail,
  }),
  partial_update: endpoint({
    method: "PATCH",
    path: one,
    tag,
    scope: "project:write",
    summary: "Update a project",
    description: "Its name, time zone, test accounts, and for how long its events are kept.",
    params: project,
    body: projectUpdate,
    status: 200,
    response: projectDetail,
  }),
  reset_token: endpoint({
    method: "POST",
    path: `${one}reset_token/`,
    tag,
    scope: "project:write",
    summary: "Replace the public project token",
    description: "The old token stops working immediately.",
    administrators: true,
    params: project,
    status: 200,
    response: projectDetail,
  }),
  rotate_secret_token: endpoint({
    method: "POST",
    path: `${one}rotate_secret_token/`,
    tag,
    scope: "project:write",
    summary: "Replace the secret key of the project",
    description: "The old key stops working immediately.",
    administrators: true,
    params: project,
    status: 200,
    response: projectDetail,
  }),
};
