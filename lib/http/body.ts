import { gunzipSync } from "node:zlib";
import { tooLarge, unreadable, unsupportedMediaType } from "./errors.ts";
import { storable } from "./storable.ts";

/** The largest request body that is read, packed or unpacked. */
const BODY_LIMIT = 20 * 1024 * 1024;

/** Reads the whole body, and stops at the limit however the length was announced. */
export async function readBytes(request: Request, limit = BODY_LIMIT): Promise<Buffer> {
  const announced = Number(request.headers.get("content-length") ?? Number.NaN);
  if (announced > limit) throw tooLarge(limit);
  if (Number.isFinite(announced)) return Buffer.from(await request.arrayBuffer());
  if (!request.body) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Unpacks gzip whether or not a header announces it: browsers' SDKs send it as text/plain. */
export function unpack(bytes: Buffer, limit = BODY_LIMIT): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(limit);
    throw unreadable("The body is not valid gzip.");
  }
}

/** Text of a body as UTF-8, invalid sequences refused. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unreadable("The body is not valid UTF-8.");
  }
}

/** JSON of a body; the detail of a failure carries the parser's position. */
export function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(textOf(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) throw unreadable(`JSON parse error - ${error.message}`);
    throw error;
  }
}

/** A form carries text only: what reads as JSON data of another kind is taken as that. */
function formValue(value: string): unknown {
  const text = value.trim();
  if (!/^([{[].*|true|false|null)$/s.test(text)) return value;
  try {
    return JSON.parse(text);
  } catch {
    return value;
  }
}

async function formOf(request: Request, bytes: Buffer, type: string): Promise<Record<string, unknown>> {
  const form = await new Response(new Uint8Array(bytes), {
    headers: { "content-type": request.headers.get("content-type") ?? type },
  })
    .formData()
    .catch(() => {
      throw unreadable("The form cannot be read.");
    });
  const entries = [...form.entries()].filter((e): e is [string, string] => typeof e[1] === "string");
  return Object.fromEntries(entries.map(([name, value]) => [name, formValue(value)]));
}

/**
 * Body of a management call: JSON, form or multipart; anything else is refused.
 *
 * @returns undefined where nothing was sent
 */
export async function readBody(request: Request): Promise<unknown> {
  if (request.method === "GET" || request.method === "HEAD") return undefined;
  const raw = await readBytes(request);
  if (raw.length === 0) return undefined;
  const type =
    (request.headers.get("content-type") ?? "application/json").split(";")[0]?.trim().toLowerCase() ?? "";
  const bytes = request.headers.get("content-encoding") === "gzip" ? unpack(raw) : raw;
  if (type === "application/json" || type.endsWith("+json")) return storable(jsonOf(bytes));
  if (type === "application/x-www-form-urlencoded" || type === "multipart/form-data")
    return storable(await formOf(request, bytes, type));
  throw unsupportedMediaType(type);
}
