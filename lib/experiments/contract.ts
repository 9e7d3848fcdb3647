import { z } from "zod";
import { activityPage, activityQuery } from "#lib/activity/schema.ts";
import { cohortRecord } from "#lib/cohorts/schema.ts";
import { endpoint } from "#lib/http/contract.ts";
import { envelope } from "#lib/http/paging.ts";
import { integerId, projectParam } from "#lib/http/params.ts";
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

/** The endpoints of experiments but for their results, and PUT beside PATCH. */
export const experimentContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "experiment:read",
    summary: "List experiments",
    description: "Newest first. Deleted ones are left out; archived ones unless they are asked for.",
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
      "On the flag that feature_flag_key names, which must have variants, control first; it is left as it is. Where " +
      "there is none it is made, from parameters.feature_flag_variants. With a start_date it is launched at once.",
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
    summary: "Whether events lack the values of flags",
    description: "Looks at the newest events of each name in the last seven days.",
    params: project,
    query: z.object({
      events: z
        .string()
        .optional()
        .meta({ description: "JSON list of {id}: names of events; null for every event." }),
      actions: z.string().optional().meta({ description: "Accepted; there are no actions." }),
      limit: z.string().optional().meta({ description: "Accepted and ignored." }),
    }),
    status: 200,
    response: z.object({
      result: z.boolean().meta({ description: "true: none of the events looked at carries a flag's value." }),
    }),
  }),
  event_properties: endpoint({
    method: "GET",
    path: `${root}event_properties/`,
    tag,
    scope: "experiment:read",
    summary: "What events of one name carry",
    description: "From the newest of them: the properties, how many events have each, and frequent values.",
    params: project,
    query: z.object({
      event: z.string().optional().meta({ description: "Name of the event; absent: every event." }),
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
      "A start_date launches a draft and switches its flag on; an end_date stops it, and the flag stays as it is. " +
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
    summary: "Not allowed: experiments are deleted softly",
    description: "Update with deleted true instead.",
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
    summary: "Make a draft like an experiment",
    description:
      "On the same flag unless another is named. Its holdout, its conclusion and its exposure cohort are not copied.",
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
    summary: "Make the cohort of everybody who was exposed",
    params: one,
    body: ignored,
    status: 200,
    response: z.object({ cohort: cohortRecord }),
  }),
};
