import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { PostHog } from "posthog-node";

/** A proxy that can cut connections, and lose answers on their way. */
export async function startProxy(target: string) {
  let { port } = new URL(target);
  const sockets = new Set<Socket>();
  let isCut = false;
  let losesAnswers = false;
  const proxy = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on("data", (chunk) => {
      // The server believes that it has answered.
      if (losesAnswers && chunk.includes(" 200 OK")) {
        client.write(chunk.subarray(0, chunk.length >> 1));
        client.destroy();
      } else client.write(chunk);
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      cutAll();
    },
    loseAnswers(loses: boolean) {
      losesAnswers = loses;
    },
    restore() {
      isCut = false;
    },
    cutOnce: cutAll,
    /** Leads to another server from now on. */
    leadTo(other: string) {
      port = new URL(other).port;
      cutAll();
    },
    async close() {
      cutAll();
      await new Promise((closed) => proxy.close(closed));
    },
  };
}

/** What a client has in memory: unmodified, so that its own fields are read. */
type Poller = { flagsEtag?: string; featureFlagsByKey: Record<string, { version?: number }> };

/** One of PostHog's clients, and what it has. */
export function startClient({
  host,
  token,
  key,
  poll_ms,
}: {
  host: string;
  token: string;
  key: string;
  poll_ms: number;
}) {
  const client = new PostHog(token, {
    host,
    personalApiKey: key,
    featureFlagsPollingInterval: poll_ms,
    flushAt: 1_000,
    flushInterval: 600_000,
    fetchRetryCount: 0,
  });
  client.on("error", () => undefined);
  const poller = (client as unknown as { featureFlagsPoller: Poller }).featureFlagsPoller;
  return {
    client,
    instance: () => /\.([\w-]{12})"/.exec(poller.flagsEtag ?? "")?.[1],
    versionOf: (key: string) => poller.featureFlagsByKey?.[key]?.version ?? 0,
  };
}
export type Client = ReturnType<typeof startClient>;
