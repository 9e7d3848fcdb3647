import { v7 as uuidv7 } from "uuid";
import { type IngestEvent, parseEvent } from "#lib/people/events/event.ts";

/** An event as a client sends it, made ready for the writer. */
export function eventOf(
  event: string,
  distinctId: string,
  properties: Record<string, unknown> = {},
): IngestEvent {
  const now = Date.now();
  const parsed = parseEvent(
    { event, distinct_id: distinctId, properties, uuid: uuidv7() },
    { now, sentAt: null, historical: false, unnamed: null },
  );
  if (typeof parsed === "string") throw new Error(parsed);
  return parsed;
}
