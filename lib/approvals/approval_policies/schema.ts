import { z } from "zod";
import { userBasic } from "#lib/identity/accounts/schema.ts";
import { pageQuery } from "#lib/platform/http/paging.ts";
import { parseLifetime } from "./lifetime.ts";

/** What a policy is about: one of the public actions, or any change of what is served. */
export const ACTION_KEYS = [
  "change",
  "feature_flag.enable",
  "feature_flag.disable",
  "feature_flag.update",
] as const;
export const RESOURCES = ["feature_flag", "cohort", "experiment", "survey"] as const;
export const ACTORS = ["person", "key", "agent"] as const;
export const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;
export const OPERATORS = [">", "<", ">=", "<=", "==", "!="] as const;
export const LEVELS = [1, 8, 15] as const;

const QUORUM_MAX = 20;
const USERS_MAX = 100;
const TIMES_MAX = 20;
const NO_ROLES = "There are no roles here: leave this empty.";

const listOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.array(z.enum(values)).min(1, "Name at least one.").max(values.length, `Name at most ${values.length}.`);

const clock = z
  .string()
  .regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, "A time of day from 00:00 to 24:00, such as 16:00.");

const times = z
  .array(
    z.strictObject({ days: listOf(DAYS), from: clock, to: clock }).refine(({ from, to }) => from < to, {
      message: "to must be after from: a night is two entries, one for each day.",
      path: ["to"],
    }),
  )
  .min(1, "Name at least one.")
  .max(TIMES_MAX, `Name at most ${TIMES_MAX}.`);

export const impactConditions = z
  .strictObject({
    type: z.literal("impact"),
    share_above: z
      .number()
      .min(0)
      .max(100)
      .optional()
      .meta({ description: "Percent: it changes the value of a larger share of people." }),
    people_above: z
      .number()
      .int()
      .min(0)
      .optional()
      .meta({ description: "It changes the value of more people." }),
    running_experiment: z.literal(true).optional().meta({ description: "It touches a running experiment." }),
    running_survey: z.literal(true).optional().meta({ description: "It touches a running survey." }),
    new_property: z.literal(true).optional().meta({ description: "It reads a property not read before." }),
    resources: listOf(RESOURCES).optional().meta({ description: "It changes one of these." }),
    actors: listOf(ACTORS)
      .optional()
      .meta({ description: "One of these requests it: a person, an API key, an agent." }),
    times: times.optional().meta({
      description:
        "It is requested on one of these days between from and to, in the time zone of the project.",
    }),
  })
  .meta({ description: "The computed impact of a change: all members that are given hold." });

const field = z.literal("rollout_percentage");
const compared = { field, operator: z.enum(OPERATORS), value: z.number() };

const knownConditions = z.discriminatedUnion("type", [
  impactConditions,
  z
    .strictObject({ type: z.literal("before_after"), ...compared })
    .meta({ description: "A rollout percentage compares like this after the change." }),
  z
    .strictObject({ type: z.literal("change_amount"), ...compared })
    .meta({ description: "How much a rollout percentage grows compares like this." }),
  z
    .strictObject({ type: z.literal("any_change"), field })
    .meta({ description: "A rollout percentage changes." }),
]);
const noConditions = z.strictObject({});

/** When a policy is in force; without a member it always is. */
export const policyConditions = z
  .union([knownConditions, noConditions])
  .meta({ id: "ApprovalPolicyConditions", description: "When it is in force; {}: always." });

/** The same in a body, where a problem names the member that it is in. */
const sentConditions = z
  .record(z.string(), z.unknown())
  .transform((value, context) => {
    const schema = Object.keys(value).length > 0 ? knownConditions : noConditions;
    const parsed = schema.safeParse(value, { reportInput: true });
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  })
  .meta({
    description:
      "When it is in force; {}: always. Public types: before_after, change_amount, any_change. Of our own: impact; see ApprovalPolicyConditions.",
  });

const noRoles = z
  .array(z.string())
  .max(0, NO_ROLES)
  .meta({ description: "Always empty: there are no roles." });

const approverConfig = z.strictObject({
  quorum: z.number().int().min(1).max(QUORUM_MAX).meta({ description: "How many have to approve." }),
  users: z
    .array(z.number().int())
    .max(USERS_MAX, `Name at most ${USERS_MAX}.`)
    .default([])
    .meta({ description: "Ids of those who may approve; empty: every member of the organization." }),
  roles: noRoles.default([]),
});

