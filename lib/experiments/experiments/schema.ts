import { z } from "zod";
import { linkedFlag } from "#lib/flags/feature_flags/schema.ts";
import { userBasic } from "#lib/identity/accounts/schema.ts";
import { flagGroup, normalizeGroups } from "#lib/people/conditions/filters-schema.ts";
import { defineFields, jsonShape, readShape, writeShape } from "#lib/platform/fields-schema.ts";
import { instant, instantOrNull } from "#lib/platform/http/instant.ts";
import { moment, momentTextOrNull } from "#lib/platform/http/moment-schema.ts";
import { pageQuery } from "#lib/platform/http/paging.ts";
import { unreadableFields } from "#lib/platform/http/stored-schema.ts";

const NAME_MAX = 400;
const DESCRIPTION_MAX = 3_000;
const COMMENT_MAX = 20_000;
const KEY_MAX = 400;
/** Metrics of one list at most. */
const METRICS_MAX = 100;

const conclusions = ["won", "lost", "inconclusive", "stopped_early", "invalid"] as const;
const experimentType = z.enum(["web", "product"]);
const experimentStatus = z.enum(["draft", "running", "paused", "stopped"]);

const freeForm = z.record(z.string(), z.unknown());
const metricList = z.array(freeForm).max(METRICS_MAX);
const uuidList = z.array(z.string().max(200)).max(METRICS_MAX * 2);

const text = (description: string) => z.string().optional().meta({ description });

export const experimentListQuery = z.object({
  ...pageQuery,
  status: text(
    "draft, running, paused, stopped, complete (the same as stopped) or all; unknown ones are ignored.",
  ),
  created_by_id: text("Id of the user who created it."),
  archived: text("true lists archived experiments only; otherwise they are left out."),
  search: text("Part of the name, case-insensitive."),
  order: text(
    "created_at, updated_at, name, start_date, end_date, duration or status, with a leading - for descending order; -created_at by default.",
  ),
  feature_flag_id: text("Id of the flag."),
});

export const eventProperties = z
  .object({
    sampled: z.number().int().meta({ description: "Number of events sampled." }),
    results: z.array(
      z.object({
        name: z.string().meta({ description: "Name of the property." }),
        property_type: z.enum(["String", "Numeric"]).meta({ description: "Type of most of its values." }),
        count: z.number().int().meta({ description: "Number of sampled events that have it." }),
        examples: z.array(z.string()).meta({ description: "Its most frequent values, as strings." }),
      }),
    ),
  })
  .meta({ id: "EventProperties" });

const holdoutWritable = {
  name: z.string().trim().min(1).max(NAME_MAX).meta({ description: "Name." }),
  description: z.string().max(DESCRIPTION_MAX).nullable().meta({ description: "Purpose." }),
  filters: z.array(freeForm).transform(normalizeGroups).meta({
    description: "One condition set, [{properties, rollout_percentage}]: who is kept out of experiments.",
  }),
};
export const holdoutCreate = z
  .object(holdoutWritable)
  .partial()
  .required({ name: true, filters: true })
  .meta({ id: "ExperimentHoldoutCreate" });
export const holdoutUpdate = z.object(holdoutWritable).partial().meta({ id: "ExperimentHoldoutUpdate" });

export const holdoutRecord = z
  .object({
    id: z.number().int(),
    name: z.string(),
    description: z.string().nullable(),
    filters: z
      .array(flagGroup)
      .meta({ description: "[{properties, rollout_percentage, variant: holdout-<id>}]" }),
    created_by: userBasic.nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    unreadable_fields: unreadableFields,
  })
  .meta({
    id: "ExperimentHoldout",
    description: "People kept out of experiments, to measure their combined effect.",
  });

/** A holdout with the experiments that use it. */
export const holdoutListed = holdoutRecord
  .extend({
    experiments: z
      .array(z.object({ id: z.number().int(), name: z.string(), status: experimentStatus }))
      .meta({ description: "The experiments that use it, the newest first." }),
  })
  .meta({ id: "ExperimentHoldoutListed" });

/** The JSON columns of a stored holdout. */
export const storedHoldout = holdoutRecord.pick({ filters: true });

const savedWritable = {
  name: z.string().trim().min(1).max(NAME_MAX).meta({ description: "Name." }),
  description: z.string().max(DESCRIPTION_MAX).nullable().meta({ description: "What it measures and why." }),
  query: freeForm.meta({ description: "The metric, see ExperimentMetric." }),
  tags: z
    .array(z.string().trim().min(1).max(255))
    .max(100)
    .transform((tags) => [...new Set(tags)])
    .meta({ description: "Tags to find it by." }),
};
export const savedMetricCreate = z
  .object(savedWritable)
  .partial()
  .required({ name: true, query: true })
  .meta({ id: "ExperimentSavedMetricCreate" });
