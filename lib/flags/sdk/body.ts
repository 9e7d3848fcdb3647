import { formFields, parseBoundedJson, readBytes, unpack } from "#lib/platform/http/body/body.ts";
import { decodeText } from "#lib/platform/http/body/packed.ts";
import { unreadable } from "#lib/platform/http/errors.ts";

/** No call about flags is larger, packed or unpacked. */
const LIMIT = 2 * 1024 * 1024;
/** How many values its JSON may hold. */
export const CALL_VALUES = 20_000;

const isForm = (request: Request, bytes: Buffer) =>
  (request.headers.get("content-type") ?? "").startsWith("application/x-www-form-urlencoded") ||
  bytes.subarray(0, 5).toString("latin1") === "data=";

const jsonOfText = async (request: Request, text: string) =>
  parseBoundedJson(await decodeText(request, text, LIMIT), CALL_VALUES);

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
    return inQuery ? jsonOfText(request, inQuery) : Object.fromEntries(url.searchParams);
  const bytes = await unpack(request, await readBytes(request, LIMIT), LIMIT);
  if (bytes.length === 0)
    return inQuery ? jsonOfText(request, inQuery) : Object.fromEntries(url.searchParams);
  // Most calls are plain JSON, and some clients label it as a form.
  if (bytes[0] === 0x7b) return parseBoundedJson(bytes, CALL_VALUES);
  if (isForm(request, bytes)) {
    const data = formFields(bytes).get("data");
    if (!data) throw unreadable("The form has no field named data.");
    return jsonOfText(request, data);
  }
  return jsonOfText(request, bytes.toString("utf8"));
}
