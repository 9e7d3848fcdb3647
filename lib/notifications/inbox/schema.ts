import { z } from "zod";
import { RESOURCE_TYPES } from "#lib/notifications/messages/types-schema.ts";

/** From what cannot wait to what is only untidy; the inbox is ordered by it. */
export const URGENCIES = ["now", "today", "soon"] as const;

const KEY_MAX = 200;

const inboxItem = z
  .object({
    key: z.string().meta({ description: "Names it within the project." }),
    version: z.string().meta({ description: "Changes when the item does." }),
    urgency: z.enum(URGENCIES),
    title: z.string().meta({ description: "What it is." }),
    why: z.string().meta({ description: "Why it matters, in one sentence." }),
    since: z.string().meta({ description: "Since when." }),
    action: z
      .object({
        label: z.string(),
        path: z.string().meta({ description: "Page of the dashboard, below /project/{id}/." }),
      })
      .meta({ description: "The one thing to do next." }),
    resource: z
      .object({ type: z.enum(RESOURCE_TYPES), id: z.string(), name: z.string() })
      .nullable()
      .meta({ description: "The flag, experiment or survey that it is about; null: none of these." }),
  })
  .meta({ id: "InboxItem" });

export const inbox = z
  .object({
    items: z.array(inboxItem).meta({ description: "The most urgent first, then the latest." }),
    set_aside: z.number().int().meta({ description: "Further items that you have set aside." }),
    complete: z.boolean().meta({ description: "false: there is more of a kind than is shown." }),
  })
  .meta({ id: "Inbox", description: "What needs your attention in a project." });

export const inboxDismiss = z
  .object({
    key: z.string().min(1).max(KEY_MAX).meta({ description: "The key of an item." }),
    version: z.string().min(1).max(KEY_MAX).meta({ description: "The version that you saw." }),
  })
  .meta({ id: "InboxDismiss" });

export type Inbox = z.output<typeof inbox>;
export type InboxRecord = z.output<typeof inboxItem>;