export const savedMetricUpdate = z
  .object({
    ...savedWritable,
    deleted: z.boolean().meta({ description: "true soft-deletes, false restores." }),
  })
  .partial()
  .meta({ id: "ExperimentSavedMetricUpdate" });

export const savedMetricRecord = z
  .object({
    id: z.number().int(),
    name: z.string(),
    description: z.string().nullable(),
    query: freeForm,
    tags: z.array(z.string()),
    deleted: z.boolean(),
    experiment_count: z.number().int().meta({ description: "Number of experiments that use it." }),
    experiments: z
      .array(
        z.object({
          id: z.number().int(),
          name: z.string(),
          status: experimentStatus,
          type: z.string().meta({ description: "primary or secondary." }),
        }),
      )
      .meta({ description: "The newest 50 experiments that use it." }),
    created_by: userBasic.nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    unreadable_fields: unreadableFields,
  })
  .meta({ id: "ExperimentSavedMetric", description: "A metric that several experiments share." });

/** The JSON columns of a stored saved metric. */
export const storedSavedMetric = savedMetricRecord.pick({ query: true });

/** A saved metric as shown in the record of an experiment that uses it. */
const metricLink = z.object({
  id: z.number().int().meta({ description: "Id of the link." }),
  experiment: z.number().int().meta({ description: "Id of the experiment." }),
  saved_metric: z.number().int().meta({ description: "Id of the saved metric." }),
  metadata: freeForm.meta({ description: "{type: primary | secondary}" }),
  created_at: z.string(),
  query: freeForm.meta({ description: "The metric, with its fingerprint." }),
  name: z.string(),
});

/** The JSON columns of a stored link to a saved metric. */
export const storedLink = metricLink.pick({ metadata: true, query: true });

const date = z.string().nullable();

const phase = z
  .object({
    from: z.string(),
    to: date.meta({ description: "End of the phase; null for the current one." }),
    variants: z.array(
      z.object({ key: z.string(), name: z.string().nullable(), rollout_percentage: z.number() }),
    ),
  })
  .meta({ id: "ExperimentPhase", description: "A split and the time it was in force." });

const launchPlan = z
  .object({
    launched_at: z.string(),
    launched_by: userBasic.nullable(),
    description: z.string().meta({ description: "The hypothesis." }),
    metrics: z.array(freeForm).meta({ description: "Primary metrics, saved ones included." }),
    stats_config: freeForm.nullable(),
    changes: z
      .array(
        z.object({
          field: z.enum(["description", "metrics", "stats_config"]),
          at: date.meta({ description: "When it was last changed; null if unknown." }),
          by: userBasic.nullable(),
        }),
      )
      .meta({ description: "Fields that were changed after launch." }),
  })
  .meta({ id: "ExperimentLaunchPlan" });

const nameOf = (metric: { name?: unknown; metric_type?: unknown } | null) =>
  metric?.name || `a ${metric?.metric_type ?? "shared"} metric`;
const metricWords = (value: unknown) =>
  Array.isArray(value) ? value.map(nameOf).join(", ") || null : undefined;
const countWords = (value: unknown) =>
  Array.isArray(value) && value.length > 0
    ? `${value.length} ${value.length === 1 ? "saved metric" : "saved metrics"}`
    : null;

