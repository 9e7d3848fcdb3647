import { jsonOf, readBytes, unpack } from "#lib/http/body.ts";
import { invalid, unreadable, unsupportedMediaType } from "#lib/http/errors.ts";
import { fromBase64, fromText, OPENS_JSON } from "#lib/http/packed.ts";
import { instantOf } from "./event.ts";

/** What a capture request carries, whichever form it came in. */
export type CaptureBody = {
  /** The project token; null where none was sent. */
  token: string | null;
  /** As sent, not yet looked at. */
  events: unknown[];
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

type Decoded = { value: unknown; form: URLSearchParams | null };

function decode(bytes: Buffer, type: string, url: URL): Decoded {
  const isForm =
    type === "application/x-www-form-urlencoded" || bytes.subarray(0, 5).toString("latin1") === "data=";
  const opening = bytes.subarray(0, 64).toString("latin1");
  // Some clients label plain JSON as a form.
  if (isForm && !OPENS_JSON.test(opening)) {
    const form = new URLSearchParams(bytes.toString("utf8"));
    const data = form.get("data");
    if (!data) throw unreadable("The form has no field named data.");
    const compression = form.get("compression") ?? url.searchParams.get("compression");
    if (compression?.startsWith("lz")) throw unreadable(`Compression ${compression} is not supported.`);
    return { value: fromText(data), form };
  }
  if (url.searchParams.get("compression") === "base64" && !OPENS_JSON.test(opening))
    return { value: fromBase64(bytes.toString("latin1")), form: null };
  return { value: jsonOf(bytes), form: null };
}

function eventsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== "object" || value === null)
    throw unreadable("The body is neither an event nor a list of events.");
  if (!("batch" in value)) return [value];
  if (!Array.isArray(value.batch)) throw invalid("batch must be a list of events.", "batch");
  return value.batch;
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
  const bytes = unpack(await readBytes(request));
  if (bytes.length === 0) throw unreadable("The body is empty.");
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const { value, form } = decode(bytes, type, url);
  const events = eventsOf(value);
  const outer = Array.isArray(value) ? {} : (value as Record<string, unknown>);
  const token =
    tokenIn(outer) ??
    tokenIn(form && Object.fromEntries(form)) ??
    tokenIn(Object.fromEntries(url.searchParams)) ??
    events.map(tokenOfEvent).find((found) => found !== null) ??
    null;
  // Browsers' SDKs before 2024 say when they send in the query, in milliseconds.
  const underscore = Number(url.searchParams.get("_"));
  return {
    token,
    events,
    sentAt: instantOf(outer.sent_at) ?? (underscore > 1e12 ? instantOf(underscore) : null),
    historical: outer.historical_migration === true,
  };
}
