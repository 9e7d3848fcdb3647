import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

type Json = Record<string, unknown>;

const PREFIX = "aes-gcm:";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** What callers see who may not read a payload: JSON text, so that clients can still parse it. */
export const REDACTED = '"********* (encrypted)"';

/** Encrypts one payload (AES-256-GCM, a fresh nonce each time). */
function encrypt(text: string, key: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return PREFIX + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64");
}

/** Decrypts what `encrypt` made; a text of another form is returned as it stands. */
function decrypt(text: string, key: Buffer): string {
  if (!text.startsWith(PREFIX)) return text;
  const bytes = Buffer.from(text.slice(PREFIX.length), "base64");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
    "utf8",
  );
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Filters with every payload text changed; the same object where there is none. */
function mapPayloads(filters: Json, change: (text: string, name: string) => string): Json {
  if (!isObject(filters.payloads)) return filters;
  const entries = Object.entries(filters.payloads).map(([name, payload]) => [
    name,
    typeof payload === "string" ? change(payload, name) : payload,
  ]);
  return { ...filters, payloads: Object.fromEntries(entries) };
}

/** Filters as they go into the database. */
export const sealFilters = (filters: Json, key: Buffer) => mapPayloads(filters, (text) => encrypt(text, key));

/** Filters as they come from the database. */
export const openFilters = (filters: Json, key: Buffer) => mapPayloads(filters, (text) => decrypt(text, key));

/** Filters for callers who may not read payloads, and for the activity log. */
export const redactFilters = (filters: Json) => mapPayloads(filters, () => REDACTED);

/** Payloads as stored: JSON text. A marker that was sent back stands for the payload there was. */
export function normalizePayloads(filters: Json, before: Json | null): Json {
  if (!isObject(filters.payloads)) return filters;
  const old = before && isObject(before.payloads) ? before.payloads : {};
  const entries = Object.entries(filters.payloads).map(([name, payload]) => {
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    return [name, text === REDACTED && typeof old[name] === "string" ? old[name] : text];
  });
  return { ...filters, payloads: Object.fromEntries(entries) };
}
