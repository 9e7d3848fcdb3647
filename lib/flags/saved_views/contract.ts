import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope, pageQuery } from "#lib/platform/http/paging.ts";
import { integerId, projectParam } from "#lib/platform/http/params.ts";
import { savedView, savedViewCreate, savedViewUpdate } from "./schema.ts";

const tag = "Saved views";
const root = "/api/projects/{project_id}/saved_views/" as const;
const project = z.object(projectParam);
const one = z.object({ ...projectParam, id: integerId("saved view") });

/** Nobody finds anything in a longer menu. */
export const SAVED_VIEWS_MAX = 200;

/** Views of the list of flags, saved under a name. */
export const savedViewContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "feature_flag:read",
    summary: "List saved views of the list of flags",
    description: "By name.",
    params: project,
    query: z.object(pageQuery),
    status: 200,
    response: envelope(savedView),
  }),
  create: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "feature_flag:write",
    summary: "Save a view of the list of flags",
    description: `Everyone in the project has it. Up to ${SAVED_VIEWS_MAX} per project.`,
    params: project,
    body: savedViewCreate,
    status: 201,
    response: savedView,
  }),
  retrieve: endpoint({
    method: "GET",
    path: `${root}{id}/`,
    tag,
    scope: "feature_flag:read",
    summary: "Retrieve a saved view",
    params: one,
    status: 200,
    response: savedView,
  }),
  partial_update: endpoint({
    method: "PATCH",
    path: `${root}{id}/`,
    tag,
    scope: "feature_flag:write",
    summary: "Rename or overwrite a saved view",
    description: "Its owner stays the same.",
    params: one,
    body: savedViewUpdate,
    status: 200,
    response: savedView,
  }),
  destroy: endpoint({
    method: "DELETE",
    path: `${root}{id}/`,
    tag,
    scope: "feature_flag:write",
    summary: "Delete a saved view",
    params: one,
    status: 204,
  }),
};
