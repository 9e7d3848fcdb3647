import type { Context } from "hono";
import type { SdkMounting } from "#lib/flags/context.ts";
import { DEFINITIONS_HEADERS, sendsCohorts } from "#lib/flags/feature_flags/evaluation/definitions.ts";
import { computeNamesETag, readHeldTag, tagFor } from "#lib/flags/feature_flags/evaluation/etag.ts";
import {
  authenticate,
  candidate,
  refuseForeignOrigin,
  requireMember,
  requireScope,
  resolveProject,
} from "#lib/platform/http/auth.ts";
import type { ProjectRow } from "#lib/platform/http/directory.ts";
import { throttled } from "#lib/platform/http/errors.ts";

import { addressOf, openAnswer } from "#lib/platform/http/open.ts";

type Caller = { project: ProjectRow; keyId: string | null };

/** Whose definitions a credential opens, refused in the API's order. */
export async function definitionsCaller(
  { directory }: SdkMounting["runtime"],
  request: Request,
  url: URL,
): Promise<Caller> {
  const found = candidate(request, url);
  const caller = await authenticate(directory, found, "personal_or_secret_key", new Date());
  const token = url.searchParams.get("token") ?? url.searchParams.get("api_key");
  const project = await resolveProject(directory, caller, "@current", token);
  if (caller.key) requireScope(caller.key, "feature_flag:read");
  await requireMember(directory, caller, project);
  return { project, keyId: caller.key?.id ?? null };
}

/** The same for a request, within the caller's limit and when it is its turn. */
export async function admittedCaller(mounting: SdkMounting, request: Request, url: URL): Promise<Caller> {
  const { runtime, limits, admission } = mounting;
  refuseForeignOrigin(request, url);
  const caller = await definitionsCaller(runtime, request, url);
  const { project, keyId } = caller;
  const wait = limits.definitions(keyId ?? `secret/${project.id}`, Date.now());
  if (wait > 0) throw throttled(wait);
  await admission.toBegin("evaluation", project.id);
  return caller;
}

/** Definitions for SDKs that evaluate themselves, remote configurations among them. */
export const definitionsHandler = (mounting: SdkMounting) => async (request: Request, c: Context) => {
  const url = new URL(request.url);
  const { project, keyId } = await admittedCaller(mounting, request, url);
  const snapshot = await mounting.runtime.definitions.latest(project.id);
  const document = snapshot.document({
    cohorts: sendsCohorts(url.searchParams),
    redacted: keyId === null,
    remote_configurations: true,
  });
  const sent = request.headers.get("if-none-match");
  const held = readHeldTag(sent);
  const isKnown = held
    ? held.content + held.view === document.tag
    : computeNamesETag(sent, `"${document.tag}"`);
  const instance = mounting.runtime.instances.asked({
    project_id: project.id,
    snapshot,
    held,
    isKnown,
    agent: request.headers.get("user-agent"),
    address: addressOf(c),
    now: Date.now(),
  });
  return openAnswer(c, isKnown ? null : (document.body as Uint8Array<ArrayBuffer>), {
    status: isKnown ? 304 : 200,
    headers: { ...DEFINITIONS_HEADERS, etag: tagFor(document.tag, instance) },
  });
};
