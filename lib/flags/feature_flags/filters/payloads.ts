import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { isObject, type Json } from "#lib/engines/json.ts";

const PREFIX = "aes-gcm:";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Placeholder for callers who cannot read a payload: JSON, so that clients can parse it. */
export const REDACTED = '"********* (encrypted)"';

/** Encrypts one payload (AES-256-GCM, a fresh nonce each time). */
export function encrypt(text: string, key: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return PREFIX + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64");
}

const isSealed = (text: unknown): text is string => typeof text === "string" && text.startsWith(PREFIX);

/** Decrypts what `encrypt` returned; null if it used a different key or is damaged. */
export function decrypt(text: string, key: Buffer): string | null {
  const bytes = Buffer.from(text.slice(PREFIX.length), "base64");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const opened = [decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()];
    return Buffer.concat(opened).toString("utf8");
  } catch {
    return null;
  }
}

const CHECKED = "switchyard";

/** A text that only the key itself decrypts: shows whether a key is the one used for payloads. */
export const keyCheck = (key: Buffer): string => encrypt(CHECKED, key);

/** Whether a key check was made with this key. */
export const passesKeyCheck = (check: string, key: Buffer): boolean =>
  isSealed(check) && decrypt(check, key) === CHECKED;

/** Filters with every payload text changed; the same object where there is none. */
function mapPayloads(filters: Json, change: (text: string, name: string) => string): Json {
  if (!isObject(filters.payloads)) return filters;
  const entries = Object.entries(filters.payloads).map(([name, payload]) => [
    name,
    typeof payload === "string" ? change(payload, name) : payload,
  ]);
  return { ...filters, payloads: Object.fromEntries(entries) };
}

/**
 * Filters as they go into the database. A payload that could not be read keeps what is stored of it, as long as its
 * marker was not replaced by a new one.
 *
 * @param stored the filters as they are in the database now; null for a new flag
 */
export function sealFilters(filters: Json, key: Buffer, stored: Json | null): Json {
  const before = isObject(stored?.payloads) ? stored.payloads : {};
  return mapPayloads(filters, (text, name) => {
    const old = before[name];
    return text === REDACTED && isSealed(old) && decrypt(old, key) === null ? old : encrypt(text, key);
  });
}

/** Filters as they come from the database; `unreadable`: whether a payload was encrypted with another key. */
export function openFilters(filters: Json, key: Buffer): { filters: Json; unreadable: boolean } {
  let unreadable = false;
  const opened = mapPayloads(filters, (text) => {
    const payload = isSealed(text) ? decrypt(text, key) : text;
    if (payload === null) unreadable = true;
    return payload ?? REDACTED;
  });
  return { filters: opened, unreadable };
}

/** Whether one of the payloads is the marker of an encrypted one. */
export const hasMarker = (filters: Json): boolean =>
  isObject(filters.payloads) && Object.values(filters.payloads).includes(REDACTED);

/** Filters for callers who cannot read payloads, and for the activity log. */
export const redactFilters = (filters: Json) => mapPayloads(filters, () => REDACTED);

/** Payloads as stored: JSON text. A marker that was sent back keeps the existing payload. */
export function normalizePayloads(filters: Json, before: Json | null): Json {
  if (!isObject(filters.payloads)) return filters;
  const old = before && isObject(before.payloads) ? before.payloads : {};
  const entries = Object.entries(filters.payloads).map(([name, payload]) => {
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    return [name, text === REDACTED && typeof old[name] === "string" ? old[name] : text];
  });
  return { ...filters, payloads: Object.fromEntries(entries) };
}
