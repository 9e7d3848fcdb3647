import { z } from "zod";
import { envelope, limitUpTo, pageQuery } from "#lib/platform/http/paging.ts";

const PAGE_MAX = 1_000;

export const personRecord = z
  .object({
    id: z.string().meta({ description: "UUID of the person." }),
    uuid: z.string().meta({ description: "The same." }),
    name: z.string().meta({
      description: "Display name: email address, else name, else a distinct id.",
    }),
    distinct_ids: z.array(z.string()).meta({ description: "Distinct ids of the person; at most 100." }),
    properties: z.record(z.string(), z.unknown()).meta({ description: "Properties of the person." }),
    is_identified: z.boolean().meta({ description: "Whether the person has ever been identified." }),
    created_at: z.string().meta({ description: "When the person was first seen." }),
  })
  .meta({ id: "Person", description: "Someone who sent events, under one or more distinct ids." });

export const personListQuery = z.object({
  limit: limitUpTo(PAGE_MAX),
  offset: pageQuery.offset,
  search: z.string().max(400).optional().meta({
    description:
      "Part of a distinct id, the email address or the name, case-insensitive (one or two letters: the beginning only); or a whole UUID. Finds the newest 10,000.",
  }),
  distinct_id: z.string().optional().meta({ description: "Only the person with this distinct id." }),
  properties: z.string().optional().meta({
    description:
      "JSON list of conditions that must all match, as in release conditions. Searches 50,000 to 175,000 persons at a time, unless 10,000 match sooner.",
  }),
  before: z
    .string()
    .regex(/^\d{1,15}$/, "before must come from the next field of a page.")
    .transform(Number)
    .optional()
    .meta({ description: "Only persons after this point of the list; take it from next." }),
});

export const personPage = envelope(personRecord).extend({
  count: z.number().int().meta({
    description:
      "Number of persons, counted up to 100,000, or 10,000 for a search. With conditions: matches among the persons searched so far.",
  }),
  count_is_exact: z.boolean().meta({ description: "false: there may be more than count." }),
  next: z.string().nullable().meta({
    description: "URL of the next page, beyond the counted ones too; null when nobody is left.",
  }),
});

export const personFlagsQuery = z.object({
  distinct_id: z.string().optional().meta({
    description: "Which of the person's ids to evaluate for; the alphabetically first when absent.",
  }),
  groups: z.string().optional().meta({ description: "JSON object of group keys by group type." }),
});

const flagAnswer = z.union([z.boolean(), z.string()]);

const servedFlag = z
  .object({
    value: flagAnswer.nullable().meta({ description: "The value; null where the SDK had none." }),
    timestamp: z.string().meta({ description: "When the application used it." }),
    distinct_id: z.string().meta({ description: "The distinct id it was served to." }),
    lib: z.string().nullable().meta({ description: "SDK that reported it; null if it did not say." }),
    lib_version: z.string().nullable().meta({ description: "Version of that SDK." }),
    flag_version: z.number().int().nullable().meta({
      description: "Version of the flag that decided; null if the SDK did not say.",
    }),
  })
  .meta({ id: "ServedFeatureFlag", description: "A value of a flag that an application received." });

export const personFlag = z
  .object({
    id: z.number().int().meta({ description: "Id of the flag." }),
    key: z.string().meta({ description: "Key of the flag." }),
    name: z.string().meta({ description: "What the flag is for." }),
    active: z.boolean().meta({ description: "Whether the flag is enabled at all." }),
    value: flagAnswer.meta({ description: "False, true, or the variant." }),
    payload: z.unknown().meta({ description: "The payload that goes with the value; null for none." }),
    evaluation: z.object({
      reason: z.string().meta({ description: "Why the flag has this value, for programs." }),
      condition_index: z.number().int().nullable().meta({
        description: "Index of the release condition that decided, from 0; null when none did.",
      }),
    }),
    served: servedFlag.nullable().meta({
      description: "The value served last, by the newest $feature_flag_called event; null: none was found.",
    }),
    differs: z.boolean().nullable().meta({
      description:
        "Whether the value served last is another one than the same id gets now (the chosen id, where the served one is not among the first 10). null: nothing was served, or the flag depends on a group that was not given.",
    }),
    pin: z
      .object({ id: z.string(), value: flagAnswer, until: z.string().nullable(), reason: z.string() })
      .nullable()
      .meta({ description: "What the person is pinned to; null: nothing." }),
    other_ids: z
      .array(z.object({ distinct_id: z.string(), value: flagAnswer }))
      .meta({ description: "Other ids of the person that get another value; of the first 10 ids." }),
  })
  .meta({ id: "PersonFeatureFlag", description: "The value of a flag for a person." });

export const personFlags = z.object({
  distinct_id: z.string().meta({ description: "The distinct id used for evaluation." }),
  served_since: z.string().nullable().meta({
    description:
      "Served values were looked for in the newest 10,000 events of the person, which begin here; null: in all stored events.",
  }),
  results: z.array(personFlag),
});

export type PersonRecord = z.input<typeof personRecord>;
export type PersonListQuery = z.output<typeof personListQuery>;
