import { computeNamesETag } from "#lib/flags/feature_flags/evaluation/etag.ts";
import { isAdmin } from "#lib/platform/http/auth.ts";
import type { AccountContext, Runtime } from "#lib/platform/http/context.ts";
import { permissionDenied } from "#lib/platform/http/errors.ts";
import type { RelayBundles } from "./bundles.ts";
import { SIGNATURE } from "./signature.ts";

type Context = AccountContext<Runtime & { relayBundles: RelayBundles }>;

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
