import { z } from "zod";
import { userBasic } from "#lib/identity/accounts/schema.ts";
import { flagFilters, sentFilters } from "#lib/people/conditions/filters-schema.ts";
import { defineFields, readShape, writeShape } from "#lib/platform/fields-schema.ts";
import { instant, instantOrNull } from "#lib/platform/http/instant.ts";
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

/** How the keys of flags begin that surveys keep for themselves. */
export const SURVEY_FLAG_PREFIX = "survey-targeting-";

/** Whether a flag is one that a survey keeps for itself: people know the survey. */
export const isSurveyFlag = ({ key }: { key: string }): boolean => key.startsWith(SURVEY_FLAG_PREFIX);

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

const switchedOn = z.boolean().nullable();
const integers = z.array(z.number().int());
const texts = z.array(z.string());
const yesNo = (is: unknown) => (is ? "yes" : "no");
const listed = (tags: unknown) => (Array.isArray(tags) && tags.length > 0 ? tags.join(", ") : "none");

const RUNTIME_WORDS: Record<string, string> = {
  all: "everywhere",
  server: "servers only",
  client: "clients only",
};

/** A survey as it appears in the record of the flag it refers to. */
const linkedSurvey = z.looseObject({ id: z.string(), name: z.string(), type: z.string() });

/** The fields of a flag; requests, records, the activity log, versions, differences and the form follow from them. */
export const FLAG_FIELDS = defineFields({
  id: { read: z.number().int() },
  name: {
    write: z
      .string()
      .max(10_000)
      .meta({ description: "The description; called name for backwards compatibility." }),
    read: z.string().meta({ description: "The description." }),
    initial: "",
    logged: 2,
    restorable: true,
    editable: true,
    label: "Description",
    words: (text) => (text ? String(text) : "none"),
  },
  key: {
    write: flagKey,
    read: z.string(),
    logged: 1,
    restorable: true,
    editable: true,
    label: "Key",
    words: String,
  },
  filters: {
    write: sentFilters.meta({
      description: "Targeting, see FlagFilters. Replaced as a whole, never merged.",
    }),
    read: flagFilters,
    logged: 3,
    restorable: true,
    editable: true,
  },
  deleted: {
    write: z.boolean().meta({ description: "True soft-deletes, false restores." }),
    read: z.boolean(),
    initial: false,
    logged: 5,
    label: "Deleted",
    words: yesNo,
  },
  active: {
    write: z.boolean().meta({ description: "Whether the flag is evaluated at all." }),
    read: z.boolean(),
    initial: true,
    logged: 4,
    restorable: true,
    editable: true,
    label: "State",
    words: (is) => (is ? "on" : "off"),
  },
  created_by: { read: userBasic.nullable() },
  created_at: {
    write: z.iso.datetime({ offset: true }).meta({ description: "When it was created, ISO 8601." }),
    read: z.string(),
    shown: instant,
    logged: 17,
  },
  updated_at: { read: z.string().nullable(), shown: instant },
  version: {
    write: z
      .number()
      .int()
      .meta({ description: "The version being edited; with original_flag it prevents lost updates." }),
    read: z.number().int().meta({ description: "Starts at 1; increases with every update." }),
    initial: 1,
    logged: 18,
  },
  last_modified_by: { read: userBasic.nullable() },
  is_simple_flag: {
    read: z.boolean().meta({ description: "One condition set, no properties, evaluated for persons." }),
  },
  rollout_percentage: {
    read: z.number().nullable().meta({ description: "For a simple flag; null otherwise." }),
  },
  ensure_experience_continuity: {
    write: switchedOn.meta({ description: "Whether people keep their value when they log in." }),
    read: switchedOn,
    initial: false,
    logged: 6,
    restorable: true,
    editable: true,
    label: "Keeps its value across sign-in",
    words: yesNo,
  },
  experiment_set: { read: integers.meta({ description: "Ids of experiments on this flag." }) },
  surveys: { read: z.array(linkedSurvey).meta({ description: "Surveys linked to this flag." }) },
  features: {
    read: z.array(z.unknown()).meta({ description: "Early-access features; always empty here." }),
  },
  rollback_conditions: {
    write: z.unknown().meta({
      description:
        "Stored as sent. Of a list of {threshold, threshold_metric, threshold_type, operator}, those of the type insight whose metric counts an event turn the flag off once its average per day over the last week is beyond the threshold.",
    }),
    read: z.unknown(),
    initial: null,
    logged: 7,
  },
  performed_rollback: {
    write: switchedOn.meta({ description: "Stored as sent; false once the flag is activated." }),
    read: switchedOn,
    initial: null,
    logged: 8,
  },
  can_edit: { read: z.boolean() },
  tags: {
    write: tagList.meta({ description: "Replaces the flag's tags; lowercase, without duplicates." }),
    read: texts,
    initial: [],
    logged: 9,
    restorable: true,
    editable: true,
    label: "Tags",
    words: listed,
  },
  evaluation_tags: {
    write: tagList.meta({
      description: "Contexts in which the flag is evaluated; each must also be one of its tags.",
    }),
    read: texts,
    initial: [],
    logged: 10,
    restorable: true,
    label: "Evaluation contexts",
    words: listed,
  },
  usage_dashboard: { read: z.number().int().nullable() },
  analytics_dashboards: {
    write: integers.max(100).meta({ description: "Ids of dashboards." }),
    read: integers,
    initial: [],
    logged: 15,
  },
  has_enriched_analytics: {
    write: switchedOn.meta({ description: "Whether views and interactions are captured." }),
    read: switchedOn,
    initial: false,
    logged: 11,
    restorable: true,
    label: "Captures views and interactions",
    words: yesNo,
  },
  creation_context: {
    write: creationContext.meta({ description: "Part of the product that created it." }),
    initial: "feature_flags",
    logged: 16,
  },
  user_access_level: { read: z.string().meta({ description: "none, viewer, editor or manager." }) },
  is_remote_configuration: {
    write: switchedOn.meta({ description: "Whether it only delivers a payload." }),
    read: switchedOn,
    initial: false,
    logged: 12,
    restorable: true,
    editable: true,
    label: "Remote configuration",
    words: yesNo,
  },
  has_encrypted_payloads: {
    write: switchedOn.meta({ description: "Whether payloads are encrypted at rest." }),
    read: switchedOn,
    initial: false,
    logged: 13,
    restorable: true,
    editable: true,
    label: "Encrypted payloads",
    words: yesNo,
  },
  status: { read: z.enum(["ACTIVE", "STALE", "DELETED"]) },
  evaluation_runtime: {
    write: evaluationRuntime.nullable().meta({ description: "Where the flag may be evaluated." }),
    read: evaluationRuntime.nullable(),
    initial: "all" as const,
    logged: 14,
    restorable: true,
    editable: true,
    label: "Evaluated",
    words: (name) => RUNTIME_WORDS[String(name ?? "all")] ?? String(name),
  },
  last_called_at: {
    read: z.string().nullable().meta({ description: "When an SDK last reported an evaluation." }),
    shown: instantOrNull,
    initial: null,
  },
});

