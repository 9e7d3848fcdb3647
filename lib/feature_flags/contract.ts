import { z } from "zod";
import { activityPage, activityQuery } from "#lib/activity/schema.ts";
import { endpoint } from "#lib/http/contract.ts";
import { envelope } from "#lib/http/paging.ts";
import { integerId, projectParam } from "#lib/http/params.ts";
import {
  flagCreate,
  flagDefinition,
  flagDefinitions,
  flagListQuery,
  flagRecord,
  flagReplace,
  flagUpdate,
  flagValue,
} from "./schema.ts";

const tag = "Feature flags";
const root = "/api/projects/{project_id}/feature_flags/" as const;
const project = z.object(projectParam);
const one = z.object({ ...projectParam, id: integerId("flag") });
const either = z.object({ ...projectParam, id: z.string().meta({ description: "Id or key of the flag." }) });
const ignored = z.unknown().meta({ description: "Ignored." });
const groupsQuery = z
  .string()
  .optional()
  .meta({ description: "JSON object: the key of the group per group type." });
const success = z.object({ success: z.boolean(), error: z.string().optional() });
const blastRadius = z.object({
  users_affected: z.number().int().meta({ description: "Persons (or groups) that match." }),
  total_users: z.number().int().meta({ description: "Persons (or groups) there are." }),
});

