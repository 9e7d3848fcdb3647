import type { SearchParams } from "#components/kit/list/search-params.ts";
import type { Revision } from "#components/kit/propose/revision.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { changeRequestContract } from "#lib/approvals/change_requests/contract.ts";
import { isObject } from "#lib/engines/json.ts";
import type { Client } from "#lib/platform/http/client.ts";
import { ApiError } from "#lib/platform/http/errors.ts";

/**
 * The part of one's own pending request that the address of an editor names.
 *
 * @param path what the part changes, below the project: "cohorts/3/"; "cohorts/" for one that it creates
 * @returns undefined where there is none that changes this
 */
export async function readRevision(
  api: Client,
  project_id: string,
  { request: id, part: place }: SearchParams,
  path: string,
): Promise<Revision | undefined> {
  if (typeof id !== "string" || typeof place !== "string") return undefined;
  const request = await permitted(
    api.call(changeRequestContract.retrieve, { params: { project_id, id } }),
  ).catch((error: unknown) => {
    if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return null;
    throw error;
  });
  const part = Number(place);
  const call = request?.can_revise ? request.intent.changes[part] : undefined;
  if (!request || !isObject(call) || !isObject(call.body)) return undefined;
  const method = creates(path) ? "POST" : "PATCH";
  if (call.method !== method || call.path !== `/api/projects/${project_id}/${path}`) return undefined;
  const { title, updated_at, intent } = request;
  return { id, title, updated_at, part, parts: intent.changes.length, body: call.body };
}

const creates = (path: string): boolean => /^\w+\/$/.test(path);
