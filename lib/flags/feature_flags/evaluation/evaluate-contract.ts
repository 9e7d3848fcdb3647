import { z } from "zod";
import { flagUpdate, flagValue } from "#lib/flags/feature_flags/schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { DATABASE_INTEGER_MAX, projectParam } from "#lib/platform/http/params.ts";

const properties = z.record(z.string(), z.unknown());
const hash = z.number().nullable().meta({
  description: "Hash of the id, 0 to 1; null when no hash decides: nobody, everyone, or no id.",
});

/** Unsaved fields of a flag that decide who gets what. */
export const flagDraft = flagUpdate
  .pick({
    key: true,
    active: true,
    filters: true,
    ensure_experience_continuity: true,
    has_encrypted_payloads: true,
  })
  .meta({
    id: "FeatureFlagDraft",
    description: "Unsaved fields of a flag; absent ones are as stored.",
  });

const evaluateBody = z
  .object({
    id: z.number().int().min(0).max(DATABASE_INTEGER_MAX).nullish().meta({
      description: "Id of a stored flag; absent or null for the draft of a new flag.",
    }),
    draft: flagDraft
      .nullish()
      .meta({ description: "Evaluates the flag with these fields; absent: as stored." }),
    at: z.iso.datetime({ offset: true }).optional().meta({
      description:
        "Evaluates the version that was stored at this time in the past, with relative dates counted from it. Persons, groups, cohorts and other flags are taken as they are now. Not together with draft.",
    }),
    distinct_id: z
      .string()
      .min(1)
      .max(400)
      .optional()
      .meta({ description: "Any distinct id of the person, who need not be stored." }),
    person_id: z.uuid().optional().meta({
      description: "UUID of the person; evaluated with their alphabetically first distinct id.",
    }),
    person_properties: properties
      .default({})
      .meta({ description: "Properties of the person; they override stored ones." }),
    groups: z
      .record(z.string(), z.string().min(1).max(400))
      .default({})
      .meta({ description: "Group keys by group type." }),
    group_properties: z
      .record(z.string(), properties)
      .default({})
      .meta({ description: "Properties of the groups by group type; they override stored ones." }),
    use_stored: z.boolean().default(true).meta({
      description:
        "True, as in POST /flags: uses what is stored about the person and the groups as well (properties, static cohorts, the first id for flags with experience continuity). False: uses this request only.",
    }),
  })
  .meta({ id: "FeatureFlagEvaluationRequest" });

const reason = z.object({
  code: z.string().meta({ description: "The reason code of POST /flags?v=2, for example condition_match." }),
  condition_index: z.number().int().nullable().meta({ description: "As in POST /flags, counted from 0." }),
  set: z
    .number()
    .int()
    .nullable()
    .meta({ description: "The condition set that decided, counted from 1 as in the dashboard." }),
  text: z.string().meta({ description: "The reason as a sentence." }),
});

const outcome = {
  value: flagValue,
  variant: z.string().nullable(),
  payload: z.unknown().meta({ description: "The payload of the value; null without one." }),
  reason,
};

const rollout = z.object({
  percentage: z.number().meta({ description: "Rollout percentage, 0 to 100." }),
  hash,
  within: z.boolean(),
});

const row = z
  .object({
    property: z.unknown().meta({ description: "The row as written; null for a node of a cohort's tree." }),
    result: z.enum(["pass", "fail", "undecided"]),
    why: z.string().meta({ description: 'What was found, for example: plan is "free".' }),
    actual: z.unknown().meta({ description: "The value compared with; null when there is none." }),
    get rows() {
      return z
        .array(row)
        .readonly()
        .meta({ description: "The conditions of a cohort; empty for other rows." });
    },
  })
  .meta({ id: "FeatureFlagRowResult" });

const set = z
  .object({
    set: z.number().int().meta({ description: "Counted from 1, as on the flag's page." }),
    result: z
      .enum(["match", "rows_failed", "out_of_rollout", "no_group", "undecided", "skipped"])
      .meta({ description: "skipped: something before it decided; its rows are evaluated anyway." }),
    text: z.string(),
    rows: z.array(row).readonly(),
    rollout,
    variant_override: z.string().nullable().meta({ description: "The variant this set always serves." }),
  })
  .meta({ id: "FeatureFlagSetResult" });

const evaluateAnswer = z
  .object({
    key: z.string(),
    version: z.number().int().nullable().meta({
      description: "The version that is evaluated; null for a draft.",
    }),
    is_draft: z.boolean().meta({ description: "Whether the draft was evaluated, not the stored flag." }),
    ...outcome,
    if_on: z.object(outcome).nullable().meta({
      description: "For a flag that is off: its value if it were on. The sets explain this value.",
    }),
    bucketing: z.object({
      by: z.enum(["distinct_id", "group", "first_id"]).meta({
        description: "first_id: the person's first id, for experience continuity.",
      }),
      group_type: z.string().nullable(),
      id: z.string().nullable().meta({ description: "The id that is hashed." }),
    }),
    enrollment: z
      .object({ chosen: z.boolean(), rows: z.array(row).readonly() })
      .nullable()
      .meta({
        description: "Early access opt-in; null for a flag without it.",
      }),
    holdouts: z.array(z.object({ variant: z.string(), rollout })).readonly(),
    sets: z.array(set),
    variants: z
      .object({
        hash,
        by_hash: z.string().nullable(),
        ranges: z.array(z.object({ key: z.string(), start: z.number(), end: z.number() })).readonly(),
        text: z.string().nullable().meta({ description: "How the variant was chosen." }),
      })
      .nullable()
      .meta({ description: "Each variant's part of the hash range, 0 to 1; null for a boolean flag." }),
    person: z
      .object({ distinct_id: z.string(), is_stored: z.boolean() })
      .nullable()
      .meta({ description: "The person evaluated; null when none was given." }),
    groups: z.array(z.object({ type: z.string(), key: z.string(), is_stored: z.boolean() })),
  })
  .meta({ id: "FeatureFlagEvaluation", description: "The value of a flag for a person or group, and why." });

/** What one person or group gets from a flag, stored or not yet saved. */
export const evaluateContract = {
  evaluate: endpoint({
    method: "POST",
    path: "/api/projects/{project_id}/feature_flags/evaluate/",
    tag: "Feature flags",
    scope: "feature_flag:read",
    summary: "Evaluate a flag, or a draft of one, for a person or group",
    description:
      "Returns the value, payload and reason of POST /flags?v=2, and explains every condition set and row. Stores nothing.",
    params: z.object(projectParam),
    body: evaluateBody,
    status: 200,
    response: evaluateAnswer,
  }),
};

export type EvaluateRequest = z.input<typeof evaluateBody>;
export type EvaluateAnswer = z.output<typeof evaluateAnswer>;
