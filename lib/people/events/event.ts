import { v7 as uuidv7 } from "uuid";
import { isObject } from "#lib/engines/json.ts";
import { holdsMoreValuesThan } from "#lib/platform/http/body/json-values.ts";
import { isDeeperThan, storableJson, storableText } from "./text.ts";

/** An event as it will be stored. */
export type IngestEvent = {
  uuid: string;
  event: string;
  distinct_id: string;
  /** Milliseconds since 1970 by the server's clock. */
  at: number;
  properties: Record<string, unknown>;
  /** `properties` as JSON that PostgreSQL can hold. */
  json: string;
};

/** What a request says about all of its events. */
export type Envelope = {
  /** Milliseconds since 1970, by the server's clock. */
  now: number;
  /** When the client sent the request by its own clock; null where it did not say. */
  sentAt: number | null;
  /** History is stored with its own timestamps, whatever the client's clock says. */
  historical: boolean;
  /** Name of events that have none: "$identify" where person profiles are sent, else null. */
  unnamed: string | null;
};

const EVENT_NAME_LIMIT = 200;
export const DISTINCT_ID_LIMIT = 400;
const DEPTH_LIMIT = 64;
/** The largest event, as sent and as stored. */
export const EVENT_BYTES_LIMIT = 1024 * 1024;
export const EVENT_TOO_LARGE = `The event is larger than ${EVENT_BYTES_LIMIT} bytes.`;
/** How many values one event may hold; see `holdsMoreValuesThan`. */
export const EVENT_VALUES_LIMIT = 10_000;
export const EVENT_TOO_MANY_VALUES = `The event has more than ${EVENT_VALUES_LIMIT} values.`;
/** How far in the future an event may lie; a later one is stored as of now. */
const FUTURE_LIMIT_MS = 24 * 3_600_000;
const CLOCK_TOLERANCE_MS = 60_000;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const BARE_UUID = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;
const ISO = /^[+-]?\d{4,6}-\d\d(?:-\d\d)?(?:[T ]\d\d:\d\d.*)?$/;
const ZONED = /(?:z|[+-]\d\d:?(?:\d\d)?)$/i;

/**
 * Milliseconds of an ISO 8601 text (UTC where it names no zone) or of a number (seconds below 1e11).
 *
 * @returns null for anything else
 */
export function instantOf(value: unknown): number | null {
  if (typeof value === "number")
    return Number.isFinite(value) && Math.abs(value) <= 8.64e15
      ? Math.round(Math.abs(value) < 1e11 ? value * 1000 : value)
      : null;
  if (typeof value !== "string") return null;
  const text = value.trim();
  if (!ISO.test(text)) return null;
  const local = /[T ]/.test(text) && !ZONED.test(text);
  const at = Date.parse(local ? `${text}Z` : text);
  return Number.isNaN(at) ? null : at;
}

/**
 * When an event happened, by the server's clock: a client's clock is corrected by how far its `sent_at` is off.
 * A future beyond a day is taken as now, a past before 1970 as 1970.
 */
function momentOf(raw: Record<string, unknown>, properties: Record<string, unknown>, envelope: Envelope) {
  const { now, sentAt, historical } = envelope;
  const given = raw.timestamp;
  let at = now;
  if (given !== undefined && given !== null && given !== "") {
    const parsed = instantOf(given);
    if (parsed === null) return null;
    // An event from after its own request says nothing about the client's clock.
    const isTelling = sentAt !== null && parsed <= sentAt + CLOCK_TOLERANCE_MS;
    const corrects = isTelling && !historical && properties.$ignore_sent_at !== true;
    at = corrects ? now - (sentAt - parsed) : parsed;
  } else if (typeof raw.offset === "number" && Number.isFinite(raw.offset)) at = Math.round(now - raw.offset);
  if (at > now + FUTURE_LIMIT_MS) return now;
  return Math.max(0, at);
}

function distinctIdOf(raw: Record<string, unknown>, properties: Record<string, unknown>): string | null {
  const found = [raw.distinct_id, properties.distinct_id, raw.$distinct_id, properties.$distinct_id].find(
    (id) => id !== undefined && id !== null,
  );
  if (typeof found === "number") return String(found);
  return typeof found === "string" ? storableText(found).trim() || null : null;
}

/** Person changes may be beside the properties; they are stored inside them. The token is not stored. */
function gather(raw: Record<string, unknown>, properties: Record<string, unknown>): Record<string, unknown> {
  let gathered = properties;
  if ("token" in gathered) {
    const { token: _, ...rest } = gathered;
    gathered = rest;
  }
  for (const name of ["$set", "$set_once"] as const) {
    const outer = raw[name];
    if (!isObject(outer)) continue;
    const inner = gathered[name];
    gathered = { ...gathered, [name]: isObject(inner) ? { ...inner, ...outer } : outer };
  }
  if (Array.isArray(raw.$unset)) gathered = { ...gathered, $unset: raw.$unset };
  return gathered;
}

function uuidOf(value: unknown, at: number): string | null {
  if (value === undefined || value === null || value === "") return uuidv7({ msecs: at });
  if (typeof value !== "string") return null;
  const text = value.toLowerCase();
  if (UUID.test(text)) return text;
  return BARE_UUID.test(text) ? text.replace(BARE_UUID, "$1-$2-$3-$4-$5") : null;
}

type Identity = { name: string; distinctId: string; properties: Record<string, unknown> };

function identityOf(raw: Record<string, unknown>, unnamed: string | null): Identity | string {
  const name = typeof raw.event === "string" ? storableText(raw.event).trim() : (unnamed ?? "");
  if (!name) return "The event has no name.";
  if (name.length > EVENT_NAME_LIMIT)
    return `The event's name is longer than ${EVENT_NAME_LIMIT} characters.`;
  const properties = raw.properties ?? {};
  if (!isObject(properties)) return "properties is not an object.";
  const distinctId = distinctIdOf(raw, properties);
  if (!distinctId) return "The event has no distinct_id.";
  if (distinctId.length > DISTINCT_ID_LIMIT)
    return `distinct_id is longer than ${DISTINCT_ID_LIMIT} characters.`;
  return { name, distinctId, properties };
}

/**
 * Reads one event of a request.
 *
 * @returns the event, or the reason why it cannot be stored
 */
export function parseEvent(raw: unknown, envelope: Envelope): IngestEvent | string {
  if (!isObject(raw)) return "The event is not an object.";
  const identity = identityOf(raw, envelope.unnamed);
  if (typeof identity === "string") return identity;
  const at = momentOf(raw, identity.properties, envelope);
  if (at === null) return "timestamp is not an ISO 8601 date.";
  const uuid = uuidOf(raw.uuid, at);
  if (!uuid) return "uuid is not a UUID.";
  const gathered = gather(raw, identity.properties);
  if (isDeeperThan(gathered, DEPTH_LIMIT)) return `properties is nested deeper than ${DEPTH_LIMIT} levels.`;
  const { json, value } = storableJson(gathered);
  // A character takes three bytes at most: most events need not be measured.
  if (json.length * 3 > EVENT_BYTES_LIMIT && Buffer.byteLength(json) > EVENT_BYTES_LIMIT)
    return EVENT_TOO_LARGE;
  if (json.length > EVENT_VALUES_LIMIT && holdsMoreValuesThan(EVENT_VALUES_LIMIT, Buffer.from(json)))
    return EVENT_TOO_MANY_VALUES;
  return { uuid, event: identity.name, distinct_id: identity.distinctId, at, properties: value, json };
}
