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

/** The address of whoever sent a request; null if it is not known. */
export const addressOf = (c: Context): string | null => c.env.address;
