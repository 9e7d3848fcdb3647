import { computeNamesETag } from "#lib/flags/feature_flags/evaluation/etag.ts";
import type { AccountContext, Runtime } from "#lib/platform/http/context.ts";
import type { RelayBundles } from "./bundles.ts";
import { SIGNATURE } from "./signature.ts";

type Context = AccountContext<Runtime & { relayBundles: RelayBundles }>;

/** The bundle of the caller's projects, unless the caller has it already. */
export async function retrieve({ runtime, user, key, headers }: Context): Promise<Response> {
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
