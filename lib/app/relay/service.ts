import { computeNamesETag } from "#lib/flags/feature_flags/evaluation/etag.ts";
import { STREAM_HEADERS } from "#lib/flags/streams/streams.ts";
import { authenticate, candidate, isAdmin, requireScope } from "#lib/platform/http/auth.ts";
import type { AccountContext, Runtime } from "#lib/platform/http/context.ts";
import { permissionDenied } from "#lib/platform/http/errors.ts";
import type { Announcements } from "./announcements.ts";
import type { RelayBundles } from "./bundles.ts";
import { relayContract } from "./contract.ts";
import { SIGNATURE } from "./signature.ts";

type Context = AccountContext<Runtime & { relayBundles: RelayBundles; announcements: Announcements }>;

/**
 * Digests of everybody's keys are for administrators only.
 *
 * @throws ApiError 403
 */
async function requireAdministered(context: Pick<Context, "runtime" | "user" | "key">): Promise<void> {
  const { runtime, user, key } = context;
  for (const { id, organization_id } of await runtime.directory.projectsOf(user, key))
    if (!(await isAdmin(context, organization_id)))
      throw permissionDenied(
        `Only administrators of the organization may run a relay of project ${id}: use an administrator's key that is restricted to the projects to serve.`,
      );
}

/** A stream that says when the caller's bundle has changed. */
export async function stream(context: Context): Promise<Response> {
  const { runtime, user, key, headers, url } = context;
  await requireAdministered(context);
  const found = candidate({ headers }, url);
  const check = async () => {
    const now = await authenticate(runtime.directory, found, "personal_api_key", new Date());
    if (now.key === null) return;
    requireScope(now.key, relayContract.stream.scope);
    await requireAdministered({ runtime, user: now.user, key: now.key });
  };
  const last = headers.get("last-event-id");
  const body = await runtime.announcements.follow(found?.value ?? "", { user, key }, last, check);
  return new Response(body, { headers: STREAM_HEADERS });
}

/** The bundle of the caller's projects, unless the caller has it already. */
export async function retrieve(context: Context): Promise<Response> {
  const { runtime, user, key, headers } = context;
  await requireAdministered(context);
  const { etag, signature, body, packed } = await runtime.relayBundles.bundleFor(user, key);
  const common = { etag, "cache-control": "private, must-revalidate", vary: "Accept-Encoding" };
  if (computeNamesETag(headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers: common });
  const isPacked = /\bgzip\b/.test(headers.get("accept-encoding") ?? "");
  return new Response((isPacked ? packed : body) as Uint8Array<ArrayBuffer>, {
    status: 200,
    headers: {
      ...common,
      "content-type": "application/json",
      [SIGNATURE]: signature,
      ...(isPacked && { "content-encoding": "gzip" }),
    },
  });
}
