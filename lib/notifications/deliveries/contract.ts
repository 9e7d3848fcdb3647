import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope } from "#lib/platform/http/paging.ts";
import { projectParam } from "#lib/platform/http/params.ts";
import { deliveryQuery, deliveryRecord } from "./schema.ts";

const tag = "Notifications";
const root = "/api/projects/{project_id}/notification_deliveries/" as const;
const one = z.object({ ...projectParam, id: z.string().meta({ description: "Number of the delivery." }) });

export const notificationDeliveryContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "project:read",
    administrators: true,
    summary: "List what was sent to destinations",
    description:
      "Newest first. Delivered messages are stored for 7 days; of failed ones, the latest 1,000 of each destination for 30 days.",
    params: z.object(projectParam),
    query: deliveryQuery,
    status: 200,
    response: envelope(deliveryRecord),
  }),
  retrieve: endpoint({
    method: "GET",
    path: `${root}{id}/`,
    tag,
    scope: "project:read",
    administrators: true,
    summary: "Retrieve a delivery",
    params: one,
    status: 200,
    response: deliveryRecord,
  }),
  replay: endpoint({
    method: "POST",
    path: `${root}{id}/replay/`,
    tag,
    scope: "project:write",
    administrators: true,
    summary: "Send a failed message again",
    description: "With the same Webhook-Id, so that receivers recognize one that they have already.",
    params: one,
    status: 200,
    response: deliveryRecord,
  }),
};
