import { z } from "zod";
import { RESOURCE_TYPES, TEST_TYPE, TYPE_NAMES } from "./types-schema.ts";

const change = z.object({
  what: z.string().meta({ description: "What changed, in words." }),
  before: z.string().nullable().meta({ description: "How it read before; null when empty or secret." }),
  after: z.string().nullable().meta({ description: "How it reads now; null when empty or secret." }),
});

/** What a webhook gets as its body; see docs/notifications.md. */
export const notificationPayload = z
  .object({
    type: z.enum([...TYPE_NAMES, TEST_TYPE]).meta({ description: "What kind of thing has happened." }),
    timestamp: z.string().meta({ description: "When it happened, ISO 8601." }),
    data: z.object({
      title: z.string().meta({ description: "The same as a sentence." }),
      detail: z
        .string()
        .nullable()
        .meta({ description: "Why it matters; null where the title says it all." }),
      project: z.object({ id: z.number().int(), name: z.string() }),
      actor: z
        .object({ id: z.number().int(), name: z.string(), email: z.string() })
        .nullable()
        .meta({ description: "Who did it; null: Switchyard itself." }),
      resource: z
        .object({
          type: z.enum([...RESOURCE_TYPES, "cohort", "change_request", "approval_policy", "project"]),
          id: z.string(),
          name: z.string(),
        })
        .meta({ description: "What it happened to." }),
      action: z.string().meta({ description: "What was done: created, updated, approved …" }),
      changes: z.array(change).meta({ description: "What changed, in words; empty where nothing did." }),
      link: z.string().meta({ description: "Address of the page that shows it." }),
    }),
  })
  .meta({ id: "NotificationPayload", description: "What is sent to destinations." });

export type Payload = z.output<typeof notificationPayload>;
export type Change = z.output<typeof change>;
