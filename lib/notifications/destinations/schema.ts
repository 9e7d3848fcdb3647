import { z } from "zod";
import { userBasic } from "#lib/identity/accounts/schema.ts";
import { RESOURCE_TYPES, TYPE_NAMES } from "#lib/notifications/messages/types-schema.ts";
import { pageQuery } from "#lib/platform/http/paging.ts";

const DESTINATION_KINDS = ["webhook", "email", "slack"] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

const NAME_MAX = 100;
const ADDRESS_MAX = 2_000;
const RESOURCES_MAX = 100;
const OVERLAP_HOURS_MAX = 168;
const OVERLAP_HOURS = 24;

const resource = z
  .strictObject({
    type: z.enum(RESOURCE_TYPES),
    id: z
      .union([z.string(), z.number()])
      .transform(String)
      .pipe(z.string().regex(/^[\w-]{1,64}$/, "The id of a flag, an experiment or a survey.")),
  })
  .meta({ id: "NotificationResource" });

const unique = <T extends string>(values: T[]) => [...new Set(values)];

const fields = {
  name: z.string().trim().min(1).max(NAME_MAX).meta({ description: "What it is called." }),
  address: z.string().trim().min(1).max(ADDRESS_MAX).meta({
    description: "URL of a webhook or of an incoming webhook for Slack; for email, addresses by commas.",
  }),
  types: z
    .array(z.enum(TYPE_NAMES))
    .max(TYPE_NAMES.length)
    .transform(unique)
    .meta({ description: "Which types of notifications it gets; empty: all." }),
  resources: z
    .array(resource)
    .max(RESOURCES_MAX)
    .meta({ description: "Flags, experiments and surveys that it is limited to; empty: all." }),
  enabled: z.boolean().meta({ description: "Whether anything is sent." }),
};

export const destinationCreate = z
  .object({
    kind: z.enum(DESTINATION_KINDS).meta({ description: "How it is reached." }),
    name: fields.name,
    address: fields.address,
    types: fields.types.default([]),
    resources: fields.resources.default([]),
    enabled: fields.enabled.default(true),
  })
  .meta({ id: "NotificationDestinationCreate" });

export const destinationUpdate = z
  .object(fields)
  .partial()
  .meta({ id: "NotificationDestinationUpdate", description: "The fields to change." });

export const destinationRecord = z
  .object({
    id: z.string().meta({ description: "UUID of the destination." }),
    kind: z.enum(DESTINATION_KINDS),
    name: fields.name,
    address: z.string().nullable().meta({
      description:
        "Where it is; of Slack only the host, since the rest is a credential. null: it was stored with another ENCRYPTION_KEY.",
    }),
    types: z.array(z.enum(TYPE_NAMES)),
    resources: z.array(
      z.object({
        type: z.enum(RESOURCE_TYPES),
        id: z.string(),
        name: z.string().nullable().meta({
          description: "What it is called; null: it was deleted, or the key cannot read it.",
        }),
      }),
    ),
    enabled: z.boolean(),
    failures: z.number().int().meta({ description: "Failed attempts in a row." }),
    blocked_until: z.string().nullable().meta({
      description: "The last attempt failed, and everything waits until then; null: it did not.",
    }),
    delivered_at: z.string().nullable().meta({ description: "When something last arrived." }),
    waiting: z.number().int().meta({ description: "Messages on their way." }),
    dead: z.number().int().meta({ description: "Messages that failed for good." }),
    secret: z.string().optional().meta({
      description: "Of webhooks: signs what is sent. Shown once, when it is made.",
    }),
    previous_secret_until: z.string().nullable().meta({
      description: "Until when the secret before the present one signs as well; null: it does not.",
    }),
    created_by: userBasic.nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "NotificationDestination", description: "Where notifications of a project go." });

export const secretRotate = z
  .object({
    overlap_hours: z
      .number()
      .int()
      .min(0)
      .max(OVERLAP_HOURS_MAX)
      .default(OVERLAP_HOURS)
      .meta({
        description: `For how long the current secret also signs; ${OVERLAP_HOURS} when absent.`,
      }),
  })
  .meta({ id: "NotificationSecretRotate" });

export const testResult = z
  .object({
    delivered: z.boolean().meta({ description: "Whether the receiver took it." }),
    response_status: z.number().int().nullable().meta({ description: "null: nothing answered." }),
    response_body: z.string().nullable().meta({ description: "The beginning of the answer." }),
    error: z.string().nullable().meta({ description: "What went wrong; null if nothing did." }),
  })
  .meta({ id: "NotificationTestResult", description: "What became of a test." });

export const replayed = z
  .object({ replayed: z.number().int().meta({ description: "How many are sent again." }) })
  .meta({ id: "NotificationsReplayed" });

export const destinationQuery = z.object(pageQuery);

export type DestinationRecord = z.output<typeof destinationRecord>;
export type TestResult = z.output<typeof testResult>;
