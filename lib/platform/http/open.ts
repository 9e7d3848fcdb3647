import type { Context } from "hono";
import type { ProjectRow } from "./directory.ts";
import { ApiError, authenticationFailed, errorResponse, throttled } from "./errors.ts";
import type { Mounting } from "./mount.ts";

/** Pages of any origin may read answers; the tokens that they carry are public. */
export const OPEN = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "ETag, Retry-After, Switchyard-Stale-Since, X-Request-Id",
};

export const JSON_HEADERS = { ...OPEN, "content-type": "application/json" };

/** The project of a token, within its limit of calls and when it is its turn. */
export async function projectOf(
  mounting: Mounting,
  token: string,
  now: number,
  urgency: "evaluation" | "ingest" = "evaluation",
): Promise<ProjectRow> {
  const project = (await mounting.runtime.directory.current()).byToken.get(token);
  if (!project) throw authenticationFailed("The project token is not valid.");
  const wait = mounting.limits.definitions(token, now);
  if (wait > 0) throw throttled(wait);
  await mounting.admission.toBegin(urgency, project.id);
  return project;
}

/** An error in the API's form, readable from pages of any origin. */
export function openError(error: unknown, c: Context): Response {
  if (!(error instanceof ApiError)) throw error;
  return errorResponse(error, c.env.request_id, OPEN);
}

/**
 * An answer that pages of any origin may read. It has all of its headers from the start: adding some to a finished answer
 * costs a tenth of the time of a small one.
 */
export function openAnswer(
  { env }: Context,
  body: Uint8Array<ArrayBuffer> | null,
  { status, headers }: { status: number; headers: Record<string, string> },
): Response {
  env.complete = new Response(body, { status, headers: { ...env.everyHeader(status), ...OPEN, ...headers } });
  return env.complete;
}

/** The address of whoever sent a request; null if it is not known. */
export const addressOf = (c: Context): string | null => c.env.address;
