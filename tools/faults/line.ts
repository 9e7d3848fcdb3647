import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/**
 * What a line to a server does with what passes over it: hands it on; keeps it, in both directions; breaks every
 * connection and takes no new one; breaks every connection and leaves new ones without an answer.
 */
type LineState = "open" | "frozen" | "refusing" | "gone";

export type Line = {
  readonly port: number;
  set(state: LineState): Promise<void>;
  /** Lets what the server says arrive so much later, in ms. */
  slowDown(ms: number): void;
  close(): Promise<void>;
};

type Target = { host: string; port: number };

/** PostgreSQL's own way of naming a socket: a host that is a folder. */
const reach = ({ host, port }: Target): Socket =>
  host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);

/** A way to a server over loopback that can be disturbed. */
export async function layLine(target: Target): Promise<Line> {
  const sockets = new Set<Socket>();
  let state: LineState = "open";
  let late = 0;
  /** Writes later, and in order when that changes meanwhile. */
  const writeLate = (to: Socket) => {
    let last = 0;
    return (bytes: Buffer) => {
      const now = performance.now();
      last = Math.max(last, now + late);
      if (last === now) to.write(bytes);
      else setTimeout(() => to.write(bytes), last - now);
    };
  };
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
    if (state === "frozen") socket.pause();
    return socket;
  };
  const join = (near: Socket, far: Socket) => {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", from === far ? writeLate(to) : (bytes) => to.write(bytes));
      from.once("close", () => to.destroy());
      if (state === "frozen") from.pause();
    }
  };
  const accept = (near: Socket) => {
    track(near);
    if (state === "gone") near.pause();
    else join(near, track(reach(target)));
  };
  let server: Server = createServer(accept);
  const listen = async (port: number) => {
    server = createServer(accept).listen(port, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : port;
  };
  const stopListening = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const port = await listen(0);
  return {
    port,
    async set(next) {
      const before = state;
      state = next;
      if (next === "frozen") for (const socket of sockets) socket.pause();
      if (next === "gone") for (const socket of sockets) socket.destroy();
      if (next === "refusing") await stopListening();
      if (next !== "open") return;
      // What was left without an answer will never get one.
      if (before === "gone") for (const socket of sockets) socket.destroy();
      for (const socket of sockets) socket.resume();
      if (!server.listening) await listen(port);
    },
    slowDown(ms) {
      late = ms;
    },
    close: stopListening,
  };
}