const { tags, ...others } = writeShape(FLAG_FIELDS);

/** What create and update accept; unknown members are ignored. As in the public service, errors of tags come first. */
const writable = {
  tags,
  ...others,
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

/** The record returned by list, create, retrieve and update. */
export const flagRecord = z
  .object({ ...readShape(FLAG_FIELDS), unreadable_fields: unreadableFields })
  .meta({ id: "FeatureFlag" });

const text = (description: string) => z.string().optional().meta({ description });

/** Filters of the list. A value that cannot be understood is answered as the public service does: leniently. */
export const flagListQuery = z.object({
  ...pageQuery,
  active: text("STALE, true, or anything else for inactive flags."),
  cohort_id: text("Id of a cohort; matches flags with a condition on membership in it."),
  created_by_id: text("Id of the user who created it, or several separated by commas."),
  evaluation_runtime: text("both, client or server."),
  excluded_properties: text("JSON list of flag keys to exclude."),
  search: text("Part of the key or the description, case-insensitive."),
  type: text("boolean, multivariant, experiment or remote_config."),
  tags: text("JSON list of tags; matches flags with any of them."),
  order: text("Field to sort by, with a leading - for descending; -created_at when absent."),
});

/** A flag in short: for SDKs that evaluate it, and inside other records. */
const definition = {
  id: z.number().int(),
  team_id: z.number().int(),
  name: z.string(),
  key: z.string(),
  filters: z.record(z.string(), z.unknown()),
  deleted: z.boolean(),
  active: z.boolean(),
  ensure_experience_continuity: z.boolean().nullable(),
  has_encrypted_payloads: z.boolean().nullable(),
  version: z.number().int(),
  evaluation_runtime: z.string().nullable(),
  evaluation_tags: z.array(z.string()),
};

/** A flag as SDKs get it for evaluation on their side. */
export const flagDefinition = z
  .looseObject({ ...definition, version: definition.version.nullable() })
  .meta({ id: "FlagDefinition" });

/** A flag in the record of a survey or an experiment. */
export const linkedFlag = z.object({
  ...definition,
  team_id: definition.team_id.meta({ description: "Id of the project." }),
});

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
export type LinkedFlag = z.output<typeof linkedFlag>;
export type FlagListQuery = z.output<typeof flagListQuery>;
