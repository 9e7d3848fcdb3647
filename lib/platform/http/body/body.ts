import { once } from "node:events";
import { createGunzip } from "node:zlib";
import {
  ApiError,
  requestTooLarge,
  tooLarge,
  unreadable,
  unsupportedMediaType,
} from "#lib/platform/http/errors.ts";
import { reserveBodyMemory } from "./body-memory.ts";
import { holdsMoreValuesThan } from "./json-values.ts";
import { storable } from "./storable.ts";

const MEGABYTE = 1024 * 1024;

/** The largest body of a management call, packed or unpacked. */
const MANAGEMENT_LIMIT = 2 * MEGABYTE;
/** How many values the JSON of a management call may hold: a list of values in a flag holds 1,000 at most. */
const MANAGEMENT_VALUES = 50_000;
/** Forms cost more to read than JSON does, and only small calls come as one. */
export const FORM_LIMIT = 256 * 1024;
/** How many fields a URL-encoded form may have; what clients send has far fewer. */
const FORM_FIELDS = 1_000;

/** Up to here a body whose length is announced is read at once, without a stream. */
const SMALL_BODY = 64 * 1024;

/** JSON of events packs 10 to 30 times smaller; a body of more than this size may not pack much better. */
const RATIO_FLOOR = MEGABYTE;
const RATIO_LIMIT = 100;

/** Reads the whole body, and stops at the limit however the length was announced. */
export async function readBytes(request: Request, limit: number): Promise<Buffer> {
  const announced = Number(request.headers.get("content-length") ?? Number.NaN);
  if (announced > limit) throw tooLarge(limit);
  if (announced <= SMALL_BODY) return Buffer.from(await request.arrayBuffer());
  if (!request.body) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    reserveBodyMemory(request, chunk.byteLength);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refusalOfUnpacked(size: number, packed: number, limit: number): ApiError | null {
  if (size > limit) return tooLarge(limit);
  if (size > RATIO_FLOOR && size > packed * RATIO_LIMIT)
    return requestTooLarge(
      `The decompressed body is more than ${RATIO_LIMIT} times the compressed size, which is the limit above ${RATIO_FLOOR} bytes.`,
    );
  return null;
}

/** Unpacks gzip whether or not a header announces it: browsers' SDKs send it as text/plain. */
export async function unpack(request: Request, bytes: Buffer, limit: number): Promise<Buffer> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const unpacking = createGunzip({ chunkSize: SMALL_BODY });
  const chunks: Buffer[] = [];
  let size = 0;
  unpacking.on("data", (chunk: Buffer) => {
    size += chunk.byteLength;
    const refusal = refusalOfUnpacked(size, bytes.length, limit);
    try {
      if (refusal) throw refusal;
      reserveBodyMemory(request, chunk.byteLength);
      chunks.push(chunk);
    } catch (error) {
      unpacking.destroy(error as Error);
    }
  });
  unpacking.end(bytes);
  try {
    await once(unpacking, "end");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith("Z_"))
      throw unreadable("The body is not valid gzip.");
    throw error;
  }
  return Buffer.concat(chunks);
}

/** Text of a body as UTF-8, invalid sequences refused. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unreadable("The body is not valid UTF-8.");
  }
}

/** JSON of a body that is known to be cheap to parse; the detail of a failure carries the parser's position. */
export function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(textOf(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) throw unreadable(`JSON parse error - ${error.message}`);
    throw error;
  }
}

/**
 * JSON of a body of any kind.
 *
 * @throws ApiError 413, without parsing it, when it holds more than `mostValues` values
 */
export function parseBoundedJson(bytes: Buffer, mostValues: number): unknown {
  if (holdsMoreValuesThan(mostValues, bytes))
    throw requestTooLarge(`The request body has more than ${mostValues} values.`);
  return jsonOf(bytes);
}

/** A form carries text only: what reads as JSON data of another kind is taken as that. */
function formValue(value: string): unknown {
  const text = value.trim();
  if (!/^([{[].*|true|false|null)$/s.test(text)) return value;
  try {
    return parseBoundedJson(Buffer.from(text), MANAGEMENT_VALUES);
  } catch (error) {
    if (error instanceof ApiError && error.status === 413) throw error;
    return value;
  }
}

/**
 * Fields of a URL-encoded form.
 *
 * @throws ApiError 413, without reading it, when it is too large or has too many fields
 */
export function formFields(bytes: Buffer): URLSearchParams {
  if (bytes.length > FORM_LIMIT) throw tooLarge(FORM_LIMIT);
  const text = bytes.toString("utf8");
  if (text.split("&", FORM_FIELDS + 1).length > FORM_FIELDS)
    throw requestTooLarge(`The form has more than ${FORM_FIELDS} fields.`);
  return new URLSearchParams(text);
}

async function partsOf(bytes: Buffer, contentType: string): Promise<FormData> {
  if (bytes.length > FORM_LIMIT) throw tooLarge(FORM_LIMIT);
  const headers = { "content-type": contentType };
  return new Response(new Uint8Array(bytes), { headers }).formData().catch(() => {
    throw unreadable("The form cannot be read.");
  });
}

/** Fields of a form by name, as text or as the data that the text holds; files are left out. */
function dataOf(form: URLSearchParams | FormData): Record<string, unknown> {
  const entries = [...form.entries()].filter((e): e is [string, string] => typeof e[1] === "string");
  return Object.fromEntries(entries.map(([name, value]) => [name, formValue(value)]));
}

/**
 * Body of a management call: JSON, form or multipart; anything else is refused.
 *
 * @param limit bytes, packed or unpacked
 * @returns undefined where nothing was sent
 */
export async function readBody(request: Request, limit = MANAGEMENT_LIMIT): Promise<unknown> {
  if (request.method === "GET" || request.method === "HEAD") return undefined;
  const raw = await readBytes(request, limit);
  if (raw.length === 0) return undefined;
  const contentType = request.headers.get("content-type") ?? "application/json";
  const type = contentType.replace(/;.*/, "").trim().toLowerCase();
  const isPacked = request.headers.get("content-encoding") === "gzip";
  const bytes = isPacked ? await unpack(request, raw, limit) : raw;
  if (type === "application/json" || type.endsWith("+json"))
    return storable(parseBoundedJson(bytes, MANAGEMENT_VALUES));
  if (type === "application/x-www-form-urlencoded") return storable(dataOf(formFields(bytes)));
  if (type === "multipart/form-data") return storable(dataOf(await partsOf(bytes, contentType)));
  throw unsupportedMediaType(type);
}
