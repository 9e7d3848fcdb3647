import { z } from "zod";
import { limitUpTo } from "#lib/platform/http/paging.ts";

const PAGE_MAX = 1_000;

export const eventRecord = z
  .object({
    id: z.string().meta({ description: "UUID of the event." }),
    event: z.string().meta({ description: "Name of the event." }),
    distinct_id: z.string().meta({ description: "The distinct id it was sent with." }),
    timestamp: z.string().meta({ description: "When it happened." }),
    properties: z.record(z.string(), z.unknown()).meta({ description: "Its properties." }),
  })
  .meta({ id: "Event", description: "Something a person did." });

export const eventListQuery = z.object({
  limit: limitUpTo(PAGE_MAX),
  person_id: z
    .string()
    .regex(/^(?:\d{1,15}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/, "person_id must be a UUID.")
    .optional()
    .meta({ description: "Only events of this person, under any id." }),
  distinct_id: z.string().max(400).optional().meta({ description: "Only events sent under this id." }),
  event: z.string().max(200).optional().meta({ description: "Only events of this name." }),
  feature_flag: z
    .string()
    .max(400)
    .optional()
    .meta({ description: "Only calls of the feature flag with this key." }),
  before: z.string().max(100).optional().meta({
    description:
      "Only events before this time, ISO 8601; `next` adds a UUID to tell events at the same time apart.",
  }),
});

export const eventPage = z.object({
  next: z.string().nullable().meta({ description: "URL of the next page; null on the last." }),
  deleted_before: z
    .string()
    .nullable()
    .meta({ description: "Events before this time were deleted because of their age; null: none were." }),
  unreadable: z
    .object({
      from: z.string().meta({ description: "The first of these days (UTC)." }),
      to: z.string().meta({ description: "The last of them." }),
    })
    .nullable()
    .meta({
      description:
        "Days whose events are missing from the page: they are only in ClickHouse, which cannot be read now. null: nothing is missing.",
    }),
  results: z.array(eventRecord),
});
