import type { SdkMounting } from "#lib/flags/context.ts";
import { answerDefinitions, sendsCohorts } from "#lib/flags/feature_flags/evaluation/definitions.ts";
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

import { OPEN } from "#lib/platform/http/open.ts";

type Caller = { project: ProjectRow; secret: boolean };

/** Who asks for which project's definitions, refused in the API's order. */
async function callerOf(mounting: SdkMounting, request: Request, url: URL): Promise<Caller> {
  const { runtime, limits, admission } = mounting;
  const now = new Date();
  refuseForeignOrigin(request, url);
  const found = candidate(request, url);
  const caller = await authenticate(runtime.directory, found, "personal_or_secret_key", now);
  const token = url.searchParams.get("token") ?? url.searchParams.get("api_key");
  const project = await resolveProject(runtime.directory, caller, "@current", token);
  if (caller.key) requireScope(caller.key, "feature_flag:read");
  await requireMember(runtime.directory, caller, project);
  const wait = limits.definitions(caller.key?.id ?? `secret/${project.id}`, now.getTime());
  if (wait > 0) throw throttled(wait);
  await admission.toBegin("evaluation", project.id);
  return { project, secret: caller.key === null };
}

/** Definitions for SDKs that evaluate themselves, remote configurations among them. */
export const definitionsHandler = (mounting: SdkMounting) => async (request: Request) => {
  const url = new URL(request.url);
  const { project, secret } = await callerOf(mounting, request, url);
  const snapshot = await mounting.runtime.definitions.latest(project.id);
  const document = snapshot.document({
    cohorts: sendsCohorts(url.searchParams),
    redacted: secret,
    remote_configurations: true,
  });
  return answerDefinitions(document, request.headers.get("if-none-match"), OPEN);
};