/** The seventeen endpoints of feature flags, and PUT beside PATCH. */
export const flagContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "feature_flag:read",
    summary: "List feature flags",
    description: "Newest first. Deleted flags and those that target surveys are left out.",
    params: project,
    query: flagListQuery,
    status: 200,
    response: envelope(flagRecord),
  }),
  create: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "feature_flag:write",
    summary: "Create a feature flag",
    params: project,
    body: flagCreate,
    status: 201,
    response: flagRecord,
  }),
  all_activity: endpoint({
    method: "GET",
    path: `${root}activity/`,
    tag,
    scope: "activity_log:read",
    summary: "Activity of all feature flags",
    params: project,
    query: activityQuery,
    status: 200,
    response: activityPage,
  }),
  bulk_keys: endpoint({
    method: "POST",
    path: `${root}bulk_keys/`,
    tag,
    scope: "feature_flag:read",
    summary: "Keys of several flags by id",
    params: project,
    body: z.object({
      ids: z.unknown().optional().meta({ description: "List of ids, as numbers or texts." }),
    }),
    status: 200,
    response: z.object({ keys: z.record(z.string(), z.string()), warning: z.string().optional() }),
  }),
  evaluation_reasons: endpoint({
    method: "GET",
    path: `${root}evaluation_reasons/`,
    tag,
    scope: "feature_flag:read",
    summary: "Every flag's value for one person, with the reason",
    params: project,
    query: z.object({
      distinct_id: z.string().optional().meta({ description: "Whose values. Required." }),
      groups: groupsQuery,
    }),
    status: 200,
    response: z.record(
      z.string(),
      z.object({
        value: flagValue,
        evaluation: z.object({ reason: z.string(), condition_index: z.number().int().nullable() }),
      }),
    ),
  }),
  local_evaluation: endpoint({
    method: "GET",
    path: `${root}local_evaluation/`,
    tag,
    scope: "feature_flag:read",
    credential: "personal_or_secret_key",
    limit: "definitions",
    summary: "Definitions for evaluation in a server's SDK",
    description: "Answers 304 where If-None-Match names the current ETag.",
    params: project,
    query: z.object({
      send_cohorts: z.string().optional().meta({ description: "Present: cohorts come along." }),
    }),
    status: 200,
    response: flagDefinitions,
  }),
  my_flags: endpoint({
    method: "GET",
    path: `${root}my_flags/`,
    tag,
    scope: "feature_flag:read",
    summary: "Every flag's value for the caller",
    params: project,
    query: z.object({ groups: groupsQuery }),
    status: 200,
    response: z.array(z.object({ feature_flag: flagDefinition, value: flagValue })),
  }),
  user_blast_radius: endpoint({
    method: "POST",
    path: `${root}user_blast_radius/`,
    tag,
    scope: "feature_flag:read",
    summary: "How many people a condition set matches",
    description: "The rollout percentage is left out of account.",
    params: project,
    body: z.object({
      condition: z
        .unknown()
        .optional()
        .meta({ description: "A condition set: {properties: […]}. Required." }),
      group_type_index: z
        .number()
        .int()
        .min(0)
        .max(4)
        .nullish()
        .meta({ description: "Counts groups of this type; persons when absent." }),
    }),
    status: 200,
    response: blastRadius,
  }),
  retrieve: endpoint({
    method: "GET",
    path: `${root}{id}/`,
    tag,
    scope: "feature_flag:read",
    summary: "Retrieve a feature flag",
    description: "Deleted flags too.",
    params: one,
    status: 200,
    response: flagRecord,
  }),
  partial_update: endpoint({
    method: "PATCH",
    path: `${root}{id}/`,
    tag,
    scope: "feature_flag:write",
    summary: "Update a feature flag",
    description:
      "Fields that are absent stay. With version and original_flag, a change that somebody else made meanwhile to a field of this request is refused with 409.",
    params: one,
    body: flagUpdate,
    status: 200,
    response: flagRecord,
  }),
  update: endpoint({
    method: "PUT",
    path: `${root}{id}/`,
    tag,
    scope: "feature_flag:write",
    summary: "Update a feature flag (PUT)",
    description: "As PATCH, but the key is required.",
    params: one,
    body: flagReplace,
    status: 200,
    response: flagRecord,
  }),
  destroy: endpoint({
    method: "DELETE",
    path: `${root}{id}/`,
    tag,
    scope: "feature_flag:write",
    summary: "Not allowed: flags are deleted softly",
    description: "Update with deleted true instead.",
    params: either,
    status: 405,
  }),
  activity: endpoint({
    method: "GET",
    path: `${root}{id}/activity/`,
    tag,
    scope: "activity_log:read",
    summary: "Activity of a feature flag",
    params: either,
    query: activityQuery,
    status: 200,
    response: activityPage,
  }),
  create_static_cohort_for_flag: endpoint({
    method: "POST",
    path: `${root}{id}/create_static_cohort_for_flag/`,
    tag,
    scope: "feature_flag:write",
    summary: "Make a static cohort of the people who get the flag",
    params: one,
    body: ignored,
    status: 200,
    response: z.object({
      cohort: z.looseObject({ id: z.number().int(), name: z.string(), count: z.number().int().nullable() }),
    }),
  }),
  dashboard: endpoint({
    method: "POST",
    path: `${root}{id}/dashboard/`,
    tag,
    scope: "feature_flag:write",
    summary: "Make a usage dashboard for a flag",
    description: "Every call makes a new dashboard.",
    params: one,
    body: ignored,
    status: 200,
    response: success,
  }),
  enrich_usage_dashboard: endpoint({
    method: "POST",
    path: `${root}{id}/enrich_usage_dashboard/`,
    tag,
    scope: "feature_flag:write",
    summary: "Add views and interactions to a flag's usage dashboard",
    params: one,
    body: ignored,
    status: 200,
    response: success,
  }),
  remote_config: endpoint({
    method: "GET",
    path: `${root}{id}/remote_config/`,
    tag,
    scope: "feature_flag:read",
    credential: "personal_or_secret_key",
    limit: "definitions",
    summary: "Payload of a remote configuration",
    description:
      "A JSON text that holds JSON. Empty where there is no payload, 404 where there is no such configuration.",
    params: either,
    status: 200,
    response: z.string(),
  }),
  status: endpoint({
    method: "GET",
    path: `${root}{id}/status/`,
    tag,
    scope: "feature_flag:read",
    summary: "Whether a flag is active, stale or deleted, and why",
    params: one,
    status: 200,
    response: z.object({
      status: z.enum(["active", "stale", "deleted", "unknown"]),
      reason: z.string(),
    }),
  }),
};
