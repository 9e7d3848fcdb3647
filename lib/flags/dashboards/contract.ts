import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope, pageQuery } from "#lib/platform/http/paging.ts";
import { integerId, projectParam } from "#lib/platform/http/params.ts";
import { dashboardBasic, dashboardRecord, dashboardUpdate } from "./schema.ts";

const tag = "Dashboards";
const root = "/api/projects/{project_id}/dashboards/" as const;
const project = z.object(projectParam);
const one = z.object({ ...projectParam, id: integerId("dashboard") });

export const dashboardContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "dashboard:read",
    summary: "List dashboards",
    description: "Newest first, without deleted ones.",
    params: project,
    query: z.object(pageQuery),
    status: 200,
    response: envelope(dashboardBasic),
  }),
  retrieve: endpoint({
    method: "GET",
    path: `${root}{id}/`,
    tag,
    scope: "dashboard:read",
    summary: "Retrieve a dashboard with its current figures",
    params: one,
    status: 200,
    response: dashboardRecord,
  }),
  partial_update: endpoint({
    method: "PATCH",
    path: `${root}{id}/`,
    tag,
    scope: "dashboard:write",
    summary: "Rename, describe, delete or restore a dashboard",
    params: one,
    body: dashboardUpdate,
    status: 200,
    response: dashboardRecord,
  }),
};
