import { z } from "zod";
import { notificationPayload } from "#lib/notifications/messages/payload-schema.ts";
import { pageQuery } from "#lib/platform/http/paging.ts";

const DELIVERY_STATES = ["waiting", "delivered", "dead"] as const;

export const deliveryRecord = z
  .object({
    id: z.number().int().meta({ description: "Number of the delivery." }),
    message_id: z.string().meta({ description: "Webhook-Id: the same at every destination and attempt." }),
    destination: z.object({ id: z.string(), name: z.string() }),
    state: z.enum(DELIVERY_STATES).meta({ description: "waiting, delivered, or dead: failed for good." }),
    payload: notificationPayload,
    attempts: z.number().int().meta({ description: "Attempts until now, since it was last replayed." }),
    next_attempt_at: z
      .string()
      .nullable()
      .meta({ description: "null: it has been delivered or has failed for good." }),
    attempted_at: z.string().nullable(),
    response_status: z
      .number()
      .int()
      .nullable()
      .meta({ description: "Of the last attempt; null: nothing answered." }),
    response_body: z.string().nullable().meta({ description: "The beginning of the answer." }),
    error: z.string().nullable().meta({ description: "Why the last attempt failed." }),
    ended_at: z.string().nullable().meta({ description: "When it was delivered or failed for good." }),
    created_at: z.string(),
  })
  .meta({ id: "NotificationDelivery", description: "A message on its way to one destination." });

export const deliveryQuery = z.object({
  ...pageQuery,
  destination: z.uuid().optional().meta({ description: "UUID of the destination." }),
  state: z.enum(DELIVERY_STATES).optional().meta({ description: "Only those in this state." }),
});

export type DeliveryRecord = z.output<typeof deliveryRecord>;
