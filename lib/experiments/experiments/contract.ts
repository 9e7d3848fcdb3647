import { z } from "zod";
import { activityPage, activityQuery } from "#lib/activity/schema.ts";
import { cohortRecord } from "#lib/people/cohorts/schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope } from "#lib/platform/http/paging.ts";
import { integerId, projectParam } from "#lib/platform/http/params.ts";
import {
  eventProperties,
  experimentCreate,
  experimentDuplicate,
  experimentListQuery,
  experimentRecord,
  experimentReplace,
  experimentUpdate,
} from "./schema.ts";

const tag = "Experiments";
const root = "/api/projects/{project_id}/experiments/" as const;
const project = z.object(projectParam);
const one = z.object({ ...projectParam, id: integerId("experiment") });
const ignored = z.unknown().meta({ description: "Ignored." });

/** The endpoints of experiments, except for results. */
export const experimentContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "experiment:read",
    summary: "List experiments",
    description: "Newest first. Deleted experiments are left out, and archived ones unless requested.",
    params: project,
    query: experimentListQuery,
    status: 200,
    response: envelope(experimentRecord),
  }),
  create: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "experiment:write",
    summary: "Create an experiment",
    description:
      "Uses the flag named by feature_flag_key, which must have variants, control first; the flag is not changed. " +
      "If it does not exist, it is created from parameters.feature_flag_variants. A start_date launches at once.",
    params: project,
    body: experimentCreate,
    status: 201,
    response: experimentRecord,
  }),
  all_activity: endpoint({
    method: "GET",
    path: `${root}activity/`,
    tag,
    scope: "activity_log:read",
    summary: "Activity of all experiments",
    description: "Newest first; deleted experiments included.",
    params: project,
    query: activityQuery,
    status: 200,
    response: activityPage,
  }),
  requires_flag_implementation: endpoint({
    method: "GET",
    path: `${root}requires_flag_implementation/`,
    tag,
    scope: "experiment:read",
    summary: "Check whether events lack flag values",
    description: "Samples the newest events of each name from the last seven days.",
    params: project,
    query: z.object({
      events: z
        .string()
        .optional()
        .meta({ description: "JSON list of {id}, each an event name; null for every event." }),
      actions: z.string().optional().meta({ description: "Accepted and ignored: there are no actions." }),
      limit: z.string().optional().meta({ description: "Accepted and ignored." }),
    }),
    status: 200,
    response: z.object({
      result: z.boolean().meta({ description: "true if none of the sampled events carries a flag value." }),
    }),
  }),
  event_properties: endpoint({
    method: "GET",
    path: `${root}event_properties/`,
    tag,
    scope: "experiment:read",
    summary: "List properties of events",
    description: "Properties of the newest events of a name, with counts and frequent values.",
    params: project,
    query: z.object({
      event: z.string().optional().meta({ description: "Name of the event; every event by default." }),
    }),
    status: 200,
    response: eventProperties,
  }),
  retrieve: endpoint({
    method: "GET",
    path: `${root}{id}/`,
    tag,
    scope: "experiment:read",
    summary: "Retrieve an experiment",
    params: one,
    status: 200,
    response: experimentRecord,
  }),
  partial_update: endpoint({
    method: "PATCH",
    path: `${root}{id}/`,
    tag,
    scope: "experiment:write",
    summary: "Update, launch, stop, archive, delete or restore an experiment",
    description:
      "A start_date launches a draft and turns its flag on; an end_date stops it and leaves the flag unchanged. " +
      "The variants of a draft's flag follow parameters.feature_flag_variants; those of a launched one are fixed. " +
      "With version and original_experiment, a change that somebody else made meanwhile to a field of this request " +
      "is refused with 409; extra.fields names the fields.",
    params: one,
    body: experimentUpdate,
    status: 200,
    response: experimentRecord,
  }),
  update: endpoint({
    method: "PUT",
    path: `${root}{id}/`,
    tag,
    scope: "experiment:write",
    summary: "Update an experiment (PUT)",
    description: "As PATCH, but name and feature_flag_key are required.",
    params: one,
    body: experimentReplace,
    status: 200,
    response: experimentRecord,
  }),
  destroy: endpoint({
    method: "DELETE",
    path: `${root}{id}/`,
    tag,
    scope: "experiment:write",
    summary: "Not allowed: experiments are soft-deleted",
    description: "Send PATCH with deleted set to true instead.",
    params: z.object({ ...projectParam, id: z.string().meta({ description: "Any id." }) }),
    status: 405,
  }),
  activity: endpoint({
    method: "GET",
    path: `${root}{id}/activity/`,
    tag,
    scope: "activity_log:read",
    summary: "Activity of an experiment",
    params: one,
    query: activityQuery,
    status: 200,
    response: activityPage,
  }),
  duplicate: endpoint({
    method: "POST",
    path: `${root}{id}/duplicate/`,
    tag,
    scope: "experiment:write",
    summary: "Duplicate an experiment as a draft",
    description:
      "Uses the same flag unless another is named. Holdout, conclusion and exposure cohort are not copied.",
    params: one,
    body: experimentDuplicate,
    status: 200,
    response: experimentRecord,
  }),
  create_exposure_cohort_for_experiment: endpoint({
    method: "POST",
    path: `${root}{id}/create_exposure_cohort_for_experiment/`,
    tag,
    scope: "experiment:write",
    summary: "Create a cohort of everybody who was exposed",
    params: one,
    body: ignored,
    status: 200,
    response: z.object({ cohort: cohortRecord }),
  }),
};
