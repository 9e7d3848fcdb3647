import { z } from "zod";
import { notificationPayload } from "#lib/notifications/messages/payload-schema.ts";
import { RESOURCE_TYPES } from "#lib/notifications/messages/types-schema.ts";
import { pageQuery } from "#lib/platform/http/paging.ts";

const resource_type = z.enum(RESOURCE_TYPES).meta({ description: "A flag, an experiment or a survey." });
const ID = /^(?:\d{1,9}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
const resource_id = z.string().meta({ description: "Its id, as a string." });

export const subscriptionCreate = z
  .object({
    resource_type,
    resource_id: z.union([z.string(), z.number().int()]).transform(String).meta({ description: "Its id." }),
    digest: z
      .boolean()
      .default(false)
      .meta({ description: "Once a day at eight, in the time zone of the project, instead of at once." }),
  })
  .meta({ id: "NotificationSubscriptionCreate" });

export const subscriptionRecord = z
  .object({
    resource_type,
    resource_id,
    name: z
      .string()
      .nullable()
      .meta({ description: "What it is called; for a flag, its key. null: the key may not read it." }),
    digest: z.boolean().meta({ description: "Whether it arrives once a day instead of at once." }),
    created_at: z.string(),
  })
  .meta({ id: "NotificationSubscription", description: "What somebody wants to be notified of by e-mail." });

export const subscriptionQuery = z.object({
  ...pageQuery,
  resource_type: resource_type.optional().meta({ description: "Only those of this kind." }),
  resource_id: resource_id.optional().meta({ description: "Only the one about this resource." }),
});

export const subscriptionList = z.object({
  count: z.number().int().meta({ description: "Total number of records." }),
  next: z.string().nullable().meta({ description: "URL of the next page; null on the last." }),
  previous: z.string().nullable().meta({ description: "URL of the previous page; null on the first." }),
  results: z.array(subscriptionRecord).meta({ description: "The records of this page." }),
  email: z.string().meta({ description: "Where they are sent." }),
  can_send: z.boolean().meta({ description: "Whether a server for e-mail is configured." }),
});

export const digest = z
  .object({
    sends_at: z
      .string()
      .meta({ description: "When the next digest is due; it is sent if there is anything." }),
    email: z.string().meta({ description: "Where it is sent." }),
    can_send: z.boolean().meta({ description: "Whether a server for e-mail is configured." }),
    mail: z
      .object({ subject: z.string(), text: z.string().meta({ description: "The mail as plain text." }) })
      .nullable()
      .meta({ description: "What would be sent now; null: nothing." }),
    messages: z.array(notificationPayload).meta({ description: "What it is made of, the oldest first." }),
    hidden: z.number().int().meta({
      description: "Further messages of the digest, about what the key may not read.",
    }),
  })
  .meta({ id: "NotificationDigest", description: "What somebody's next digest says so far." });

export type Digest = z.output<typeof digest>;

/** The resource in a path; an id that none can have names no record. */
export const subscriptionParams = {
  resource_type,
  resource_id: z.string().regex(ID).meta({ description: "Its id." }),
};

export type SubscriptionRecord = z.output<typeof subscriptionRecord>;
