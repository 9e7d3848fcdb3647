import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { projectParam } from "#lib/platform/http/params.ts";
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
    summary: "List the activity of a project",
    description:
      "Newest first, by page and limit. Changes to other people's keys are shown to administrators only.",
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
    summary: "List the values to filter the activity log by",
    params,
    status: 200,
    response: activityFilters,
  }),
};
