import { formFields, readBytes, unpack } from "#lib/platform/http/body/body.ts";
import { decodeBase64, decodeText, OPENS_JSON } from "#lib/platform/http/body/packed.ts";
import { tooLarge, unreadable, unsupportedMediaType } from "#lib/platform/http/errors.ts";
import { type Batch, readBatch } from "./batch.ts";
import { instantOf } from "./event.ts";

/** The largest capture request, packed or unpacked. */
const LIMIT = 20 * 1024 * 1024;
/** The same for base64 without a form, which only small calls come in. */
const BASE64_LIMIT = 1024 * 1024;

/** What a capture request carries, whichever form it came in. */
export type CaptureBody = Pick<Batch, "count" | "groups"> & {
  /** The project token; null where none was sent. */
  token: string | null;
  sentAt: number | null;
  historical: boolean;
};

const tokenIn = (value: unknown): string | null => {
  if (typeof value !== "object" || value === null) return null;
  const { api_key, token, $token } = value as Record<string, unknown>;
  const found = [api_key, token, $token].find((text) => typeof text === "string" && text !== "");
  return typeof found === "string" ? found : null;
};

/** The project token that one event carries, beside its properties or among them. */
export const tokenOfEvent = (event: unknown): string | null =>
  tokenIn(event) ??
  tokenIn(typeof event === "object" && event !== null && "properties" in event ? event.properties : null);

async function tokenOfFirst(batch: Batch): Promise<string | null> {
  for await (const group of batch.groups()) {
    const found = group.map(({ raw }) => tokenOfEvent(raw)).find((token) => token !== null);
    if (found) return found;
  }
  return null;
}

type Decoded = { json: Buffer; form: URLSearchParams | null };

async function decode(request: Request, bytes: Buffer, type: string, url: URL): Promise<Decoded> {
  const isForm =
    type === "application/x-www-form-urlencoded" || bytes.subarray(0, 5).toString("latin1") === "data=";
  const opening = bytes.subarray(0, 64).toString("latin1");
  // Some clients label plain JSON as a form.
  if (isForm && !OPENS_JSON.test(opening)) {
    const form = formFields(bytes);
    const data = form.get("data");
    if (!data) throw unreadable("The form has no field named data.");
    const compression = form.get("compression") ?? url.searchParams.get("compression");
    if (compression?.startsWith("lz")) throw unreadable(`Compression ${compression} is not supported.`);
    return { json: await decodeText(request, data, LIMIT), form };
  }
  if (url.searchParams.get("compression") === "base64" && !OPENS_JSON.test(opening)) {
    if (bytes.length > BASE64_LIMIT) throw tooLarge(BASE64_LIMIT);
    return { json: await decodeBase64(request, bytes.toString("latin1"), LIMIT), form: null };
  }
  return { json: bytes, form: null };
}

/**
 * Reads a capture request: plain or gzip (announced or not), JSON, base64, or either as a form's `data`; one
 * event, a list of them, or an envelope with a `batch`.
 *
 * @throws ApiError 400 where it cannot be read, 413 where it is too large, 415 for another encoding
 */
export async function readCapture(request: Request, url: URL): Promise<CaptureBody> {
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase();
  if (encoding && !["gzip", "identity"].includes(encoding)) throw unsupportedMediaType(encoding);
  const bytes = await unpack(request, await readBytes(request, LIMIT), LIMIT);
  if (bytes.length === 0) throw unreadable("The body is empty.");
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const { json, form } = await decode(request, bytes, type, url);
  const batch = await readBatch(json);
  const { outer, count, groups } = batch;
  const token =
    tokenIn(outer) ??
    tokenIn(form && Object.fromEntries(form)) ??
    tokenIn(Object.fromEntries(url.searchParams)) ??
    (await tokenOfFirst(batch));
  // Browsers' SDKs before 2024 say when they send in the query, in milliseconds.
  const underscore = Number(url.searchParams.get("_"));
  return {
    token,
    count,
    groups,
    sentAt: instantOf(outer.sent_at) ?? (underscore > 1e12 ? instantOf(underscore) : null),
    historical: outer.historical_migration === true,
  };
}
