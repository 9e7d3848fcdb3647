import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "#lib/platform/db/connect.ts";
import { createTestDatabase, urlOf } from "#testing/database.ts";
import {
  eventually,
  PERSONAL_API_KEY,
  PROJECT_TOKEN,
  type Process,
  startProcess,
} from "#testing/processes.ts";

const DASHBOARDS = "/api/projects/1/dashboards/";

let database: Database;
let server: Process;
let databaseUrl: string;

beforeAll(async () => {
  database = await createTestDatabase();
  databaseUrl = urlOf(database);
  server = await startProcess({
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: "debug",
    SDK_RATE_LIMIT_PER_MINUTE: "3",
  });
});
afterAll(async () => {
  await server.end("SIGTERM");
  await database.close();
});

type Line = { level: string; message: string; request_id?: string; error?: unknown };

const lines = (): Line[] =>
  server
    .output()
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));

const lineOf = (id: string) =>
  eventually(() => lines().find(({ request_id }) => request_id === id), server.output);

const withKey = { authorization: `Bearer ${PERSONAL_API_KEY}` };

describe("a request", () => {
  it("keeps the id that it came with, and gets one otherwise", async () => {
    const call = (path: string, id?: string) =>
      server.call("GET", path, undefined, { ...withKey, ...(id !== undefined && { "x-request-id": id }) });
    for (const path of [DASHBOARDS, "/api/none/"]) {
      expect((await call(path, "from-the-proxy-1")).headers.get("x-request-id")).toBe("from-the-proxy-1");
      for (const id of [undefined, "short", "a b c d e f g h", PROJECT_TOKEN, "x".repeat(65)])
        expect((await call(path, id)).headers.get("x-request-id")).toMatch(
          /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
        );
    }
    for (const path of ["/healthz", "/sign-in"]) {
      const { headers } = await fetch(server.address + path, {
        headers: { "x-request-id": "from-the-proxy-2" },
      });
      expect(headers.get("x-request-id")).toBe("from-the-proxy-2");
    }
  });

  it("is one line at level debug, by the pattern of its path", async () => {
    const { headers } = await server.call("GET", `${DASHBOARDS}12345/`);
    expect(await lineOf(headers.get("x-request-id") ?? "")).toMatchObject({
      level: "debug",
      method: "GET",
      route: "/api/projects/:project_id/dashboards/:id",
      status: 404,
      ms: expect.any(Number),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  });

  it("that fails has its id in the answer and in the log", async () => {
    await database.pool.query("alter table cohorts rename to elsewhere");
    const failed = await server
      .call("POST", "/api/projects/1/cohorts/", { name: "canary-name", is_static: true })
      .finally(() => database.pool.query("alter table elsewhere rename to cohorts"));
    const id = failed.headers.get("x-request-id");
    expect(failed.json).toEqual({
      type: "server_error",
      code: "error",
      detail: "A server error occurred.",
      attr: null,
      request_id: id,
    });
    expect(failed.status).toBe(500);
    const isError = () => lines().find(({ request_id, level }) => request_id === id && level === "error");
    expect(await eventually(isError, server.output)).toMatchObject({
      message: "A request failed.",
      method: "POST",
      error: { code: "42P01", stack: expect.any(Array) },
    });
  });

  it("that comes too often has its id in the answer, other errors are as they were", async () => {
    const body = { token: PROJECT_TOKEN, distinct_id: "canary-person" };
    const answers = [];
    for (let i = 0; i < 5; i++) answers.push(await server.call("POST", "/flags/?v=2", body, {}));
    const throttled = answers.at(-1);
    expect([throttled?.status, throttled?.json.request_id]).toEqual([
      429,
      throttled?.headers.get("x-request-id"),
    ]);
    expect((await server.call("GET", `${DASHBOARDS}12345/`)).json).toEqual({
      type: "invalid_request",
      code: "not_found",
      detail: expect.any(String),
      attr: null,
    });
  });
});

it("nothing of people, keys or tokens is in the log", async () => {
  const mail = "canary@people.example";
  await server.call("GET", `/api/projects/1/persons/?search=${mail}&personal_api_key=phx_canary-key`);
  await server.call("GET", `/array/phc_canary-token/config`, undefined, {});
  await server.call("GET", `/api/canary-path/?token=phc_canary-token`, undefined, { "x-canary": "canary" });
  await server.call("POST", "/batch/", {
    api_key: PROJECT_TOKEN,
    batch: [{ event: "canary-event", distinct_id: mail, properties: { $set: { mail } } }],
  });
  await server.call("POST", "/api/projects/1/cohorts/", { name: "canary-cohort", filters: "canary" });
  await server.call("GET", DASHBOARDS, undefined, { authorization: "Bearer phx_canary-key" });
  const { headers } = await server.call("GET", "/api/canary-end/");
  await lineOf(headers.get("x-request-id") ?? "");
  const output = server.output();
  expect(output).not.toMatch(/canary/i);
  for (const secret of [PERSONAL_API_KEY, PROJECT_TOKEN]) expect(output).not.toContain(secret);
});

it("can be read by people", async () => {
  const readable = await startProcess({ DATABASE_URL: databaseUrl, LOG_LEVEL: "debug", LOG_FORMAT: "text" });
  await readable.call("GET", DASHBOARDS);
  const LINE = /^\[\d\d:\d\d:\d\d\] DEBUG: A request was answered\.$/m;
  await eventually(() => LINE.test(readable.output()) || undefined, readable.output);
  expect(readable.output()).not.toMatch(/^\{/m);
  await readable.end("SIGTERM");
});
