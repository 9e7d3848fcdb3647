import { randomUUID } from "node:crypto";
import { createWriter } from "#lib/app/rollups.ts";
import { parseEvent } from "#lib/people/events/event.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import type { Reply, Service } from "./service.ts";

export const ROOT = "/api/projects/1/surveys/";

let made = 0;

/** A body with a name that no other has, and whatever else a test is about. */
export const surveyBody = (fields: Record<string, unknown> = {}) => {
  made += 1;
  return { name: `Survey ${made}`, type: "popover", ...fields };
};

export async function createSurvey(service: Service, fields: Record<string, unknown> = {}) {
  const { status, json, text }: Reply = await service.api("POST", ROOT, surveyBody(fields));
  if (status !== 201) throw new Error(`${status} ${text}`);
  return json;
}

/** A survey whose answers count: what arrives for a draft does not. */
export const launchSurvey = (service: Service, fields: Record<string, unknown> = {}) =>
  createSurvey(service, { start_date: "2026-01-01T00:00:00Z", ...fields });

export async function createFlag(
  service: Service,
  key: string,
  filters: Record<string, unknown>,
): Promise<number> {
  const { status, json, text } = await service.api("POST", "/api/projects/1/feature_flags/", {
    key,
    filters,
  });
  if (status !== 201) throw new Error(`${status} ${text}`);
  return json.id;
}

export type StoredEvent = {
  uuid?: string;
  event: string;
  distinct_id?: string;
  timestamp?: string;
  properties: Record<string, unknown>;
};

/** Events by the way that SDKs' events take. */
export async function storeEvents(db: Db, stored: StoredEvent[]): Promise<void> {
  const envelope = { now: Date.now(), sentAt: null, historical: true, unnamed: null };
  const parsed = stored.map((event) => {
    const raw = {
      uuid: event.uuid ?? randomUUID(),
      event: event.event,
      distinct_id: event.distinct_id ?? "somebody",
      timestamp: event.timestamp ?? "2026-02-01T00:00:00Z",
      properties: event.properties,
    };
    const found = parseEvent(raw, envelope);
    if (typeof found === "string") throw new Error(found);
    return found;
  });
  await createWriter(db).write(1, parsed);
}
