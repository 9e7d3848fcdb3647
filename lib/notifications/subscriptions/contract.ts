import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { projectParam } from "#lib/platform/http/params.ts";
import {
  digest,
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
  digest: endpoint({
    method: "GET",
    path: `${root}digest/`,
    tag,
    scope: "user:read",
    summary: "Preview your next digest",
    description: "What has come together for it so far. Nothing is sent.",
    params: z.object(projectParam),
    status: 200,
    response: digest,
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
