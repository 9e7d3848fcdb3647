import { z } from "zod";
import { activityPage, activityQuery } from "#lib/activity/schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { errorSchema } from "#lib/platform/http/error-schema.ts";
import { envelope } from "#lib/platform/http/paging.ts";
import { integerId, projectParam } from "#lib/platform/http/params.ts";
import { PROGRESS, WITH_PROGRESS } from "#lib/platform/http/progress-schema.ts";
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
const groupsQuery = z.string().optional().meta({ description: "JSON object of group keys by group type." });
const success = z.object({ success: z.boolean(), error: z.string().optional() });
const blastRadius = z.object({
  users_affected: z.number().int().meta({ description: "Persons (or groups) that match." }),
  total_users: z.number().int().meta({ description: "Persons (or groups) in all." }),
});

const facet = { count: z.number().int().meta({ description: "Number of flags." }) };

/** The public service's endpoints of feature flags, PUT beside PATCH, and what the dashboard asks besides. */
export const flagContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "feature_flag:read",
    summary: "List feature flags",
    description: "Newest first. Excludes deleted flags and those that target surveys.",
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
    summary: "List the activity of all feature flags",
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
    summary: "Look up flag keys by id",
    params: project,
    body: z.object({
      ids: z.unknown().optional().meta({ description: "List of ids, as numbers or strings." }),
    }),
    status: 200,
    response: z.object({ keys: z.record(z.string(), z.string()), warning: z.string().optional() }),
    also: { 400: { description: "None of the ids is one.", body: z.object({ error: z.string() }) } },
  }),
  evaluation_reasons: endpoint({
    method: "GET",
    path: `${root}evaluation_reasons/`,
    tag,
    scope: "feature_flag:read",
    summary: "Evaluate all flags for a person, with reasons",
    params: project,
    query: z.object({
      distinct_id: z.string().optional().meta({ description: "Distinct id of the person. Required." }),
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
  facets: endpoint({
    method: "GET",
    path: `${root}facets/`,
    tag,
    scope: "feature_flag:read",
    summary: "Count feature flags by tag and by creator",
    description: "Of the flags in the list, each in alphabetical order.",
    params: project,
    status: 200,
    response: z
      .object({
        tags: z.array(z.object({ name: z.string(), ...facet })),
        creators: z.array(z.object({ id: z.number().int(), name: z.string(), email: z.string(), ...facet })),
      })
      .meta({ id: "FeatureFlagFacets" }),
  }),
  local_evaluation: endpoint({
    method: "GET",
    path: `${root}local_evaluation/`,
    tag,
    scope: "feature_flag:read",
    credential: "personal_or_secret_key",
    limit: "definitions",
    summary: "Retrieve flag definitions for local evaluation",
    also: { 304: { description: "If-None-Match has the current ETag." } },
    params: project,
    query: z.object({
      send_cohorts: z.string().optional().meta({ description: "If present, cohorts are included." }),
    }),
    status: 200,
    response: flagDefinitions,
  }),
  my_flags: endpoint({
    method: "GET",
    path: `${root}my_flags/`,
    tag,
    scope: "feature_flag:read",
    summary: "Evaluate all flags for the caller",
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
    summary: "Count the people a condition set matches",
    description: `Ignores the rollout percentage. ${PROGRESS}`,
    media: WITH_PROGRESS,
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
    description: "Includes deleted flags.",
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
      "Absent fields stay unchanged. With version and original_flag, the request is rejected with 409 if somebody else has since changed one of its fields.",
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
    description: "Like PATCH, but the key is required.",
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
    summary: "Not allowed: flags are soft-deleted",
    description: "Update the flag with deleted: true instead.",
    params: either,
    status: 405,
  }),
  activity: endpoint({
    method: "GET",
    path: `${root}{id}/activity/`,
    tag,
    scope: "activity_log:read",
    summary: "List the activity of a feature flag",
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
    summary: "Create a static cohort of the people who get the flag",
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
    summary: "Create a usage dashboard for a flag",
    description: "Every call creates a new dashboard.",
    params: one,
    body: ignored,
    status: 200,
    response: success,
  }),
  dependents: endpoint({
    method: "GET",
    path: `${root}{id}/dependents/`,
    tag,
    scope: "feature_flag:read",
    summary: "List the feature flags that depend on a flag",
    description: "Of the flags in the list, those with a condition on the value of this one.",
    params: one,
    status: 200,
    response: z.array(z.object({ id: z.number().int(), key: z.string(), active: z.boolean() })),
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
    also: { 400: { description: "There is nothing to add, or nowhere to add it.", body: success } },
  }),
  remote_config: endpoint({
    method: "GET",
    path: `${root}{id}/remote_config/`,
    tag,
    scope: "feature_flag:read",
    credential: "personal_or_secret_key",
    limit: "definitions",
    summary: "Retrieve the payload of a remote configuration",
    description:
      "A JSON string that contains JSON. Empty without a payload; 404 without such a configuration.",
    params: either,
    status: 200,
    response: z.string(),
  }),
  status: endpoint({
    also: {
      404: {
        description: "The flag is unknown; the error also says so as a status.",
        body: errorSchema
          .extend({ status: z.literal("unknown"), reason: z.string() })
          .meta({ id: "UnknownFlag" }),
      },
    },
    method: "GET",
    path: `${root}{id}/status/`,
    tag,
    scope: "feature_flag:read",
    summary: "Retrieve whether a flag is active, stale or deleted, and why",
    params: one,
    status: 200,
    response: z.object({
      status: z.enum(["active", "stale", "deleted", "unknown"]),
      reason: z.string(),
    }),
  }),
};
