import { z } from "zod";
import { userBasic } from "#lib/identity/accounts/schema.ts";
import { flagFilters, sentFilters } from "#lib/people/conditions/filters-schema.ts";
import { pageQuery } from "#lib/platform/http/paging.ts";
import { unreadableFields } from "#lib/platform/http/stored-schema.ts";

const KEY_MAX = 400;

const evaluationRuntime = z.enum(["server", "client", "all"]);
const creationContext = z.enum([
  "feature_flags",
  "experiments",
  "surveys",
  "early_access_features",
  "web_experiments",
]);

const keyPattern = /^[A-Za-z0-9_-]+$/;

/** A flag's key, trimmed: letters, digits, underscores and hyphens. */
export const flagKey = z
  .string()
  .trim()
  .min(1)
  .max(KEY_MAX)
  .superRefine((key, context) => {
    if (keyPattern.test(key)) return;
    const message = "Only letters, numbers, hyphens (-) & underscores (_) are allowed.";
    context.addIssue({ code: "custom", message, params: { code: "invalid_key" } });
  })
  .meta({
    description: `Names the flag in code: up to ${KEY_MAX} letters, digits, hyphens and underscores.`,
  });

const tagList = z
  .array(z.string().trim().max(255))
  .max(100)
  .transform((tags) => [...new Set(tags.map((tag) => tag.toLowerCase()).filter((tag) => tag !== ""))]);

/** What create and update accept; unknown members are ignored. */
const writable = {
  tags: tagList.meta({ description: "Replaces the flag's tags; lowercase, without duplicates." }),
  name: z
    .string()
    .max(10_000)
    .meta({ description: "The description; called name for backwards compatibility." }),
  key: flagKey,
  filters: sentFilters.meta({
    description: "Targeting, see FlagFilters. Replaced as a whole, never merged.",
  }),
  deleted: z.boolean().meta({ description: "True soft-deletes, false restores." }),
  active: z.boolean().meta({ description: "Whether the flag is evaluated at all." }),
  created_at: z.iso.datetime({ offset: true }).meta({ description: "When it was created, ISO 8601." }),
  version: z
    .number()
    .int()
    .meta({ description: "The version being edited; with original_flag it prevents lost updates." }),
  ensure_experience_continuity: z
    .boolean()
    .nullable()
    .meta({ description: "Whether people keep their value when they log in." }),
  rollback_conditions: z.unknown().meta({ description: "Stored as sent." }),
  performed_rollback: z
    .boolean()
    .nullable()
    .meta({ description: "Stored as sent; false once the flag is activated." }),
  evaluation_tags: tagList.meta({
    description: "Contexts in which the flag is evaluated; each must also be one of its tags.",
  }),
  analytics_dashboards: z.array(z.number().int()).max(100).meta({ description: "Ids of dashboards." }),
  has_enriched_analytics: z
    .boolean()
    .nullable()
    .meta({ description: "Whether views and interactions are captured." }),
  creation_context: creationContext.meta({ description: "Part of the product that created it." }),
  is_remote_configuration: z
    .boolean()
    .nullable()
    .meta({ description: "Whether it only delivers a payload." }),
  has_encrypted_payloads: z
    .boolean()
    .nullable()
    .meta({ description: "Whether payloads are encrypted at rest." }),
  evaluation_runtime: evaluationRuntime.nullable().meta({ description: "Where the flag may be evaluated." }),
  _create_in_folder: z
    .string()
    .nullable()
    .meta({ description: "Accepted for compatibility; there are no folders." }),
  _should_create_usage_dashboard: z
    .boolean()
    .meta({ description: "Whether to also create a dashboard of the flag's calls; true when absent." }),
};

export const flagCreate = z
  .object(writable)
  .partial()
  .required({ key: true })
  .meta({ id: "FeatureFlagCreate", description: "A new flag; only its key is required." });

export const flagUpdate = z
  .object(writable)
  .partial()
  .extend({
    original_flag: z.record(z.string(), z.unknown()).optional().meta({
      description: "The flag as it was when editing began; with version, detects changes by others.",
    }),
  })
  .meta({ id: "FeatureFlagUpdate", description: "The fields to change." });

export const flagReplace = flagUpdate.required({ key: true }).meta({ id: "FeatureFlagReplace" });

