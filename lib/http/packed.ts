import { unpack } from "./body.ts";
import { unreadable } from "./errors.ts";

/** How JSON begins that holds an object or a list. */
export const OPENS_JSON = /^\s*[[{]/;

/** The bytes that a base64 text stands for, unpacked; a "+" reads as a blank where a client did not encode the form. */
export function bytesOfBase64(request: Request, text: string, limit: number): Promise<Buffer> {
  const packed = text.trim().replaceAll(" ", "+");
  if (!/^[A-Za-z0-9+/_-]+=*$/.test(packed)) throw unreadable("The data is neither JSON nor base64.");
  return unpack(request, Buffer.from(packed, "base64"), limit);
}

/** The bytes of JSON that is sent as it is, or in base64: SDKs send either. */
export const bytesOfText = async (request: Request, text: string, limit: number): Promise<Buffer> =>
  OPENS_JSON.test(text) ? Buffer.from(text) : bytesOfBase64(request, text, limit);
