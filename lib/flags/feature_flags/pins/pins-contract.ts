import { z } from "zod";
import { userBasic } from "#lib/identity/accounts/schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope, pageQuery } from "#lib/platform/http/paging.ts";
import { integerId, projectParam } from "#lib/platform/http/params.ts";

const tag = "Feature flags";
const root = "/api/projects/{project_id}/feature_flags/{id}/pins/" as const;
const flag = z.object({ ...projectParam, id: integerId("flag") });

/** SDKs that evaluate flags themselves download the pins of all flags. */
export const PINS_MAX = 20;
export const PIN_IDS_MAX = 20;
const REASON_MAX = 400;

const value = z.union([z.boolean(), z.string().max(400)]);

const pinCreate = z
  .object({
    person_id: z.uuid().optional().meta({ description: "UUID of the person; or give a distinct_id." }),
    distinct_id: z.string().min(1).max(400).optional().meta({ description: "A distinct id of the person." }),
    value: value.meta({
      description: "What the person gets: false, a variant, or true for a flag without variants.",
    }),
    until: z.iso.datetime({ offset: true }).nullable().default(null).meta({
      description: "When the pin ends, ISO 8601; null: when it is removed.",
    }),
    reason: z
      .string()
      .trim()
      .max(REASON_MAX)
      .default("")
      .meta({ description: "Why, for others who edit the flag." }),
  })
  .meta({ id: "FeatureFlagPinCreate" });

const pinRecord = z
  .object({
    id: z.string().meta({ description: "UUID of the pin." }),
    person: z
      .object({ id: z.string().meta({ description: "UUID of the person." }), name: z.string() })
      .nullable()
      .meta({ description: "null: there is nobody with these distinct ids any more." }),
    distinct_ids: z.array(z.string()).meta({
      description: "Whom it concerns: the ids that the person had when it was made.",
    }),
    value,
    until: z.string().nullable().meta({ description: "When it ends; null: when it is removed." }),
    reason: z.string(),
    created_by: userBasic.nullable(),
    created_at: z.string(),
    problem: z.string().nullable().meta({
      description:
        "Why it has no effect as the flag is now, such as a variant that was removed; null: it has.",
    }),
  })
  .meta({
    id: "FeatureFlagPin",
    description: "The value that one person gets, whatever the targeting says.",
  });

/** Values of a flag that are pinned for single people. No other write of a flag can change them. */
export const pinsContract = {
  pins: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "person:read",
    summary: "List the people who are pinned to a value of a feature flag",
    description: "The oldest pin first; those that have expired are left out.",
    params: flag,
    query: z.object(pageQuery),
    status: 200,
    response: envelope(pinRecord),
  }),
  create_pin: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "feature_flag:write",
    summary: "Pin a value of a feature flag for one person",
    description: `While it lasts, the person gets this value under each of the distinct ids that they have now, whatever the targeting says; nobody else is affected. A pin that the person has already is replaced. Up to ${PINS_MAX} per flag, each for a person with up to ${PIN_IDS_MAX} distinct ids. Refused while an experiment runs on the flag, and for flags with early access, holdouts, or that are decided per group. The key needs person:read, too.`,
    params: flag,
    body: pinCreate,
    status: 201,
    response: pinRecord,
  }),
  destroy_pin: endpoint({
    method: "DELETE",
    path: `${root}{pin_id}/`,
    tag,
    scope: "feature_flag:write",
    summary: "Remove a pin",
    description: "The person then gets what the targeting says.",
    params: flag.extend({ pin_id: z.uuid().meta({ description: "UUID of the pin." }) }),
    status: 204,
  }),
};

export type PinCreate = z.input<typeof pinCreate>;
export type PinRecord = z.output<typeof pinRecord>;
