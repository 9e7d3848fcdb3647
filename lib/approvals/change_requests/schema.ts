import { z } from "zod";
import { userBasic } from "#lib/identity/accounts/schema.ts";
import { moment } from "#lib/platform/http/moment-schema.ts";
import { pageQuery } from "#lib/platform/http/paging.ts";
import { DATABASE_INTEGER_MAX } from "#lib/platform/http/params.ts";

const STATES = ["pending", "approved", "applied", "rejected", "expired", "failed"] as const;
const DECISIONS = ["approved", "rejected", "changes_requested"] as const;

const TITLE_MAX = 200;
const TEXT_MAX = 10_000;
const CHANGES_MAX = 50;
const PATH_MAX = 500;

const text = z.string().trim().max(TEXT_MAX);

const change = z
  .object({
    method: z.enum(["POST", "PATCH", "PUT", "DELETE"]),
    path: z.string().max(PATH_MAX).meta({ description: "Path of the API, as it would be called." }),
    body: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: "ProposedChange", description: "A call that writes a flag, cohort, experiment or survey." });

const listOf = <T extends z.ZodType>(each: T) =>
  z
    .array(each)
    .min(1, "There is nothing to change.")
    .max(CHANGES_MAX)
    .meta({ description: "Applied in this order, all of them or none." });

const revised = z.union([
  z
    .strictObject({ keep: z.number().int().min(0) })
    .meta({ description: "A change of the request that stays, by its place, counted from 0." }),
  change,
]);

export const changeRequestCreate = z
  .object({
    title: z.string().trim().max(TITLE_MAX).optional().meta({ description: "Absent: what it changes." }),
    description: text.default("").meta({ description: "Why, for the reviewers." }),
    changes: listOf(change),
  })
  .meta({ id: "ChangeRequestCreate" });

export const changeRequestUpdate = z
  .object({
    title: z.string().trim().min(1).max(TITLE_MAX),
    description: text,
    changes: listOf(revised),
    updated_at: z.string().meta({
      description: "That of the request as it was read: 409 if it has been changed since.",
    }),
  })
  .partial()
  .meta({
    id: "ChangeRequestUpdate",
    description: "New changes take the place of the old ones, and void the votes.",
  });

export const scheduleBody = z
  .object({
    apply_at: moment("When it is applied, once it has its approvals; null: by its last approval."),
  })
  .meta({ id: "ChangeRequestSchedule" });

const reason = text.default("");

export const reviewBody = z.object({ reason }).meta({ id: "ChangeRequestReview" });
export const reasonedBody = z
  .object({ reason: text.min(1, "A reason is required.") })
  .meta({ id: "ChangeRequestReason" });

const count = z.number().int();
const value = z.union([z.boolean(), z.string(), z.null()]);

const flagImpact = z.object({
  id: count,
  key: z.string(),
  is_written: z.boolean().meta({ description: "False: it depends on what is written." }),
  group_type_index: count.nullable().meta({ description: "What is counted; null: people." }),
  changed: count,
  total: count,
  cells: z.array(z.object({ before: value, after: value, count })),
  is_internal: z.boolean().meta({
    description: "Whether a survey keeps it for itself, to choose its audience; who_changes leaves it out.",
  }),
});

const impact = z
  .object({
    changed: count.meta({ description: "Of the flag with the largest share." }),
    total: count,
    flags: z.array(flagImpact),
    running_experiments: z.array(z.string()),
    running_surveys: z.array(z.string()),
    new_properties: z.array(z.string()),
    as_of: z.string(),
  })
  .meta({
    id: "ChangeRequestImpact",
    description:
      "Whose value it changes, against what was last approved (without policies: against what is served).",
  });

const countedFlag = flagImpact.omit({ is_internal: true }).extend({
  cells: z.array(
    z.object({
      before: value,
      after: value,
      count,
      is_changed: z.boolean().meta({ description: "Whether the value differs, or its payload." }),
    }),
  ),
});

export const requestWhoChanges = z.object({ flags: z.array(countedFlag), as_of: z.string() }).meta({
  id: "ChangeRequestWhoChanges",
  description: "Whose value it changes, counted on those who are stored now.",
});

/** One count of a request. */
export const requestCell = z.object({
  flag: count.min(0).max(DATABASE_INTEGER_MAX),
  before: value,
  after: value,
});

const review = z.object({
  id: count,
  created_by: userBasic.nullable(),
  decision: z.enum(DECISIONS),
  reason: z.string(),
  created_at: z.string(),
});

