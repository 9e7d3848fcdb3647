import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { ownerOf } from "#lib/app/server/paths.ts";
import type { Database } from "#lib/platform/db/connect.ts";
import { log } from "#lib/platform/log.ts";
import { createTestDatabase } from "#testing/database.ts";
import { startService } from "#testing/service.ts";
import { readinessOf } from "./health.ts";
import { healthContract } from "./health-contract.ts";
import { type HttpServer, listen } from "./http-server.ts";
import type { OutwardSettings } from "./outward.ts";

let database: Database;
let http: HttpServer;
/** Ends the answer to /api/slow. */
let finish: () => void;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

beforeEach(async () => {
  http = await listen("127.0.0.1", 0);
});
afterEach(() => http.drain(100));

const slow = new Promise<void>((resolve) => {
  finish = resolve;
});

async function handle(request: Request): Promise<Response> {
  const path = new URL(request.url).pathname;
  if (path === "/api/broken") throw new Error("a fault of ours");
  if (path === "/api/slow") await slow;
  return new Response(`api ${path} ${await request.text()}`);
}

async function pages(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === "/broken") throw new Error("a fault of ours");
  // As pages do that pass on what they fetched.
  const fetched = await fetch("data:text/plain,page");
  response.end(fetched instanceof Response ? `${await fetched.text()} ${request.url}` : "not a response");
}

const PATHS = ["/api/projects", "/flags", "/e", "/i/v0/e", "/batch", "/array/:token/config", "/ofrep/v1/*"];
const ownsTarget = ownerOf(PATHS);
const serve = (using = database) =>
  http.serve({ handle, ownsTarget, pages, readiness: () => readinessOf(using) });