const level = z
  .union([z.literal(LEVELS), z.literal(LEVELS.map(String))])
  .transform((value) => Number(value) as (typeof LEVELS)[number]);

const lifetime = z
  .union([z.string(), z.number()])
  .transform((value, context) => {
    const seconds = parseLifetime(String(value));
    if (seconds !== null) return seconds;
    context.addIssue({
      code: "custom",
      message: 'A duration from a minute to a year, such as "14 00:00:00" or P14D.',
    });
    return z.NEVER;
  })
  .meta({ description: 'How long a request waits for approval: "14 00:00:00", ISO 8601, or seconds.' });

const fields = {
  action_key: z.enum(ACTION_KEYS).meta({
    description: "What it is about: an action on a flag, or any change of what is served (change).",
  }),
  conditions: sentConditions,
  approver_config: approverConfig.meta({ description: "Who has to approve; not used if forbidden." }),
  forbidden: z.boolean().meta({
    description: "Whether such a change is refused instead, so that nobody can approve it.",
  }),
  allow_self_approve: z.boolean().meta({ description: "Whether whoever asks for a change may approve it." }),
  bypass_org_membership_levels: z
    .array(level)
    .max(LEVELS.length)
    .transform((levels) => [...new Set(levels)])
    .meta({
      description:
        "Members with these levels (1 member, 8 administrator, 15 owner) are free of it; their agents are not.",
    }),
  bypass_roles: noRoles,
  expires_after: lifetime,
  enabled: z.boolean().meta({ description: "Whether it is used." }),
};

const approversNeeded = (body: { forbidden?: boolean; approver_config?: unknown }) =>
  body.forbidden === true || body.approver_config !== undefined;
const APPROVERS_NEEDED = {
  path: ["approver_config"],
  message: "This field is required.",
  params: { code: "required" },
};

/** Everything but what a policy is about has a default, as in the public service. */
export const policyCreate = z
  .object({
    action_key: fields.action_key,
    conditions: fields.conditions.default({}),
    approver_config: fields.approver_config.optional(),
    forbidden: fields.forbidden.default(false),
    allow_self_approve: fields.allow_self_approve.default(false),
    bypass_org_membership_levels: fields.bypass_org_membership_levels.default([]),
    bypass_roles: fields.bypass_roles.default([]),
    expires_after: fields.expires_after.default(parseLifetime("P14D") ?? 0),
    enabled: fields.enabled.default(true),
  })
  .refine(approversNeeded, APPROVERS_NEEDED)
  .meta({ id: "ApprovalPolicyCreate" });

export const policyUpdate = z
  .object(fields)
  .partial()
  .meta({ id: "ApprovalPolicyUpdate", description: "The fields to change." });

export const policyRecord = z
  .object({
    id: z.string().meta({ description: "UUID of the policy." }),
    action_key: z.enum(ACTION_KEYS),
    conditions: policyConditions,
    approver_config: z.object({
      quorum: z.number().int(),
      users: z.array(z.number().int()),
      roles: z.array(z.string()),
    }),
    forbidden: z.boolean(),
    allow_self_approve: z.boolean(),
    bypass_org_membership_levels: z.array(z.number().int()),
    bypass_roles: z.array(z.string()),
    expires_after: z.string().meta({ description: 'Days and a time: "14 00:00:00".' }),
    enabled: z.boolean(),
    in_words: z.string().meta({ description: "What it asks for, as a sentence." }),
    warnings: z
      .array(z.string())
      .meta({ description: "Changes that it leaves without enough approvers, if there are any." }),
    created_by: userBasic.nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "ApprovalPolicy", description: "Which changes need whose approval." });

export const policyQuery = z.object({
  ...pageQuery,
  action_key: z.string().optional().meta({ description: "What it is about." }),
  enabled: z
    .string()
    .optional()
    .meta({ description: "true for those in use, anything else for the others." }),
});

export type PolicyConditions = z.output<typeof policyConditions>;
export type ImpactConditions = z.output<typeof impactConditions>;
export type PolicyRecord = z.output<typeof policyRecord>;
