import { z } from "zod";
import { endpoint } from "#lib/http/contract.ts";
import { DATABASE_INTEGER_MAX, projectParam } from "#lib/http/params.ts";
import { flagUpdate, flagValue } from "./schema.ts";

const properties = z.record(z.string(), z.unknown());
const hash = z.number().nullable().meta({
  description: "Where the id falls, 0 to 1; null where no hash decides: nobody, everyone, or no id.",
});

const draft = flagUpdate
  .pick({
    key: true,
    active: true,
    filters: true,
    ensure_experience_continuity: true,
    has_encrypted_payloads: true,
  })
  .meta({
    id: "FeatureFlagDraft",
    description: "Fields of a flag that are not saved; absent ones are as stored.",
  });

const evaluateBody = z
  .object({
    id: z.number().int().min(0).max(DATABASE_INTEGER_MAX).nullish().meta({
      description: "The stored flag; absent or null: the draft is of a new flag.",
    }),
    draft: draft
      .nullish()
      .meta({ description: "Evaluates the flag with these fields. Absent: as it is stored." }),
    distinct_id: z
      .string()
      .min(1)
      .max(400)
      .optional()
      .meta({ description: "The person, by any of their distinct ids. Stored people and others." }),
    person_id: z.uuid().optional().meta({
      description: "The person, by UUID; evaluated by their alphabetically first distinct id.",
    }),
    person_properties: properties
      .default({})
      .meta({ description: "Properties of the person; they win over stored ones." }),
    groups: z
      .record(z.string(), z.string().min(1).max(400))
      .default({})
      .meta({ description: "Group keys by group type." }),
    group_properties: z
      .record(z.string(), properties)
      .default({})
      .meta({ description: "Properties of the groups by group type; they win over stored ones." }),
    use_stored: z.boolean().default(true).meta({
      description:
        "True, as in POST /flags: what is stored of the person and the groups counts too (properties, static cohorts, the first id of flags with experience continuity). False: only what this request says.",
    }),
  })
  .meta({ id: "FeatureFlagEvaluationRequest" });

const reason = z.object({
  code: z.string().meta({ description: "The reason code of POST /flags?v=2, for example condition_match." }),
  condition_index: z.number().int().nullable().meta({ description: "As in POST /flags: counts from 0." }),
  set: z
    .number()
    .int()
    .nullable()
    .meta({ description: "The condition set that decided, counting from 1 as the dashboard does." }),
  text: z.string().meta({ description: "The reason as a sentence." }),
});

const outcome = {
  value: flagValue,
  variant: z.string().nullable(),
  payload: z.unknown().meta({ description: "The payload that goes with the value; null without one." }),
  reason,
};

const rollout = z.object({
  percentage: z.number().meta({ description: "How many get in, 0 to 100." }),
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
    set: z.number().int().meta({ description: "Counts from 1, as on the flag's page." }),
    result: z
      .enum(["match", "rows_failed", "out_of_rollout", "no_group", "undecided", "skipped"])
      .meta({ description: "skipped: something before it decided; its rows are worked out all the same." }),
    text: z.string(),
    rows: z.array(row).readonly(),
    rollout,
    variant_override: z.string().nullable().meta({ description: "The variant that this set always gives." }),
  })
  .meta({ id: "FeatureFlagSetResult" });

const evaluateAnswer = z
  .object({
    key: z.string(),
    is_draft: z.boolean().meta({ description: "Whether the draft was evaluated, or what is stored." }),
    ...outcome,
    if_on: z.object(outcome).nullable().meta({
      description: "Of a flag that is off: what it would give if it were on. The sets explain this value.",
    }),
    bucketing: z.object({
      by: z.enum(["distinct_id", "group", "first_id"]).meta({
        description: "first_id: the id that the person had first, for experience continuity.",
      }),
      group_type: z.string().nullable(),
      id: z.string().nullable().meta({ description: "The id that is hashed." }),
    }),
    enrollment: z
      .object({ chosen: z.boolean(), rows: z.array(row).readonly() })
      .nullable()
      .meta({
        description: "Opting in to early access; null for a flag without.",
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
      .meta({ description: "The person evaluated; null when none was named." }),
    groups: z.array(z.object({ type: z.string(), key: z.string(), is_stored: z.boolean() })),
  })
  .meta({ id: "FeatureFlagEvaluation", description: "What a flag gives one person or group, and why." });

/** What one person or group gets from a flag, stored or not yet saved. */
export const evaluateContract = {
  evaluate: endpoint({
    method: "POST",
    path: "/api/projects/{project_id}/feature_flags/evaluate/",
    tag: "Feature flags",
    scope: "feature_flag:read",
    summary: "Evaluate a flag, or a draft of one, for a person or group",
    description:
      "Value, payload and reason are those that POST /flags?v=2 would answer, with every condition set and row explained. Stores nothing.",
    params: z.object(projectParam),
    body: evaluateBody,
    status: 200,
    response: evaluateAnswer,
  }),
};

export type EvaluateRequest = z.input<typeof evaluateBody>;
export type EvaluateAnswer = z.output<typeof evaluateAnswer>;