async function get(path: string, init?: RequestInit) {
  const response = await fetch(http.address + path, init);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

it.each([
  ["/api/projects/", "api /api/projects/ "],
  ["/flags?v=2", "api /flags "],
  ["/e/", "api /e/ "],
  ["/i/v0/e/", "api /i/v0/e/ "],
  ["/array/phc_x/config.js", "api /array/phc_x/config.js "],
  ["/ofrep/v1/evaluate/flags", "api /ofrep/v1/evaluate/flags "],
  ["/", "page /"],
  ["/sign-in", "page /sign-in"],
  ["/project/1/feature_flags?page=2", "page /project/1/feature_flags?page=2"],
  ["/experiments", "page /experiments"],
  ["/api-reference", "page /api-reference"],
])("gives %s to %s", async (path, answered) => {
  serve();
  expect(await get(path)).toMatchObject({ status: 200, text: answered });
});

it.each(["/api", "/flags", "/e", "/i", "/batch", "/array", "/ofrep"])(
  "gives %s to the API, with and without a slash",
  async (prefix) => {
    serve();
    for (const path of [prefix, `${prefix}/`, `${prefix}/more/?x=1`]) {
      expect((await get(path)).text).toBe(`api ${path.replace("?x=1", "")} `);
    }
    expect((await get(`${prefix}-not`)).text).toBe(`page ${prefix}-not`);
  },
);

it("gives every path that the API mounts to the API", async () => {
  const service = await startService();
  http.serve({
    handle: service.handle,
    ownsTarget: service.handle.ownsTarget,
    pages,
    readiness: () => readinessOf(database),
  });
  const sdk = ["/batch/", "/capture/", "/e/", "/i/v0/e/", "/track/", "/engage/"];
  for (const path of sdk) {
    const event = { token: service.token, event: "seen", distinct_id: `u${path}` };
    const sent = await get(path, { method: "POST", body: JSON.stringify(event) });
    expect([path, sent.status, sent.text]).toEqual([path, 200, '{"status":"Ok"}']);
  }
  expect(service.handle.paths.length).toBeGreaterThan(100);
  for (const path of service.handle.paths) {
    const target = path.replace(/:\w+/g, "1").replace(/\*$/, "x");
    const answered = await get(target);
    expect([target, answered.text.startsWith("page ")]).toEqual([target, false]);
  }
  await service.close();
});

/** Sends one request byte by byte as it is given, and reads the answer to its end. */
async function exchange(request: string): Promise<string> {
  const { port } = http.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  socket.write(request);
  let answer = "";
  for await (const chunk of socket) answer += chunk;
  return answer;
}

it.each(["a b", "", "x:99999", "[::1", "a/b", "a?b", "user@a", "%zz"])(
  "refuses %j as a host with 400, in the API's form and without a trace in the log",
  async (host) => {
    serve();
    const logged = vi.spyOn(log(), "error");
    for (const path of ["/api/projects/", "/flags/", "/", "/sign-in", "/healthz"]) {
      const answer = await exchange(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 400 /);
      expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toMatchObject({
        type: "invalid_request",
        code: "parse_error",
        attr: null,
      });
    }
    expect(logged).not.toHaveBeenCalled();
    logged.mockRestore();
  },
);

/** What a handler behind these settings takes the address of a request for. */
async function addressBehind(settings: OutwardSettings, headers: Record<string, string>) {
  const other = await listen("127.0.0.1", 0, settings);
  other.serve({
    handle: async (request) => Response.json({ url: request.url, host: request.headers.get("host") }),
    ownsTarget,
    pages: async ({ headers }, response) => {
      response.end(`${headers["x-forwarded-proto"]} ${headers["x-forwarded-host"]} ${headers.host}`);
    },
    readiness: () => readinessOf(database),
  });
  const answers = await Promise.all(
    ["/api/projects/?limit=1", "/page"].map(async (path) => {
      const request = httpRequest(other.address + path, { headers }).end();
      const [response]: IncomingMessage[] = await once(request, "response");
      let text = "";
      for await (const chunk of response ?? []) text += chunk;
      return { text, hsts: response?.headers["strict-transport-security"], status: response?.statusCode };
    }),
  );
  await other.drain(100);
  return answers;
}

const forwarded = {
  host: "10.0.0.7:3000",
  "x-forwarded-host": "flags.example",
  "x-forwarded-proto": "https",
};

it.each<[string, OutwardSettings, Record<string, string>, string]>([
  ["nobody's word", {}, forwarded, "http://10.0.0.7:3000"],
  [
    "a proxy that is not trusted",
    { trustedProxies: ["10.0.0.0/8", "::1"] },
    forwarded,
    "http://10.0.0.7:3000",
  ],
  ["a trusted proxy", { trustedProxies: ["127.0.0.0/8"] }, forwarded, "https://flags.example"],
  [
    "the first of several proxies",
    { trustedProxies: ["127.0.0.1"] },
    { ...forwarded, "x-forwarded-proto": "https, http", "x-forwarded-host": "flags.example, inner" },
    "https://flags.example",
  ],
  [
    "a trusted proxy that says nothing",
    { trustedProxies: ["127.0.0.1"] },
    { host: "a.example" },
    "http://a.example",
  ],
  ["PUBLIC_URL", { publicUrl: "https://flags.example" }, { host: "10.0.0.7:3000" }, "https://flags.example"],
  [
    "PUBLIC_URL rather than a proxy",
    { publicUrl: "http://flags.example:8080", trustedProxies: ["127.0.0.1"] },
    { ...forwarded, "x-forwarded-host": "other.example" },
    "http://flags.example:8080",
  ],
])("takes the address of a request from %s", async (_, settings, headers, expected) => {
  const [api, page] = await addressBehind(settings, headers);
  const { protocol, host } = new URL(expected);
  expect(JSON.parse(api?.text ?? "").url).toBe(`${expected}/api/projects/?limit=1`);
  expect(page?.text).toBe(`${protocol.slice(0, -1)} ${host} ${host}`);
  const hsts = protocol === "https:" ? "max-age=31536000" : undefined;
  expect([api?.hsts, page?.hsts]).toEqual([hsts, hsts]);
});

it("refuses a host that a trusted proxy passes on, and is none", async () => {
  const headers = { ...forwarded, "x-forwarded-host": "a b" };
  const answers = await addressBehind({ trustedProxies: ["127.0.0.1"] }, headers);
  expect(answers.map(({ status }) => status)).toEqual([400, 400]);
});

it.each(["a.example", "a.example:3000", "A_b:65535", "[::1]:80", "127.0.0.1", "xn--bcher-kva.example"])(
  "takes %j as a host",
  async (host) => {
    serve();
    for (const path of ["/api/x", "/page", "/healthz"]) {
      const answer = await exchange(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 200 /);
    }
  },
);

it("needs no host from a program that speaks HTTP/1.0", async () => {
  serve();
  for (const path of ["/healthz", "/api/x"])
    expect(await exchange(`GET ${path} HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
});

it("answers a request target that cannot be read with 400", async () => {
  serve();
  const logged = vi.spyOn(log(), "error");
  const answer = await exchange("GET /api/\\x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(logged).not.toHaveBeenCalled();
  logged.mockRestore();
});

it.each([
  ["a URL that is too long", `GET /flags/?token=${"x".repeat(33_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
  ["a header that is too long", `GET / HTTP/1.1\r\nHost: a\r\nCookie: ${"x".repeat(33_000)}\r\n\r\n`, 431],
  ["what is not HTTP", "HELO there\r\n\r\n", 400],
])("refuses %s in the API's form, and goes on", async (_, sent, status) => {
  serve();
  const [head = "", body = ""] = (await exchange(sent)).split("\r\n\r\n");
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(JSON.parse(body)).toMatchObject({ type: "invalid_request", attr: null });
  expect(await get("/api/projects/")).toMatchObject({ status: 200 });
});

it("hands a body on whole", async () => {
  serve();
  const body = "x".repeat(300_000);
  expect((await get("/batch/", { method: "POST", body })).text).toBe(`api /batch/ ${body}`);
});

it("answers a fault with 500, to programs as JSON, and goes on", async () => {
  serve();
  expect(await get("/api/broken")).toMatchObject({
    status: 500,
    text: expect.stringContaining('"type":"server_error"'),
  });
  expect(await get("/broken")).toMatchObject({ status: 500 });
  expect(await get("/api/x")).toMatchObject({ status: 200 });
});

it("is healthy from the start, and ready when it can serve", async () => {
  expect(await get("/healthz")).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  expect(await get("/readyz/")).toMatchObject({ status: 503, text: expect.stringContaining("starting") });
  const early = await get("/api/projects/");
  expect([early.status, early.headers.get("retry-after")]).toEqual([503, "2"]);
  serve();
  expect(await get("/readyz")).toMatchObject({ status: 200, text: '{"status":"ok"}' });
});

it.each(["/healthz", "/readyz"])("%s is only read", async (path) => {
  for (const method of ["POST", "PUT", "DELETE"])
    expect(await get(path, { method })).toMatchObject({ status: 405, text: expect.stringContaining(method) });
  serve();
  expect(await get(path, { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
});

it("is healthy and ready in the words of the OpenAPI document", async () => {
  const { live, ready } = healthContract;
  const answer = async (path: string) => JSON.parse((await get(path)).text);
  expect(ready.also[503].body.safeParse(await answer(ready.path)).success).toBe(true);
  serve();
  expect(ready.response.safeParse(await answer(ready.path)).success).toBe(true);
  expect(live.response.safeParse(await answer(live.path)).success).toBe(true);
});

it("is not ready when the database is away or of another version, but healthy", async () => {
  const other = await createTestDatabase();
  serve(other);
  await other.pool.query("insert into schema_migrations (idx, tag, hash) values (9999, 'later', '')");
  expect(await get("/readyz")).toMatchObject({
    status: 503,
    text: expect.stringContaining("schema version"),
  });
  await other.close();
  expect(await get("/readyz")).toMatchObject({
    status: 503,
    text: expect.stringContaining("does not respond"),
  });
  expect(await get("/healthz")).toMatchObject({ status: 200 });
});

it("finishes what it has begun when it stops, and takes nothing new", async () => {
  serve();
  const agent = new Agent({ keepAlive: true });
  const inProgress = httpRequest(`${http.address}/api/slow`, { agent }).end();
  const idle = new Agent({ keepAlive: true });
  const [first]: IncomingMessage[] = await once(
    httpRequest(`${http.address}/api/x`, { agent: idle }).end(),
    "response",
  );
  first?.resume();
  const drained = http.drain(10_000);
  await expect(fetch(`${http.address}/api/x`)).rejects.toThrow();
  finish();
  const [response]: IncomingMessage[] = await once(inProgress, "response");
  expect([response?.statusCode, response?.headers.connection]).toEqual([200, "close"]);
  response?.resume();
  await drained;
  agent.destroy();
  idle.destroy();
});

it("gives up on a request that does not end", async () => {
  serve();
  const request = httpRequest(`${http.address}/batch/`, {
    method: "POST",
    headers: { "content-length": "100" },
  });
  request.write("half");
  const failed = once(request, "error");
  await once(http.server, "request");
  const began = performance.now();
  await http.drain(200);
  expect(performance.now() - began).toBeLessThan(10_000);
  await failed;
});

it("closes even what has become another kind of connection", async () => {
  serve();
  const head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  http.server.on("upgrade", (_request, socket) => socket.on("error", () => undefined).write(head));
  const request = httpRequest(http.address, {
    headers: { connection: "upgrade", upgrade: "websocket" },
  }).end();
  const socket = await new Promise<Socket>((resolve) => {
    request.once("upgrade", (_response, upgraded) => resolve(upgraded));
  });
  socket.on("error", () => undefined).resume();
  const closed = once(socket, "close");
  await http.drain(50);
  await closed;
});

it("says in one sentence that the port is taken, or that the address is not ours", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  await expect(listen("127.0.0.1", port)).rejects.toThrow(
    `Port ${port} of 127.0.0.1 is in use by another program`,
  );
  taken.close();
  await expect(listen("192.0.2.1", 0)).rejects.toThrow(
    'HOST must be an address of this machine; "192.0.2.1" is not.',
  );
});
