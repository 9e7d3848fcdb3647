import { z } from "zod";
import { flagValue } from "#lib/flags/feature_flags/schema.ts";
import { flagFilters } from "#lib/people/conditions/filters-schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { moment } from "#lib/platform/http/moment-schema.ts";
import { envelope, pageQuery } from "#lib/platform/http/paging.ts";
import { projectParam } from "#lib/platform/http/params.ts";

const tag = "Feature flags";
const project = z.object(projectParam);
const momentOf = (description: string) => moment("").unwrap().meta({ description });

/** Nobody reads more saves than these, of all flags together. */
export const SAVES_MAX = 10_000;
export const SAVES_SHOWN = 20;

const pastFlag = z
  .object({
    id: z.number().int(),
    key: z.string().meta({ description: "Its key at that time, as are the other fields." }),
    name: z.string().meta({ description: "The description." }),
    active: z.boolean(),
    version: z.number().int().nullable(),
    tags: z.array(z.string()),
    filters: flagFilters.meta({ description: "Targeting; encrypted payloads are masked." }),
    deleted_since: z.boolean().meta({ description: "Whether it is deleted now." }),
    evaluation: z
      .object({
        value: flagValue,
        reason: z.string().meta({ description: "Reason code." }),
        condition_index: z.number().int().nullable(),
        text: z.string().meta({ description: "The reason as a sentence." }),
      })
      .nullable()
      .meta({ description: "What the person got; null without distinct_id." }),
  })
  .meta({ id: "PastFeatureFlag", description: "A flag as it was at a point in time." });

const save = z.object({
  at: z.string(),
  activity: z.string().meta({ description: "created, updated, deleted, restored …" }),
  user: z
    .object({ first_name: z.string(), email: z.string().nullable() })
    .nullable()
    .meta({ description: "Who saved it; null for the system." }),
  by_schedule: z.boolean().meta({ description: "Whether a scheduled change made it in their name." }),
});

const changedFlag = z
  .object({
    id: z.number().int(),
    key: z.string().meta({ description: "Its key at the later time." }),
    change: z.enum(["created", "deleted", "restored", "changed", "none"]).meta({
      description: "none: it was saved, but its state is the same at both times.",
    }),
    differences: z
      .array(z.object({ what: z.string(), before: z.string().nullable(), after: z.string().nullable() }))
      .meta({ description: "What differs, in words; null: there is nothing on that side." }),
    save_count: z.number().int(),
    saves: z
      .array(save)
      .max(SAVES_SHOWN)
      .meta({ description: `The latest ${SAVES_SHOWN} saves, newest first.` }),
  })
  .meta({ id: "ChangedFeatureFlag", description: "How a flag changed between two points in time." });

/** All flags of a project at a past moment, and what changed between two moments. */
export const pastContract = {
  past: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/feature_flags/past/",
    tag,
    scope: "activity_log:read",
    summary: "List the feature flags of a project as they were at a point in time",
    description:
      "By key; reconstructed from the activity log. Of a person, properties, cohorts and groups are taken as they are now.",
    params: project,
    query: z.object({
      ...pageQuery,
      at: momentOf("The time, ISO 8601."),
      search: z.string().optional().meta({ description: "Part of the key or description then." }),
      distinct_id: z
        .string()
        .min(1)
        .max(400)
        .optional()
        .meta({ description: "Says what this person got from each flag, and why." }),
      groups: z
        .string()
        .optional()
        .meta({ description: "JSON object of group keys by group type, for flags evaluated for groups." }),
    }),
    status: 200,
    response: envelope(pastFlag),
  }),
  past_changes: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/feature_flags/past/changes/",
    tag,
    scope: "activity_log:read",
    summary: "List what changed in the feature flags of a project between two points in time",
    description: `In words, with who changed it; last saved first. An interval has up to ${SAVES_MAX} saves.`,
    params: project,
    query: z.object({
      ...pageQuery,
      from: momentOf("The earlier time, ISO 8601."),
      to: momentOf("The later time, ISO 8601."),
    }),
    status: 200,
    response: envelope(changedFlag),
  }),
};

export type PastFlag = z.output<typeof pastFlag>;
export type ChangedFlag = z.output<typeof changedFlag>;
