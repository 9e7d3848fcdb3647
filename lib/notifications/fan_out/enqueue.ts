import { LIFETIME_MS } from "#lib/notifications/deliveries/retries.ts";
import { countWaiting, insertDeliveries, insertMessages } from "#lib/notifications/deliveries/store.ts";
import type { Recipients } from "#lib/notifications/destinations/store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { nextDigest } from "./digest-moment.ts";
import type { Message } from "./messages.ts";
import { recipientsOf } from "./recipients.ts";

/** Messages that may wait for one destination; further ones are given up at once, and can be replayed. */
const WAITING_MAX = 5_000;
const OVERFLOW = `${WAITING_MAX} messages were waiting already.`;

/** Stores messages of a project with their way to everybody who gets them; those that nobody gets are not stored. */
export async function enqueueMessages(
  tx: Db,
  messages: readonly Message[],
  recipients: Recipients,
  { timezone, now }: { timezone: string; now: Date },
): Promise<void> {
  const addressed = messages
    .map((message) => ({ message, to: recipientsOf(message, recipients) }))
    .filter(({ to }) => to.length > 0);
  const ids = new Set(addressed.flatMap(({ to }) => to.map(({ destination }) => destination.id)));
  const waiting = await countWaiting(tx, [...ids]);
  await insertMessages(
    tx,
    addressed.map(({ message: { concerns: _, ...row } }) => row),
  );
  const rows = addressed.flatMap(({ message, to }) =>
    to.map(({ destination, digest }) => {
      const before = waiting.get(destination.id) ?? 0;
      waiting.set(destination.id, before + 1);
      const isTooMuch = before >= WAITING_MAX;
      const next_at = digest ? nextDigest(now, timezone) : now;
      return {
        project_id: message.project_id,
        destination_id: destination.id,
        message_id: message.id,
        digest,
        next_at,
        expires_at: new Date(next_at.getTime() + LIFETIME_MS),
        created_at: now,
        ...(isTooMuch && { state: "dead" as const, ended_at: now, error: OVERFLOW }),
      };
    }),
  );
  await insertDeliveries(tx, rows);
}