/** The fields of an experiment; requests, records, copies and the activity log follow from them. */
export const EXPERIMENT_FIELDS = defineFields({
  id: { read: z.number().int() },
  name: {
    write: z
      .string()
      .trim()
      .min(1)
      .max(NAME_MAX)
      .meta({ description: `Name, up to ${NAME_MAX} characters.` }),
    read: z.string(),
    logged: 1,
  },
  description: {
    write: z
      .string()
      .max(DESCRIPTION_MAX)
      .nullable()
      .meta({ description: `Hypothesis, up to ${DESCRIPTION_MAX} characters.` }),
    read: z.string().nullable().meta({ description: "The hypothesis." }),
    initial: "",
    logged: 2,
    copied: true,
    label: "Hypothesis",
  },
  start_date: {
    write: moment("When it was launched; null for a draft."),
    read: date,
    shown: momentTextOrNull,
    initial: null,
    logged: 3,
    label: "Launched",
  },
  end_date: {
    write: moment("When it was stopped; null if it was not."),
    read: date,
    shown: momentTextOrNull,
    initial: null,
    logged: 4,
    label: "Stopped",
  },
  feature_flag_key: {
    write: z.string().trim().min(1).max(KEY_MAX).meta({
      description:
        "Key of the flag that splits people. The flag is created if it does not exist. Cannot be changed.",
    }),
    read: z.string(),
  },
  feature_flag: { read: linkedFlag.meta({ id: "ExperimentFlag" }) },
  holdout: { read: holdoutRecord.nullable() },
  holdout_id: {
    write: z
      .number()
      .int()
      .nullable()
      .meta({ description: "Holdout whose people are kept out; null for none." }),
    read: z.number().int().nullable(),
    initial: null,
    logged: 5,
  },
  exposure_cohort: {
    read: z.number().int().nullable().meta({ description: "Id of the cohort of exposed people." }),
    logged: 16,
    label: "Cohort of exposed people",
  },
  parameters: {
    write: freeForm.nullable().meta({
      description:
        "feature_flag_variants, minimum_detectable_effect (percent), recommended_sample_size, " +
        "recommended_running_time (days), recommended_sample_size_source (what the sample size is based on: kind stored_events with people, days and standard_deviation, or rule_of_thumb), aggregation_group_type_index … Replaced as a whole.",
    }),
    read: freeForm.nullable(),
    json: true,
    initial: {},
    logged: 6,
    copied: true,
  },
  secondary_metrics: {
    write: z.array(z.unknown()).max(METRICS_MAX).nullable().meta({
      description: "Legacy metrics, stored as sent.",
    }),
    read: z.array(z.unknown()).nullable(),
    json: true,
    initial: [],
    logged: 11,
  },
  saved_metrics: {
    read: z.array(metricLink),
    logged: 10,
    label: "Saved metrics",
    words: countWords,
  },
  saved_metrics_ids: {
    write: z.unknown().meta({
      description: "Saved metrics: [{id, metadata: {type: primary | secondary}}]. Replaced as a whole.",
    }),
    read: z.null().meta({ description: "Always null: read saved_metrics." }),
  },
  filters: {
    write: freeForm.meta({ description: "Legacy metrics, stored as sent." }),
    read: freeForm,
    json: true,
    initial: {},
    logged: 12,
    copied: true,
  },
  archived: {
    write: z.boolean().meta({ description: "Whether it is archived." }),
    read: z.boolean(),
    initial: false,
    logged: 20,
  },
  deleted: {
    write: z.boolean().meta({ description: "true soft-deletes, false restores." }),
    read: z.boolean(),
    initial: false,
    logged: 21,
  },
  created_by: { read: userBasic.nullable() },
  created_at: { read: z.string(), shown: instant },
  updated_at: { read: z.string(), shown: instant },
  type: {
    write: experimentType.nullable().meta({ description: "web or product. Cannot be changed." }),
    read: experimentType.nullable(),
    initial: "product" as const,
    copied: true,
  },
  exposure_criteria: {
    write: freeForm.nullable().meta({
      description:
        "Who counts as exposed: filterTestAccounts, exposure_config, multiple_variant_handling (exclude, first_seen).",
    }),
    read: freeForm.nullable(),
    json: true,
    initial: {},
    logged: 7,
    copied: true,
  },
  metrics: {
    write: metricList.nullable().meta({ description: "Primary metrics, see ExperimentMetric." }),
    read: z.array(freeForm).meta({ description: "Primary metrics, each with uuid and fingerprint." }),
    json: true,
    initial: [],
    logged: 8,
    copied: true,
    label: "Primary metrics",
    words: metricWords,
  },
  metrics_secondary: {
    write: metricList.nullable().meta({ description: "Secondary metrics." }),
    read: z.array(freeForm),
    json: true,
    initial: [],
    logged: 9,
    copied: true,
    label: "Secondary metrics",
    words: metricWords,
  },
  stats_config: {
    write: freeForm.nullable().meta({
      description:
        "method (bayesian, frequentist), bayesian, frequentist, baseline_variant_key, timeseries, and cuped: " +
        "enabled, lookback_days, estimator (adjusted_means, the default, or public_service: PostHog's formula, whose relative differences are significant too often).",
    }),
    read: freeForm.nullable(),
    json: true,
    initial: { method: "bayesian" },
    logged: 13,
    copied: true,
    label: "Statistics",
  },
  conclusion: {
    write: z.enum(conclusions).nullable().meta({ description: "Outcome of the experiment." }),
    read: z.enum(conclusions).nullable(),
    initial: null,
    logged: 17,
  },
  conclusion_comment: {
    write: z.string().max(COMMENT_MAX).nullable().meta({ description: "Reasons for the conclusion." }),
    read: z.string().nullable(),
    initial: null,
    logged: 18,
  },
  concluded_at: {
    read: date.meta({ description: "When the conclusion was last changed." }),
    shown: instantOrNull,
    initial: null,
  },
  concluded_by: { read: userBasic.nullable() },
  shipped_variant: {
    write: z
      .string()
      .min(1)
      .max(KEY_MAX)
      .nullable()
      .meta({
        description:
          "Variant to ship to everybody once the experiment has ended: its flag is turned on and changed accordingly. " +
          "null ships none and leaves the flag unchanged.",
      }),
    read: z
      .string()
      .nullable()
      .meta({ description: "Variant shipped to everybody at the end; null if none." }),
    initial: null,
    logged: 19,
  },
  phases: {
    read: z.array(phase).meta({
      description: "The splits from start to end, oldest first. Flag changes after the end are not included.",
    }),
  },
  launch_plan: {
    read: launchPlan.nullable().meta({ description: "The plan as of launch; null for a draft." }),
    initial: null,
  },
  primary_metrics_ordered_uuids: {
    write: uuidList.nullable().meta({ description: "Order of the primary metrics." }),
    read: z.array(z.string()).nullable(),
    json: true,
    initial: null,
    logged: 14,
    copied: true,
  },
  secondary_metrics_ordered_uuids: {
    write: uuidList.nullable().meta({ description: "Order of the secondary metrics." }),
    read: z.array(z.string()).nullable(),
    json: true,
    initial: null,
    logged: 15,
    copied: true,
  },
  user_access_level: {
    read: z.string().nullable().meta({ description: "none, viewer, editor or manager." }),
  },
  version: {
    write: z.number().int().meta({
      description: "The version that was edited; with original_experiment it guards against lost updates.",
    }),
    read: z.number().int().meta({ description: "Starts at 1 and increases with every change." }),
    initial: 1,
  },
  last_modified_by: { read: userBasic.nullable() },
  status: {
    read: experimentStatus.meta({
      description: "draft (no start), running, paused (its flag is off) or stopped (has an end).",
    }),
  },
});