/** A survey as it appears in the record of the flag it refers to. */
const linkedSurvey = z.looseObject({ id: z.string(), name: z.string(), type: z.string() });

/** The record returned by list, create, retrieve and update. */
export const flagRecord = z
  .object({
    id: z.number().int(),
    name: z.string().meta({ description: "The description." }),
    key: z.string(),
    filters: flagFilters,
    deleted: z.boolean(),
    active: z.boolean(),
    created_by: userBasic.nullable(),
    created_at: z.string(),
    updated_at: z.string().nullable(),
    version: z.number().int().meta({ description: "Starts at 1; increases with every update." }),
    last_modified_by: userBasic.nullable(),
    is_simple_flag: z
      .boolean()
      .meta({ description: "One condition set, no properties, evaluated for persons." }),
    rollout_percentage: z.number().nullable().meta({ description: "For a simple flag; null otherwise." }),
    ensure_experience_continuity: z.boolean().nullable(),
    experiment_set: z.array(z.number().int()).meta({ description: "Ids of experiments on this flag." }),
    surveys: z.array(linkedSurvey).meta({ description: "Surveys linked to this flag." }),
    features: z.array(z.unknown()).meta({ description: "Early-access features; always empty here." }),
    rollback_conditions: z.unknown(),
    performed_rollback: z.boolean().nullable(),
    can_edit: z.boolean(),
    tags: z.array(z.string()),
    evaluation_tags: z.array(z.string()),
    usage_dashboard: z.number().int().nullable(),
    analytics_dashboards: z.array(z.number().int()),
    has_enriched_analytics: z.boolean().nullable(),
    user_access_level: z.string().meta({ description: "none, viewer, editor or manager." }),
    is_remote_configuration: z.boolean().nullable(),
    has_encrypted_payloads: z.boolean().nullable(),
    status: z.enum(["ACTIVE", "STALE", "DELETED"]),
    evaluation_runtime: evaluationRuntime.nullable(),
    last_called_at: z.string().nullable().meta({ description: "When an SDK last reported an evaluation." }),
    unreadable_fields: unreadableFields,
  })
  .meta({ id: "FeatureFlag" });

const text = (description: string) => z.string().optional().meta({ description });

/** Filters of the list. A value that cannot be understood is answered as the public service does: leniently. */
export const flagListQuery = z.object({
  ...pageQuery,
  active: text("STALE, true, or anything else for inactive flags."),
  created_by_id: text("Id of the user who created it, or several separated by commas."),
  evaluation_runtime: text("both, client or server."),
  excluded_properties: text("JSON list of flag keys to exclude."),
  search: text("Part of the key or the description, case-insensitive."),
  type: text("boolean, multivariant, experiment or remote_config."),
  tags: text("JSON list of tags; matches flags with any of them."),
  order: text("Field to sort by, with a leading - for descending; -created_at when absent."),
});

/** A flag as SDKs get it for evaluation on their side. */
export const flagDefinition = z
  .looseObject({
    id: z.number().int(),
    team_id: z.number().int(),
    name: z.string(),
    key: z.string(),
    filters: z.record(z.string(), z.unknown()),
    deleted: z.boolean(),
    active: z.boolean(),
    ensure_experience_continuity: z.boolean().nullable(),
    has_encrypted_payloads: z.boolean().nullable(),
    version: z.number().int().nullable(),
    evaluation_runtime: z.string().nullable(),
    evaluation_tags: z.array(z.string()),
  })
  .meta({ id: "FlagDefinition" });

export const flagDefinitions = z.object({
  flags: z.array(flagDefinition),
  group_type_mapping: z.record(z.string(), z.string()),
  cohorts: z.record(z.string(), z.unknown()),
  property_matching_version: z
    .number()
    .int()
    .optional()
    .meta({ description: "Comparison rules SDKs follow to agree with evaluation here." }),
});

export const flagValue = z
  .union([z.boolean(), z.string()])
  .meta({ description: "false, true or the variant." });

export type FlagCreate = z.output<typeof flagCreate>;
export type FlagUpdate = z.output<typeof flagUpdate>;
/** What a caller sends to create or change a flag. */
export type FlagCreation = z.input<typeof flagCreate>;
export type FlagChange = z.input<typeof flagUpdate>;
export type FlagRecord = z.output<typeof flagRecord>;
export type FlagListQuery = z.output<typeof flagListQuery>;
