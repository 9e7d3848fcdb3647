import cluster from "node:cluster";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import {
  type AddressInfo,
  type ListenOptions,
  type Server as NetServer,
  createServer as probeServer,
  type Socket,
} from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { getRequestListener, RequestError } from "@hono/node-server";
import type { OwnsTarget } from "#lib/app/server/paths.ts";
import { StartError } from "#lib/platform/config.ts";
import { errorCode } from "#lib/platform/db/errors.ts";
import { headTooLarge, methodNotAllowed, requestTimedOut, unreadable } from "#lib/platform/http/errors.ts";
import { log } from "#lib/platform/log.ts";
import { REQUEST_ID, requestIdOf } from "#lib/platform/request-id.ts";
import { answerHealth, answerReadiness, type Phase } from "./health.ts";
import { createOutward, type OutwardSettings } from "./outward.ts";
import { countRequest } from "./request-metrics.ts";

type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** What answers once the process is ready. */
type Serving = {
  handle: (request: Request, sender: { address: string | null }) => Promise<Response>;
  /** Which request targets `handle` answers; the others are pages. */
  ownsTarget: OwnsTarget;
  pages: PageHandler;
  /** Whether requests that are sent here now can be served. */
  readiness: () => Promise<Response>;
};

/** The one server of the process: it listens from the start, says so while it is not ready, and drains. */
export type HttpServer = {
  readonly server: Server;
  readonly port: number;
  /** Where it listens, as a link. */
  readonly address: string;
  /** Answers requests from now on. */
  readonly serve: (serving: Serving) => Promise<void>;
  /** Accepts no more requests, lets those in progress finish (at most `deadlineMs`), then closes. */
  readonly drain: (deadlineMs: number) => Promise<void>;
};

const limits = {
  maxHeaderSize: 32 * 1024,
  headersTimeout: 20_000,
  requestTimeout: 120_000,
  // Longer than the idle time of the usual proxies, so that they and not we give up a connection.
  keepAliveTimeout: 75_000,
};

/**
 * Listens first, so that a port in use is noticed before anything else starts.
 *
 * @param isLate listens once it serves, since other processes answer at this address meanwhile
 * @throws StartError when the port or the address cannot be used
 */
