import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";

/** Serves a handle on a free local port, for real HTTP clients. */
export async function listenOnLoopback(
  handle: (request: Request, sender: { address: string | null }) => Response | Promise<Response>,
) {
  // Requests and answers of tests stay the platform's own.
  const server = createServer(
    getRequestListener(
      (request, { incoming }) => handle(request, { address: incoming.socket.remoteAddress ?? null }),
      { overrideGlobalObjects: false },
    ),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
