import { z } from "zod";
import { linkedFlag } from "#lib/flags/feature_flags/schema.ts";
import { userBasic } from "#lib/identity/accounts/schema.ts";
import { flagGroup, normalizeGroups } from "#lib/people/conditions/filters-schema.ts";
import { moment } from "#lib/platform/http/moment-schema.ts";
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

/** What create and update accept; unknown members are ignored. */
const writable = {
  name: z
    .string()
    .trim()
    .min(1)
    .max(NAME_MAX)
    .meta({ description: `Name, up to ${NAME_MAX} characters.` }),
  description: z
    .string()
    .max(DESCRIPTION_MAX)
    .nullable()
    .meta({ description: `Hypothesis, up to ${DESCRIPTION_MAX} characters.` }),
  start_date: moment("When it was launched; null for a draft."),
  end_date: moment("When it was stopped; null if it was not."),
  feature_flag_key: z.string().trim().min(1).max(KEY_MAX).meta({
    description:
      "Key of the flag that splits people. The flag is created if it does not exist. Cannot be changed.",
  }),
  holdout_id: z
    .number()
    .int()
    .nullable()
    .meta({ description: "Holdout whose people are kept out; null for none." }),
  parameters: freeForm.nullable().meta({
    description:
      "feature_flag_variants, minimum_detectable_effect (percent), recommended_sample_size, " +
      "recommended_running_time (days), recommended_sample_size_source (what the sample size is based on: kind stored_events with people, days and standard_deviation, or rule_of_thumb), aggregation_group_type_index … Replaced as a whole.",
  }),
  secondary_metrics: z.array(z.unknown()).max(METRICS_MAX).nullable().meta({
    description: "Legacy metrics, stored as sent.",
  }),
  saved_metrics_ids: z.unknown().meta({
    description: "Saved metrics: [{id, metadata: {type: primary | secondary}}]. Replaced as a whole.",
  }),
  filters: freeForm.meta({ description: "Legacy metrics, stored as sent." }),
  archived: z.boolean().meta({ description: "Whether it is archived." }),
  deleted: z.boolean().meta({ description: "true soft-deletes, false restores." }),
  type: experimentType.nullable().meta({ description: "web or product. Cannot be changed." }),
  exposure_criteria: freeForm.nullable().meta({
    description:
      "Who counts as exposed: filterTestAccounts, exposure_config, multiple_variant_handling (exclude, first_seen).",
  }),
  metrics: metricList.nullable().meta({ description: "Primary metrics, see ExperimentMetric." }),
  metrics_secondary: metricList.nullable().meta({ description: "Secondary metrics." }),
  stats_config: freeForm.nullable().meta({
    description:
      "method (bayesian, frequentist), bayesian, frequentist, baseline_variant_key, timeseries, and cuped: " +
      "enabled, lookback_days, estimator (adjusted_means, the default, or public_service: PostHog's formula, whose relative differences are significant too often).",
  }),
  conclusion: z.enum(conclusions).nullable().meta({ description: "Outcome of the experiment." }),
  conclusion_comment: z
    .string()
    .max(COMMENT_MAX)
    .nullable()
    .meta({ description: "Reasons for the conclusion." }),
  primary_metrics_ordered_uuids: uuidList.nullable().meta({ description: "Order of the primary metrics." }),
  secondary_metrics_ordered_uuids: uuidList
    .nullable()
    .meta({ description: "Order of the secondary metrics." }),
  update_feature_flag_params: z.boolean().nullable().meta({
    description: "Whether new shares in parameters are applied to the flag of a launched experiment.",
  }),
  _create_in_folder: z
    .unknown()
    .meta({ description: "Accepted on creation and ignored: there are no folders." }),
};

export const experimentCreate = z
  .object(writable)
  .partial()
  .required({ name: true, feature_flag_key: true })
  .meta({ id: "ExperimentCreate", description: "A new experiment; name and feature_flag_key are required." });

export const experimentUpdate = z
  .object({
    ...writable,
    shipped_variant: z
      .string()
      .min(1)
      .max(KEY_MAX)
      .nullable()
      .meta({
        description:
          "Variant to ship to everybody once the experiment has ended: its flag is turned on and changed accordingly. " +
          "null ships none and leaves the flag unchanged.",
      }),
    version: z.number().int().meta({
      description: "The version that was edited; with original_experiment it guards against lost updates.",
    }),
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
    feature_flag_key: writable.feature_flag_key.optional(),
    name: writable.name.optional(),
  })
  .meta({ id: "ExperimentDuplicate", description: "What differs in the copy." });

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

export const experimentRecord = z
  .object({
    id: z.number().int(),
    name: z.string(),
    description: z.string().nullable().meta({ description: "The hypothesis." }),
    start_date: date,
    end_date: date,
    feature_flag_key: z.string(),
    feature_flag: linkedFlag.meta({ id: "ExperimentFlag" }),
    holdout: holdoutRecord.nullable(),
    holdout_id: z.number().int().nullable(),
    exposure_cohort: z.number().int().nullable().meta({ description: "Id of the cohort of exposed people." }),
    parameters: freeForm.nullable(),
    secondary_metrics: z.array(z.unknown()).nullable(),
    saved_metrics: z.array(metricLink),
    saved_metrics_ids: z.null().meta({ description: "Always null: read saved_metrics." }),
    filters: freeForm,
    archived: z.boolean(),
    deleted: z.boolean(),
    created_by: userBasic.nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    type: experimentType.nullable(),
    exposure_criteria: freeForm.nullable(),
    metrics: z.array(freeForm).meta({ description: "Primary metrics, each with uuid and fingerprint." }),
    metrics_secondary: z.array(freeForm),
    stats_config: freeForm.nullable(),
    conclusion: z.enum(conclusions).nullable(),
    conclusion_comment: z.string().nullable(),
    concluded_at: date.meta({ description: "When the conclusion was last changed." }),
    concluded_by: userBasic.nullable(),
    shipped_variant: z
      .string()
      .nullable()
      .meta({ description: "Variant shipped to everybody at the end; null if none." }),
    phases: z.array(phase).meta({
      description: "The splits from start to end, oldest first. Flag changes after the end are not included.",
    }),
    launch_plan: launchPlan.nullable().meta({ description: "The plan as of launch; null for a draft." }),
    primary_metrics_ordered_uuids: z.array(z.string()).nullable(),
    secondary_metrics_ordered_uuids: z.array(z.string()).nullable(),
    user_access_level: z.string().nullable().meta({ description: "none, viewer, editor or manager." }),
    version: z.number().int().meta({ description: "Starts at 1 and increases with every change." }),
    last_modified_by: userBasic.nullable(),
    status: experimentStatus.meta({
      description: "draft (no start), running, paused (its flag is off) or stopped (has an end).",
    }),
    unreadable_fields: unreadableFields,
  })
  .meta({ id: "Experiment" });

/** The JSON columns of a stored experiment. */
export const storedExperiment = experimentRecord.pick({
  parameters: true,
  secondary_metrics: true,
  filters: true,
  exposure_criteria: true,
  metrics: true,
  metrics_secondary: true,
  stats_config: true,
  primary_metrics_ordered_uuids: true,
  secondary_metrics_ordered_uuids: true,
});

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
export type SavedMetricRecord = z.output<typeof savedMetricRecord>;
