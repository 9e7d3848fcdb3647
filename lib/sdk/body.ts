import { jsonOf, readBytes, unpack } from "#lib/http/body.ts";
import { unreadable } from "#lib/http/errors.ts";
import { fromText } from "#lib/http/packed.ts";

/** No call about flags is larger, packed or unpacked. */
const LIMIT = 2 * 1024 * 1024;

const isForm = (request: Request, bytes: Buffer) =>
  (request.headers.get("content-type") ?? "").startsWith("application/x-www-form-urlencoded") ||
  bytes.subarray(0, 5).toString("latin1") === "data=";

/**
 * Reads what an SDK sends about flags: JSON plain or gzip (announced or not), base64, or either as a form's or a
 * query's `data`.
 *
 * @returns the JSON; the query's parameters where there is no body
 * @throws ApiError 400 where it cannot be read, 413 where it is too large
 */
export async function readSdkBody(request: Request, url: URL): Promise<unknown> {
  const inQuery = url.searchParams.get("data");
  if (request.method === "GET" || request.method === "HEAD")
    return inQuery ? fromText(inQuery, LIMIT) : Object.fromEntries(url.searchParams);
  const bytes = unpack(await readBytes(request, LIMIT), LIMIT);
  if (bytes.length === 0) return inQuery ? fromText(inQuery, LIMIT) : Object.fromEntries(url.searchParams);
  // Most calls are plain JSON, and some clients label it as a form.
  if (bytes[0] === 0x7b) return jsonOf(bytes);
  if (isForm(request, bytes)) {
    const data = new URLSearchParams(bytes.toString("utf8")).get("data");
    if (!data) throw unreadable("The form has no field named data.");
    return fromText(data, LIMIT);
  }
  return fromText(bytes.toString("utf8"), LIMIT);
}
