import { z } from "zod";
import {
  holdoutCreate,
  holdoutListed,
  holdoutRecord,
  holdoutUpdate,
} from "#lib/experiments/experiments/schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope, pageQuery } from "#lib/platform/http/paging.ts";
import { integerId, projectParam } from "#lib/platform/http/params.ts";

const tag = "Experiments";
const root = "/api/projects/{project_id}/experiment_holdouts/" as const;
const project = z.object(projectParam);
const one = z.object({ ...projectParam, id: integerId("holdout") });

/** Holdouts: people kept out of every experiment that uses the holdout. */
export const holdoutContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "experiment:read",
    summary: "List holdouts",
    params: project,
    query: z.object(pageQuery),
    status: 200,
    response: envelope(holdoutListed),
  }),
  create: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "experiment:write",
    summary: "Create a holdout",
    params: project,
    body: holdoutCreate,
    status: 201,
    response: holdoutRecord,
  }),
  retrieve: endpoint({
    method: "GET",
    path: `${root}{id}/`,
    tag,
    scope: "experiment:read",
    summary: "Retrieve a holdout",
    params: one,
    status: 200,
    response: holdoutRecord,
  }),
  partial_update: endpoint({
    method: "PATCH",
    path: `${root}{id}/`,
    tag,
    scope: "experiment:write",
    summary: "Update a holdout",
    description: "New filters are applied to the flags of the experiments that use it.",
    params: one,
    body: holdoutUpdate,
    status: 200,
    response: holdoutRecord,
  }),
  destroy: endpoint({
    method: "DELETE",
    path: `${root}{id}/`,
    tag,
    scope: "experiment:write",
    summary: "Delete a holdout",
    description:
      "Drafts and ended experiments that used it no longer hold anybody out. While a running experiment uses it, it cannot be deleted (409): its held-out people would get variants.",
    params: one,
    status: 204,
  }),
};
