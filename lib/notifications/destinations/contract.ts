import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope } from "#lib/platform/http/paging.ts";
import { projectParam } from "#lib/platform/http/params.ts";
import {
  destinationCreate,
  destinationQuery,
  destinationRecord,
  destinationUpdate,
  replayed,
  secretRotate,
  testResult,
} from "./schema.ts";

const tag = "Notifications";
const root = "/api/projects/{project_id}/notification_destinations/" as const;
const project = z.object(projectParam);
const one = z.object({ ...projectParam, id: z.uuid().meta({ description: "UUID of the destination." }) });

export const notificationDestinationContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "project:read",
    administrators: true,
    summary: "List the destinations of notifications",
    description: "Newest first.",
    params: project,
    query: destinationQuery,
    status: 200,
    response: envelope(destinationRecord),
  }),
  create: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "project:write",
    administrators: true,
    summary: "Create a destination of notifications",
    description: "The secret of a webhook is in the answer, and in no other one.",
    params: project,
    body: destinationCreate,
    status: 201,
    response: destinationRecord,
  }),
  retrieve: endpoint({
    method: "GET",
    path: `${root}{id}/`,
    tag,
    scope: "project:read",
    administrators: true,
    summary: "Retrieve a destination of notifications",
    params: one,
    status: 200,
    response: destinationRecord,
  }),
  partial_update: endpoint({
    method: "PATCH",
    path: `${root}{id}/`,
    tag,
    scope: "project:write",
    administrators: true,
    summary: "Update a destination of notifications",
    description:
      "Absent fields stay unchanged. Messages that are waiting for one that is turned off are marked as failed; they can be replayed later.",
    params: one,
    body: destinationUpdate,
    status: 200,
    response: destinationRecord,
  }),
  destroy: endpoint({
    method: "DELETE",
    path: `${root}{id}/`,
    tag,
    scope: "project:write",
    administrators: true,
    summary: "Delete a destination of notifications",
    description: "What was sent to it, or waits for it, is deleted too.",
    params: one,
    status: 204,
  }),
  test: endpoint({
    method: "POST",
    path: `${root}{id}/test/`,
    tag,
    scope: "project:write",
    administrators: true,
    summary: "Send a test notification",
    description:
      "Sends one of the type test at once, once, and answers with what became of it. It is in the list of deliveries too.",
    params: one,
    status: 200,
    response: testResult,
  }),
  rotate_secret: endpoint({
    method: "POST",
    path: `${root}{id}/rotate_secret/`,
    tag,
    scope: "project:write",
    administrators: true,
    summary: "Make a new secret for a webhook",
    description:
      "The new secret is in the answer, and in no other one. During the overlap, each message has a signature by either secret.",
    params: one,
    body: secretRotate,
    status: 200,
    response: destinationRecord,
  }),
  replay: endpoint({
    method: "POST",
    path: `${root}{id}/replay/`,
    tag,
    scope: "project:write",
    administrators: true,
    summary: "Send all failed messages again",
    params: one,
    status: 200,
    response: replayed,
  }),
};
