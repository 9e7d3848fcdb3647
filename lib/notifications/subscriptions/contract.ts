import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { projectParam } from "#lib/platform/http/params.ts";
import {
  subscriptionCreate,
  subscriptionList,
  subscriptionParams,
  subscriptionQuery,
  subscriptionRecord,
} from "./schema.ts";

const tag = "Notifications";
const root = "/api/projects/{project_id}/notification_subscriptions/" as const;

export const notificationSubscriptionContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "user:read",
    summary: "List what you are notified of",
    description: "The caller's own subscriptions in the project, newest first.",
    params: z.object(projectParam),
    query: subscriptionQuery,
    status: 200,
    response: subscriptionList,
  }),
  create: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "user:write",
    summary: "Subscribe to a flag, an experiment or a survey",
    description: "By e-mail. What the caller does is left out. A subscription that exists is changed.",
    params: z.object(projectParam),
    body: subscriptionCreate,
    status: 201,
    response: subscriptionRecord,
  }),
  destroy: endpoint({
    method: "DELETE",
    path: `${root}{resource_type}/{resource_id}/`,
    tag,
    scope: "user:write",
    summary: "Unsubscribe",
    params: z.object({ ...projectParam, ...subscriptionParams }),
    status: 204,
  }),
};
