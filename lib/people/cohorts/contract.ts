import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { errorSchema } from "#lib/platform/http/error-schema.ts";
import { envelope } from "#lib/platform/http/paging.ts";
import { integerId, projectParam } from "#lib/platform/http/params.ts";
import {
  cohortCreate,
  cohortListQuery,
  cohortRecord,
  cohortUpdate,
  memberRemove,
  membersAdd,
  membersAdded,
  membersPage,
  membersQuery,
} from "./schema.ts";

const tag = "Cohorts";
const root = "/api/projects/{project_id}/cohorts/" as const;
const project = z.object(projectParam);
const one = z.object({ ...projectParam, id: integerId("cohort") });

export const cohortContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "cohort:read",
    summary: "List cohorts",
    description: "Newest first, without deleted ones.",
    params: project,
    query: cohortListQuery,
    status: 200,
    response: envelope(cohortRecord),
  }),
  create: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "cohort:write",
    summary: "Create a cohort",
    description: "From persons that match filters, or, with is_static, from a list of ids.",
    params: project,
    body: cohortCreate,
    status: 201,
    response: cohortRecord,
  }),
  retrieve: endpoint({
    method: "GET",
    path: `${root}{id}/`,
    tag,
    scope: "cohort:read",
    summary: "Retrieve a cohort",
    params: one,
    status: 200,
    response: cohortRecord,
  }),
  partial_update: endpoint({
    method: "PATCH",
    path: `${root}{id}/`,
    tag,
    scope: "cohort:write",
    summary: "Change, delete or restore a cohort",
    description: "A cohort that a flag or another cohort uses cannot be deleted.",
    params: one,
    body: cohortUpdate,
    status: 200,
    response: cohortRecord,
  }),
  destroy: endpoint({
    method: "DELETE",
    path: `${root}{id}/`,
    tag,
    scope: "cohort:write",
    summary: "Not allowed: set deleted to true with PATCH instead",
    params: z.object({ ...projectParam, id: z.string().meta({ description: "Any id." }) }),
    status: 405,
    also: { 405: { description: "Never allowed.", body: errorSchema } },
  }),
  persons: endpoint({
    method: "GET",
    path: `${root}{id}/persons/`,
    tag,
    scope: "cohort:read",
    summary: "List the members of a cohort",
    params: one,
    query: membersQuery,
    status: 200,
    response: membersPage,
  }),
  calculate: endpoint({
    method: "POST",
    path: `${root}{id}/calculate/`,
    tag,
    scope: "cohort:write",
    summary: "Recount the members",
    description: "Responds when counting is done, or with is_calculating true when it takes longer.",
    params: one,
    status: 200,
    response: cohortRecord,
  }),
  add_persons_to_static_cohort: endpoint({
    method: "POST",
    path: `${root}{id}/add_persons_to_static_cohort/`,
    tag,
    scope: "cohort:write",
    summary: "Add persons to a static cohort",
    params: one,
    body: membersAdd,
    status: 200,
    response: membersAdded,
  }),
  remove_person_from_static_cohort: endpoint({
    method: "POST",
    path: `${root}{id}/remove_person_from_static_cohort/`,
    tag,
    scope: "cohort:write",
    summary: "Remove a person from a static cohort",
    params: one,
    body: memberRemove,
    status: 200,
    response: membersAdded.pick({ success: true }),
  }),
};
