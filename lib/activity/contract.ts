import { z } from "zod";
import { endpoint } from "#lib/http/contract.ts";
import { projectParam } from "#lib/http/params.ts";
import { activityFilters, activityLogQuery, activityPage } from "./schema.ts";

const tag = "Activity log";
const root = "/api/projects/{project_id}/activity_log/" as const;
const params = z.object(projectParam);

export const activityContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "activity_log:read",
    summary: "What happened in a project",
    description: "Newest first, by page and limit. Changes of other people's keys are for administrators.",
    params,
    query: activityLogQuery,
    status: 200,
    response: activityPage,
  }),
  available_filters: endpoint({
    method: "GET",
    path: `${root}available_filters/`,
    tag,
    scope: "activity_log:read",
    summary: "What the log can be narrowed down to",
    params,
    status: 200,
    response: activityFilters,
  }),
};
