import type { DestinationRow } from "#lib/notifications/deliveries/store.ts";
import type { Recipients } from "#lib/notifications/destinations/store.ts";
import type { Message } from "./messages.ts";

export type Recipient = { destination: DestinationRow; digest: boolean };

/**
 * Who gets a message: destinations that take its type and what it concerns, and people who subscribed to that, except
 * for what they did themselves.
 */
export function recipientsOf(
  { type, concerns, payload, created_at }: Pick<Message, "type" | "concerns" | "payload" | "created_at">,
  { destinations, subscriptions }: Recipients,
): Recipient[] {
  const concerned = new Set(concerns);
  return destinations.flatMap((destination): Recipient[] => {
    if (!destination.enabled || destination.created_at > created_at) return [];
    if (destination.kind !== "person") {
      const takesType = destination.types.length === 0 || destination.types.includes(type);
      const takesResource =
        destination.resources.length === 0 || destination.resources.some((each) => concerned.has(each));
      return takesType && takesResource ? [{ destination, digest: false }] : [];
    }
    if (payload.data.actor?.id === destination.user_id) return [];
    const wanted = subscriptions.filter(
      ({ user_id, resource_type, resource_id, created_at: since }) =>
        user_id === destination.user_id &&
        since <= created_at &&
        concerned.has(`${resource_type}/${resource_id}`),
    );
    if (wanted.length === 0) return [];
    return [{ destination, digest: wanted.every(({ digest }) => digest) }];
  });
}
