import type { SdkMounting } from "#lib/flags/context.ts";
import { readHeldTag } from "#lib/flags/feature_flags/evaluation/etag.ts";
import { STREAM_HEADERS } from "#lib/flags/streams/streams.ts";
import { authenticationFailed } from "#lib/platform/http/errors.ts";
import { OPEN, projectOf } from "#lib/platform/http/open.ts";
import { admittedCaller, definitionsCaller } from "./definitions.ts";

const HEADERS = { ...OPEN, ...STREAM_HEADERS };

/** Browsers name the last event that they have in a header; other clients may do so in the query. */
const lastEventIdOf = ({ headers }: Request, url: URL) =>
  headers.get("last-event-id") ?? url.searchParams.get("last_event_id");

/** `GET /flags/definitions/stream`: says when definitions have changed. */
export const definitionsStreamHandler = (mounting: SdkMounting) => async (request: Request) => {
  const { runtime } = mounting;
  const url = new URL(request.url);
  const { project, keyId } = await admittedCaller(mounting, request, url);
  if (request.method === "HEAD") return new Response(null, { headers: HEADERS });
  const held = readHeldTag(request.headers.get("if-none-match"));
  const body = await runtime.streams.open({
    audience: "definitions",
    subject: project.id,
    credential: keyId ?? "secret",
    check: async () => {
      const now = await definitionsCaller(runtime, request, url);
      if (now.project.id !== project.id) throw authenticationFailed("The key opens another project now.");
    },
    lastEventId: lastEventIdOf(request, url) ?? held?.content ?? null,
    ...(held && { onClose: () => runtime.instances.hasStream(project.id, held.instance, false) }),
  });
  if (held) runtime.instances.hasStream(project.id, held.instance, true);
  return new Response(body, { headers: HEADERS });
};

/** `GET /flags/stream`: says when flags may have other values than before. */
export const flagsStreamHandler = (mounting: SdkMounting) => async (request: Request) => {
  const { runtime } = mounting;
  const url = new URL(request.url);
  const token = url.searchParams.get("token") ?? url.searchParams.get("api_key") ?? "";
  const project = await projectOf(mounting, token, Date.now());
  if (request.method === "HEAD") return new Response(null, { headers: HEADERS });
  const body = await runtime.streams.open({
    audience: "flags",
    subject: project.id,
    credential: token,
    check: async () => {
      const { byToken } = await runtime.directory.current();
      if (byToken.get(token)?.id !== project.id)
        throw authenticationFailed("The project token is not valid.");
    },
    lastEventId: lastEventIdOf(request, url),
  });
  return new Response(body, { headers: HEADERS });
};