const nullableText = z.string().nullable();

export const changeRequestRecord = z
  .object({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    action_key: z.string(),
    action_version: count,
    resource_type: z
      .string()
      .meta({ description: "feature_flag, cohort, experiment or survey; change_set: several." }),
    resource_id: nullableText,
    resources: z.array(z.object({ resource: z.string(), id: z.string(), name: z.string() })),
    parts: z.array(z.object({ written: z.array(z.string()), flags: z.array(count) })).meta({
      description:
        "Of each call: the records that it writes, as resource/id, and the flags of which it changes the value.",
    }),
    intent: z
      .object({ changes: z.array(z.unknown()) })
      .meta({ description: "The calls. Encrypted payloads are masked." }),
    intent_display: z
      .object({
        description: z.string(),
        entries: z.array(
          z.object({ scope: z.string(), item_id: z.string(), activity: z.string(), detail: z.unknown() }),
        ),
      })
      .meta({ description: "What the activity log would say." }),
    impact,
    policy_snapshot: z
      .object({
        quorum: count,
        users: z.array(count),
        policies: z.array(z.unknown()),
        in_words: z.array(z.string()),
      })
      .meta({ description: "What it needs under the policies that were in force when it was made." }),
    validation_status: z.enum(["valid", "invalid", "expired", "stale"]),
    validation_errors: z.unknown(),
    validated_at: nullableText,
    state: z.enum(STATES),
    created_by: userBasic.nullable(),
    actor: z.enum(["person", "key", "agent"]),
    applied_by: userBasic.nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    expires_at: z.string(),
    applied_at: nullableText,
    apply_at: nullableText.meta({
      description: "When it is applied once it has its approvals; null: by its last approval.",
    }),
    apply_error: z.string(),
    result_data: z.unknown(),
    bypass_reason: nullableText.meta({
      description: "Why it was applied without its approvals; null: it was not.",
    }),
    approvals: z.array(review),
    comments: z.array(review.omit({ decision: true })),
    approvals_missing: count.meta({ description: "How many approvals it still waits for." }),
    can_approve: z.boolean(),
    can_apply: z.boolean(),
    can_bypass: z.boolean(),
    can_cancel: z.boolean(),
    can_revise: z.boolean(),
    is_requester: z.boolean(),
    needed_scopes: z
      .array(z.string())
      .meta({ description: "The scopes that a key needs to decide on it: those of its changes." }),
    user_decision: z.enum(DECISIONS).nullable(),
  })
  .meta({ id: "ChangeRequest", description: "A change that waits for approval." });

export const reviewAnswer = z
  .object({ status: z.string(), message: z.string(), change_request: changeRequestRecord })
  .meta({ id: "ChangeRequestAnswer" });

/** What a write is answered with (202) that a policy holds. */
export const approvalNeeded = z
  .object({
    code: z.literal("approval_required"),
    status: z.literal("approval_required"),
    message: z.string(),
    resource_type: z.string(),
    resource_id: nullableText,
    change_request_id: z.string(),
    change_request: changeRequestRecord,
    required_approvers: z.object({ quorum: count, users: z.array(count) }),
  })
  .meta({ id: "ApprovalNeeded", description: "Nothing was written: a policy asks for approval." });

export const changeRequestQuery = z.object({
  ...pageQuery,
  state: z.string().optional().meta({ description: "One or several states, with commas between them." }),
  action_key: z.string().optional().meta({ description: "What kind of change: feature_flag.enable, say." }),
  requester: z
    .union([z.literal("@me"), z.coerce.number().int().min(1).max(DATABASE_INTEGER_MAX)])
    .optional()
    .meta({ description: "Id of the user who made it; @me: whoever calls." }),
  writes: z
    .string()
    .regex(/^(?:feature_flag|cohort|experiment|survey)\/[\w-]{1,36}$/, "A record, such as feature_flag/3.")
    .optional()
    .meta({ description: "A record that it changes, possibly among others: feature_flag/3." }),
  resource_type: z.string().optional().meta({ description: "Kind of the record that it changes." }),
  resource_id: z.string().optional().meta({ description: "Id of the record that it changes." }),
});

export type ChangeRequest = z.output<typeof changeRequestRecord>;
export type RequestWhoChanges = z.output<typeof requestWhoChanges>;
export type RevisedChange = z.output<typeof revised>;
export type ProposedChange = z.output<typeof change>;