const { shipped_variant, version, ...always } = writeShape(EXPERIMENT_FIELDS);

/** What create and update accept; unknown members are ignored. */
const writable = {
  ...always,
  update_feature_flag_params: z.boolean().nullable().meta({
    description: "Whether new shares in parameters are applied to the flag of a launched experiment.",
  }),
  _create_in_folder: z.unknown().meta({ description: "Accepted and ignored: there are no folders." }),
};

export const experimentCreate = z
  .object(writable)
  .partial()
  .required({ name: true, feature_flag_key: true })
  .meta({ id: "ExperimentCreate", description: "A new experiment; name and feature_flag_key are required." });

export const experimentUpdate = z
  .object({
    ...writable,
    shipped_variant,
    version,
    original_experiment: freeForm.meta({
      description:
        "The experiment as it was when editing began; with version, it detects changes by others. " +
        "Parameters are compared, and merged, one by one.",
    }),
  })
  .partial()
  .meta({ id: "ExperimentUpdate", description: "The fields to change." });

export const experimentReplace = experimentUpdate
  .required({ name: true, feature_flag_key: true })
  .meta({ id: "ExperimentReplace" });

export const experimentDuplicate = z
  .looseObject({
    feature_flag_key: always.feature_flag_key.optional(),
    name: always.name.optional(),
  })
  .meta({ id: "ExperimentDuplicate", description: "What differs in the copy." });

export const experimentRecord = z
  .object({ ...readShape(EXPERIMENT_FIELDS), unreadable_fields: unreadableFields })
  .meta({ id: "Experiment" });

/** The JSON columns of a stored experiment. */
export const storedExperiment = z.object(jsonShape(EXPERIMENT_FIELDS));

export type ExperimentCreate = z.output<typeof experimentCreate>;
export type ExperimentUpdate = z.output<typeof experimentUpdate>;
/** What a caller sends to create or change an experiment or a saved metric. */
export type ExperimentCreation = z.input<typeof experimentCreate>;
export type ExperimentChange = z.input<typeof experimentUpdate>;
export type SavedMetricInput = z.input<typeof savedMetricCreate>;
export type ExperimentRecord = z.output<typeof experimentRecord>;
export type ExperimentStatus = z.output<typeof experimentStatus>;
export type ExperimentListQuery = z.output<typeof experimentListQuery>;
export type HoldoutRecord = z.output<typeof holdoutRecord>;
export type HoldoutListed = z.output<typeof holdoutListed>;
export type SavedMetricRecord = z.output<typeof savedMetricRecord>;
