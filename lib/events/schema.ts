import { z } from "zod";
import { limitUpTo } from "#lib/http/paging.ts";

const PAGE_MAX = 1_000;

export const eventRecord = z
  .object({
    id: z.string().meta({ description: "UUID of the event." }),
    event: z.string().meta({ description: "Name of the event." }),
    distinct_id: z.string().meta({ description: "The id that it was sent under." }),
    timestamp: z.string().meta({ description: "When it happened." }),
    properties: z.record(z.string(), z.unknown()).meta({ description: "What was sent with it." }),
  })
  .meta({ id: "Event", description: "Something that somebody did." });

export const eventListQuery = z.object({
  limit: limitUpTo(PAGE_MAX),
  person_id: z
    .string()
    .regex(/^(?:\d{1,15}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/, "person_id must be a UUID.")
    .optional()
    .meta({ description: "Only events of this person, under whichever id." }),
  distinct_id: z.string().max(400).optional().meta({ description: "Only events sent under this id." }),
  event: z.string().max(200).optional().meta({ description: "Only events of this name." }),
  before: z.string().max(100).optional().meta({
    description: "Only events before this moment, ISO 8601; `next` adds a UUID for those of the same moment.",
  }),
});

export const eventPage = z.object({
  next: z.string().nullable().meta({ description: "Address of the next page; null on the last." }),
  results: z.array(eventRecord),
});
