import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { projectParam } from "#lib/platform/http/params.ts";
import { inbox, inboxDismiss } from "./schema.ts";

const tag = "Inbox";
const root = "/api/projects/{project_id}/inbox/" as const;
const params = z.object(projectParam);

export const inboxContract = {
  retrieve: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "project:read",
    summary: "List what needs your attention",
    description:
      "Of what the key may read: requests to review, ramps, experiments, surveys, flags and schedules.",
    params,
    status: 200,
    response: inbox,
  }),
  dismiss: endpoint({
    method: "POST",
    path: `${root}dismiss/`,
    tag,
    scope: "user:write",
    summary: "Set an item aside",
    description: "For the caller alone, until the item changes.",
    params,
    body: inboxDismiss,
    status: 204,
  }),
  restore: endpoint({
    method: "POST",
    path: `${root}restore/`,
    tag,
    scope: "user:write",
    summary: "Restore everything that was set aside",
    params,
    status: 204,
  }),
};
