import { unreadable } from "#lib/platform/http/errors.ts";
import { unpack } from "./body.ts";

/** How JSON begins that holds an object or a list. */
export const OPENS_JSON = /^\s*[[{]/;

/** The decoded bytes of a base64 text, decompressed; a "+" reads as a blank where a client did not encode the form. */
export function decodeBase64(request: Request, text: string, limit: number): Promise<Buffer> {
  const packed = text.trim().replaceAll(" ", "+");
  if (!/^[A-Za-z0-9+/_-]+=*$/.test(packed)) throw unreadable("The data is neither JSON nor base64.");
  return unpack(request, Buffer.from(packed, "base64"), limit);
}

/** The bytes of JSON that is sent as it is, or in base64: SDKs send either. */
export const decodeText = async (request: Request, text: string, limit: number): Promise<Buffer> =>
  OPENS_JSON.test(text) ? Buffer.from(text) : decodeBase64(request, text, limit);
