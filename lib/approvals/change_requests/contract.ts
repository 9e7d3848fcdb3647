import { z } from "zod";
import {
  after_person,
  groupsOfCell,
  listed,
  peopleOfCell,
} from "#lib/flags/feature_flags/who_changes/who-changes-contract.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope } from "#lib/platform/http/paging.ts";
import { projectParam } from "#lib/platform/http/params.ts";
import { PROGRESS, WITH_PROGRESS } from "#lib/platform/http/progress-schema.ts";
import {
  changeRequestCreate,
  changeRequestQuery,
  changeRequestRecord,
  changeRequestUpdate,
  reasonedBody,
  requestCell,
  requestWhoChanges,
  reviewAnswer,
  reviewBody,
  scheduleBody,
} from "./schema.ts";

const tag = "Change requests";
const root = "/api/projects/{project_id}/change_requests/" as const;
const project = z.object(projectParam);
const one = z.object({ ...projectParam, id: z.uuid().meta({ description: "UUID of the change request." }) });

const OR_READ = ["experiment:read", "survey:read", "cohort:read"] as const;
const OR_WRITE = ["experiment:write", "survey:write", "cohort:write"] as const;

const write = {
  method: "POST",
  tag,
  scope: "feature_flag:write",
  or_scopes: OR_WRITE,
  params: one,
  status: 200,
} as const;

/** The public service's endpoints of change requests, and ours for proposing, revising, discussing and bypassing. */
export const changeRequestContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "feature_flag:read",
    summary: "List change requests",
    description: "Newest first.",
    params: project,
    query: changeRequestQuery,
    status: 200,
    response: envelope(changeRequestRecord),
  }),
  create: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "feature_flag:write",
    or_scopes: OR_WRITE,
    summary: "Propose a change",
    description:
      "Of one record or several. Each call is tried and rolled back: what it would be refused with is answered at once.",
    params: project,
    body: changeRequestCreate,
    status: 201,
    response: changeRequestRecord,
  }),
  retrieve: endpoint({
    method: "GET",
    path: `${root}{id}/`,
    tag,
    scope: "feature_flag:read",
    or_scopes: OR_READ,
    summary: "Retrieve a change request",
    params: one,
    status: 200,
    response: changeRequestRecord,
  }),
  partial_update: endpoint({
    method: "PATCH",
    path: `${root}{id}/`,
    tag,
    scope: "feature_flag:write",
    or_scopes: OR_WRITE,
    summary: "Revise a pending change request",
    description: "Only the person who made it may do this.",
    params: one,
    body: changeRequestUpdate,
    status: 200,
    response: changeRequestRecord,
  }),
  approve: endpoint({
    ...write,
    path: `${root}{id}/approve/`,
    summary: "Approve a change request",
    description: "The last approval that it needs applies it. If it would now do something else, it lapses.",
    body: reviewBody,
    response: reviewAnswer,
  }),
  reject: endpoint({
    ...write,
    path: `${root}{id}/reject/`,
    summary: "Reject a change request",
    body: reasonedBody,
    response: reviewAnswer,
  }),
  request_changes: endpoint({
    ...write,
    path: `${root}{id}/request_changes/`,
    summary: "Ask for changes to a change request",
    description: "It cannot be applied until it is revised.",
    body: reasonedBody,
    response: reviewAnswer,
  }),
  comment: endpoint({
    ...write,
    path: `${root}{id}/comment/`,
    summary: "Comment on a change request",
    body: reasonedBody,
    response: reviewAnswer,
  }),
  schedule: endpoint({
    ...write,
    path: `${root}{id}/schedule/`,
    summary: "Choose when a change request is applied",
    description:
      "Only the person who made it may do this. Once it has its approvals it waits until then and is checked again: if it would do something else by then, it lapses. Without a time it is applied by its last approval; one that was scheduled has to be applied by the person who made it.",
    body: scheduleBody,
    response: reviewAnswer,
  }),
  who_changes: endpoint({
    method: "POST",
    path: `${root}{id}/who_changes/`,
    tag,
    scope: "feature_flag:read",
    summary: "Count whose value a change request changes",
    from_replica: true,
    description: `Counted on every person (or group) that is stored now. ${PROGRESS}`,
    media: WITH_PROGRESS,
    params: one,
    body: z.object({}),
    status: 200,
    response: requestWhoChanges,
  }),
  who_changes_people: endpoint({
    method: "POST",
    path: `${root}{id}/who_changes/people/`,
    tag,
    scope: "person:read",
    summary: "List the people behind one count of a change request",
    from_replica: true,
    description: "Exactly those that who_changes counts in this cell, for flags evaluated per person.",
    params: one,
    query: listed,
    body: requestCell.extend({ after_person }),
    status: 200,
    response: peopleOfCell,
  }),
  who_changes_groups: endpoint({
    method: "POST",
    path: `${root}{id}/who_changes/groups/`,
    tag,
    scope: "person:read",
    summary: "List the groups behind one count of a change request",
    from_replica: true,
    description: "Exactly those that who_changes counts in this cell, for flags evaluated per group.",
    params: one,
    query: listed,
    body: requestCell,
    status: 200,
    response: groupsOfCell,
  }),
  cancel: endpoint({
    ...write,
    path: `${root}{id}/cancel/`,
    summary: "Cancel a pending change request",
    description: "Only the person who made it may do this.",
    body: reviewBody,
    response: reviewAnswer,
  }),
  apply: endpoint({
    ...write,
    path: `${root}{id}/apply/`,
    summary: "Apply a change request",
    description:
      "Only the person who made it may: one that no policy required, or one with all its approvals that was not applied at once.",
    body: z.unknown().meta({ description: "Ignored." }),
    response: reviewAnswer,
  }),
  bypass: endpoint({
    ...write,
    path: `${root}{id}/bypass/`,
    summary: "Apply a change request without its approvals",
    description: "For emergencies: administrators only, with a reason that stays on record.",
    administrators: true,
    body: reasonedBody,
    response: reviewAnswer,
  }),
};
