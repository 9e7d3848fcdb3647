import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Fetch } from "#lib/app/relay/follow.ts";
import { createRelay, type RelayOptions } from "#lib/app/relay/relay.ts";
import { createSigner } from "#lib/app/relay/signature.ts";
import type { Limits } from "#lib/platform/http/mount.ts";
import { ENCRYPTION_KEY } from "./service.ts";

/** As over a network, where answers are unpacked on their way. */
const fetchFrom =
  (handle: Origin["handle"]): Fetch =>
  async (url, init) => {
    const response = await handle(new Request(url, init));
    if (response.headers.get("content-encoding") !== "gzip") return response;
    const body = gunzipSync(await response.arrayBuffer());
    return new Response(new Uint8Array(body), { status: response.status, headers: response.headers });
  };

type Origin = { handle: (request: Request) => Promise<Response>; key: string };

/** A relay of a service in the same process; it asks for changes when `poll` is called. */
export function createTestRelay({ handle, key }: Origin, options: Partial<RelayOptions> = {}) {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "switchyard-relay-"));
  const relay = createRelay({
    version: "0.0.0-test",
    url: "http://switchyard.test",
    key,
    public_key: createSigner(ENCRYPTION_KEY).public_key,
    poll_ms: 3_600_000,
    folder,
    spool_bytes: 1024 * 1024,
    limits: { management: 0, definitions: 0, events: 0 },
    fetch: fetchFrom(handle),
    ...options,
  });
  return {
    ...relay,
    folder,
    async close(): Promise<void> {
      await relay.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What SDKs ask for; everything else is management. */
const SDK_PATHS = [
  /^\/(flags|decide|array|ofrep|static|batch|capture|e|i\/v0\/e|track|engage)(\/|$)/,
  /^\/api\/feature_flag\/local_evaluation\/?$/,
  /^\/api\/projects\/[^/]+\/feature_flags\/(local_evaluation|[^/]+\/remote_config)\/?$/,
];

const isForSdks = ({ url }: Request) => {
  const { pathname, searchParams } = new URL(url);
  return (
    SDK_PATHS.some((pattern) => pattern.test(pathname)) ||
    (/^\/api\/surveys\/?$/.test(pathname) && searchParams.has("token"))
  );
};

/** Has a relay answer what SDKs ask; it knows each change before. */
export async function relayed({ limits, ...service }: Origin & { limits: Limits }) {
  const relay = createTestRelay(service, { limits });
  return {
    handle: async (request: Request) => {
      if (!isForSdks(request)) return service.handle(request);
      await relay.poll();
      return relay.handle(request);
    },
    close: relay.close,
  };
}
