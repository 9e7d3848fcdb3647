import { z } from "zod";
import {
  savedMetricCreate,
  savedMetricRecord,
  savedMetricUpdate,
} from "#lib/experiments/experiments/schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope, pageQuery } from "#lib/platform/http/paging.ts";
import { integerId, projectParam } from "#lib/platform/http/params.ts";

const tag = "Experiments";
const root = "/api/projects/{project_id}/experiment_saved_metrics/" as const;
const project = z.object(projectParam);
const one = z.object({ ...projectParam, id: integerId("metric") });

/** Metrics that experiments share. */
export const savedMetricContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "experiment:read",
    summary: "List saved metrics",
    params: project,
    query: z.object({
      ...pageQuery,
      search: z.string().optional().meta({ description: "Part of the name, case-insensitive." }),
    }),
    status: 200,
    response: envelope(savedMetricRecord),
  }),
  create: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "experiment:write",
    summary: "Create a saved metric",
    params: project,
    body: savedMetricCreate,
    status: 201,
    response: savedMetricRecord,
  }),
  retrieve: endpoint({
    method: "GET",
    path: `${root}{id}/`,
    tag,
    scope: "experiment:read",
    summary: "Retrieve a saved metric",
    params: one,
    status: 200,
    response: savedMetricRecord,
  }),
  partial_update: endpoint({
    method: "PATCH",
    path: `${root}{id}/`,
    tag,
    scope: "experiment:write",
    summary: "Update, delete or restore a saved metric",
    description:
      "Its fingerprint changes in every experiment that uses it. A deleted metric can only be restored.",
    params: one,
    body: savedMetricUpdate,
    status: 200,
    response: savedMetricRecord,
  }),
  destroy: endpoint({
    method: "DELETE",
    path: `${root}{id}/`,
    tag,
    scope: "experiment:write",
    summary: "Delete a saved metric",
    description: "Soft-deletes it: experiments no longer use it until it is restored.",
    params: one,
    status: 204,
  }),
};