export async function listen(
  host: string,
  port: number,
  outward: OutwardSettings = {},
  isLate = false,
): Promise<HttpServer> {
  let phase: Phase = "starting";
  let serving: Serving | undefined;
  const running = new Set<ServerResponse>();
  const listener = { errorHandler: unexpected, hostname: "localhost" };
  const own = getRequestListener((request) => answerOfOurOwn(request, phase, serving?.readiness), listener);
  const { outward: addressOutward, clientOf } = createOutward(outward);
  const api = getRequestListener(
    (request, { incoming }) => serving?.handle(request, { address: clientOf(incoming as IncomingMessage) }),
    listener,
  );
  recogniseResponses();
  const server = createServer(limits, (request, response) => {
    running.add(response);
    response.once("close", () => running.delete(response));
    if (phase === "draining") response.shouldKeepAlive = false;
    const target = request.url ?? "/";
    const isSent = isHost(request.headers.host);
    const isSecure = isSent && addressOutward(request);
    if (isSecure) response.setHeader("strict-transport-security", HSTS);
    if (!isSent || !isHost(request.headers.host)) refuseHost(request, response);
    else if (!serving || ownPath.test(target)) {
      setRequestId(request, response);
      own(request, response);
    } else if (serving.ownsTarget(target)) {
      // The scheme is not in any header that the listener reads; it takes an absolute address as it is.
      if (isSecure && target.startsWith("/")) request.url = `https://${request.headers.host}${target}`;
      api(request, response);
    } else {
      setRequestId(request, response);
      countPage(request, response);
      serving.pages(request, response).catch((error: unknown) => failPage(response, error));
    }
  });
  server.on("clientError", (error, socket) => {
    const isAnswering = [...running].some((answer) => answer.socket === socket && answer.headersSent);
    if (isAnswering || !socket.writable || errorCode(error) === "ECONNRESET") socket.destroy();
    else refuseUnreadable(error, socket);
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  if (!isLate) await bind(server, host, await findFree(host, port));
  return {
    server,
    get port() {
      return (server.address() as AddressInfo).port;
    },
    get address() {
      return linkTo(server.address(), host);
    },
    async serve(next) {
      serving = next;
      phase = "ready";
      if (isLate) await bind(server, host, port);
    },
    drain(deadlineMs) {
      phase = "draining";
      for (const response of running) response.shouldKeepAlive = false;
      return close(server, sockets, deadlineMs);
    },
  };
}

/** Browsers that have been here over TLS use nothing else for a year. */
const HSTS = "max-age=31536000";

const ownPath = /^\/(healthz|readyz)\/?($|\?)/;

function answerOfOurOwn(request: Request, phase: Phase, readiness: Serving["readiness"] | undefined) {
  const { pathname } = new URL(request.url);
  if (ownPath.test(pathname) && request.method !== "GET" && request.method !== "HEAD")
    return Response.json(methodNotAllowed(request.method).body, { status: 405 });
  const isHealth = pathname.startsWith("/healthz");
  return isHealth ? answerHealth() : answerReadiness(phase, readiness);
}

/** Whether a Host header is a host name or address, perhaps with a port. HTTP/1.0 does without. */
function isHost(host: string | undefined): boolean {
  if (host === undefined || /^[a-z0-9.-]+(:\d{1,4})?$/i.test(host)) return true;
  return /^[^\s/?#@\\]+$/.test(host) && URL.canParse(`http://${host}/`);
}

function refuseHost(request: IncomingMessage, response: ServerResponse): void {
  const { body } = unreadable("The Host header is not a host name or address.");
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response.writeHead(400, {
    "content-type": "application/json",
    "content-length": length,
    connection: "close",
  });
  response.end(text);
  request.resume();
}

/** Answers on the bare connection what could not be read as a request. */
function refuseUnreadable(error: Error, socket: Duplex): void {
  const { status, body } =
    errorCode(error) === "HPE_HEADER_OVERFLOW"
      ? headTooLarge(limits.maxHeaderSize)
      : errorCode(error) === "ERR_HTTP_REQUEST_TIMEOUT"
        ? requestTimedOut()
        : unreadable("This is not a valid HTTP/1.1 request.");
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(text)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`);
}

const NativeResponse = Response;

/**
 * The listener replaces the global Response by a light one that is written out without streams: twice the
 * requests. The page framework must go on recognising the native ones, which `fetch` still returns.
 */
function recogniseResponses(): void {
  const LightResponse = globalThis.Response;
  if (LightResponse === NativeResponse) return;
  const usual = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(LightResponse, Symbol.hasInstance, {
    // Subclasses inherit this and must not take every response for theirs.
    value(this: unknown, value: unknown) {
      return usual.call(this === LightResponse ? NativeResponse : (this as object), value);
    },
    configurable: true,
  });
}

function unexpected(error: unknown): Response {
  // The client disconnected in the middle of its body; there is nobody to respond to.
  if (errorCode(error) === "ECONNRESET") return new Response(null, { status: 400 });
  if (error instanceof RequestError)
    return Response.json(unreadable(`The request cannot be read: ${error.message}.`).body, { status: 400 });
  log().error({ error }, "A request failed.");
  const body = { type: "server_error", code: "error", detail: "A server error occurred.", attr: null };
  return Response.json(body, { status: 500 });
}

/** The API does the same for itself. */
function setRequestId({ headers }: IncomingMessage, response: ServerResponse): void {
  const id = requestIdOf(headers[REQUEST_ID]);
  headers[REQUEST_ID] = id;
  response.setHeader(REQUEST_ID, id);
}

/** The dashboard's own addresses count as pages or files, no further. */
function countPage({ method = "", url = "" }: IncomingMessage, response: ServerResponse): void {
  const began = performance.now();
  const route = url.startsWith("/_next/static/") ? "dashboard file" : "dashboard page";
  response.once("finish", () => countRequest(method, route, response.statusCode, performance.now() - began));
}

function failPage(response: ServerResponse, error: unknown): void {
  log().error({ error, request_id: response.getHeader(REQUEST_ID) }, "A page failed.");
  if (response.headersSent) response.destroy();
  else response.writeHead(500, { "content-type": "text/plain" }).end("The page could not be rendered.");
}

/** The port, or one that is free for 0. A socket that shares its port would be let in beside another program's. */
async function findFree(host: string, port: number): Promise<number> {
  if (!cluster.isWorker) return port;
  const probe = probeServer();
  await listenAt(probe, { host, port, exclusive: true });
  const { port: free } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return free;
}

/**
 * Processes that share a port have a socket each, among which the kernel divides the connections. Where it cannot, the
 * first process hands them out, which takes longer when many come at once.
 */
async function bind(server: Server, host: string, port: number): Promise<void> {
  if (!cluster.isWorker) return listenAt(server, { host, port });
  try {
    await listenAt(server, { host, port, reusePort: true });
  } catch (error) {
    if (errorCode(error) !== "ENOTSUP") throw error;
    await listenAt(server, { host, port });
  }
}

function listenAt(server: NetServer, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(explain(error, String(options.host), Number(options.port)));
    server.once("error", fail);
    server.listen(options, () => {
      server.off("error", fail);
      resolve();
    });
  });
}

function explain(error: Error, host: string, port: number): Error {
  switch (errorCode(error)) {
    case "EADDRINUSE":
      return new StartError(`Port ${port} of ${host} is in use by another program: set PORT to a free one.`);
    case "EACCES":
      return new StartError(
        `Port ${port} needs privileges that this user does not have: set PORT to one above 1023.`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new StartError(`HOST must be an address of this machine; "${host}" is not.`);
    default:
      return error;
  }
}

function linkTo(address: AddressInfo | string | null, host: string): string {
  const port = typeof address === "object" ? address?.port : undefined;
  const name = host.includes(":") ? `[${host}]` : host;
  return `http://${/^(0\.0\.0\.0|\[::\])$/.test(name) ? "localhost" : name}:${port}`;
}

async function close(server: Server, sockets: Set<Socket>, deadlineMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // A kept-alive connection turns idle whenever its request ends, and would hold the server up.
  const sweep = setInterval(() => server.closeIdleConnections(), 25);
  await Promise.race([closed, delay(deadlineMs, undefined, { ref: false })]);
  clearInterval(sweep);
  // Not closeAllConnections: that leaves out what has become a web socket, as in development.
  for (const socket of sockets) socket.destroy();
  await closed;
}
