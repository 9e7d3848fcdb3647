import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope } from "#lib/platform/http/paging.ts";
import { integerId, projectParam } from "#lib/platform/http/params.ts";
import {
  scheduledChangeCreate,
  scheduledChangeQuery,
  scheduledChangeRecord,
  scheduledChangeUpdate,
} from "./schema.ts";

const tag = "Scheduled changes";
const root = "/api/projects/{project_id}/scheduled_changes/" as const;
const project = z.object(projectParam);
const one = z.object({ ...projectParam, id: integerId("scheduled change") });

/** The public service's endpoints of scheduled changes, and one that runs a change at once. */
export const scheduledChangeContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "feature_flag:read",
    summary: "List scheduled changes of feature flags",
    description: "Newest first, finished ones included.",
    params: project,
    query: scheduledChangeQuery,
    status: 200,
    response: envelope(scheduledChangeRecord),
  }),
  create: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "feature_flag:write",
    summary: "Schedule a change of a feature flag",
    description: "What a save of the flag would refuse now is refused at once.",
    params: project,
    body: scheduledChangeCreate,
    status: 201,
    response: scheduledChangeRecord,
  }),
  retrieve: endpoint({
    method: "GET",
    path: `${root}{id}/`,
    tag,
    scope: "feature_flag:read",
    summary: "Retrieve a scheduled change",
    params: one,
    status: 200,
    response: scheduledChangeRecord,
  }),
  partial_update: endpoint({
    method: "PATCH",
    path: `${root}{id}/`,
    tag,
    scope: "feature_flag:write",
    summary: "Update a scheduled change that is not finished",
    description: "Absent fields stay unchanged.",
    params: one,
    body: scheduledChangeUpdate,
    status: 200,
    response: scheduledChangeRecord,
  }),
  destroy: endpoint({
    method: "DELETE",
    path: `${root}{id}/`,
    tag,
    scope: "feature_flag:write",
    summary: "Cancel a scheduled change",
    params: one,
    status: 204,
  }),
  run: endpoint({
    method: "POST",
    path: `${root}{id}/run/`,
    tag,
    scope: "feature_flag:write",
    summary: "Run a scheduled change now",
    description:
      "In the caller's name, and without its guard. A one-off is finished then, also where it had failed; a recurring one still runs at its next scheduled time.",
    params: one,
    body: z.unknown().meta({ description: "Ignored." }),
    status: 200,
    response: scheduledChangeRecord,
  }),
};
