import { jsonOf, unpack } from "./body.ts";
import { unreadable } from "./errors.ts";

/** How JSON begins that holds an object or a list. */
export const OPENS_JSON = /^\s*[[{]/;

/** JSON in base64, perhaps packed; a "+" reads as a blank where a client did not encode the form. */
export function fromBase64(text: string, limit?: number): unknown {
  const packed = text.trim().replaceAll(" ", "+");
  if (!/^[A-Za-z0-9+/_-]+=*$/.test(packed)) throw unreadable("The data is neither JSON nor base64.");
  return jsonOf(unpack(Buffer.from(packed, "base64"), limit));
}

/** JSON as it stands, or in base64: SDKs send either. */
export const fromText = (text: string, limit?: number): unknown =>
  OPENS_JSON.test(text) ? jsonOf(Buffer.from(text)) : fromBase64(text, limit);
