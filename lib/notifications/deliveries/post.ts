import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { forbidden } from "./addresses.ts";

const TIME_LIMIT_MS = 10_000;
/** What is read and stored of an answer. */
const ANSWER_MAX = 4_096;

export type Answer = { status: number; body: string };

type Posting = {
  headers: Record<string, string>;
  body: string;
  isAllowed: (address: string) => boolean;
  lookup: LookupFunction;
  timeLimitMs?: number;
};

/** The address of a URL that names none by a host name, else null; brackets of IPv6 left out. */
export function addressIn({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[|\]$/g, "");
  return isIP(bare) === 0 ? null : bare;
}

/**
 * Sends a body and reads the beginning of the answer. Redirects are answers like others: they are not followed.
 *
 * @throws ForbiddenAddress, or an Error that says why there was no answer
 */
export async function post(
  url: URL,
  { headers, body, isAllowed, lookup, timeLimitMs = TIME_LIMIT_MS }: Posting,
): Promise<Answer> {
  const literal = addressIn(url);
  if (literal !== null && !isAllowed(literal)) throw forbidden(literal);
  const signal = AbortSignal.timeout(timeLimitMs);
  const send = url.protocol === "https:" ? requestSecure : requestPlain;
  const bytes = Buffer.from(body);
  try {
    return await new Promise<Answer>((resolve, reject) => {
      const request = send(url, {
        method: "POST",
        // A connection of its own, so that the address that was checked is the one in use.
        agent: false,
        lookup,
        signal,
        headers: { ...headers, "content-length": String(bytes.length), connection: "close" },
      });
      request.on("error", reject);
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        const end = () => {
          const text = Buffer.concat(chunks).subarray(0, ANSWER_MAX).toString("utf8");
          resolve({ status: response.statusCode ?? 0, body: text.replaceAll("\0", "") });
          request.destroy();
        };
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size >= ANSWER_MAX) end();
        });
        response.on("end", end);
        response.on("error", reject);
      });
      request.end(bytes);
    });
  } catch (error) {
    if (signal.aborted)
      throw new Error(`There was no complete answer within ${timeLimitMs / 1_000} seconds.`);
    throw error;
  }
}
