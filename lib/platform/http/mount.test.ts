import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Service, startService } from "#testing/service.ts";
import type { Endpoint } from "./contract.ts";
import { ApiError } from "./errors.ts";
import { createMounting, type Limits, mount, mountRefusals, type Verbs } from "./mount.ts";
import { integerId, projectParam } from "./params.ts";

const described = { tag: "things", summary: "A thing.", scope: null, status: 200 } as const;
const answer = z.object({ who: z.string().nullable(), input: z.unknown() });
const body = z.object({ name: z.string(), size: z.number().optional() });

const contract = {
  list: {
    ...described,
    method: "GET",
    path: "/api/things/",
    query: z.object({ color: z.string().optional() }),
    response: answer,
  },
  create: { ...described, method: "POST", path: "/api/things/", status: 201, body, response: answer },
  retrieve: {
    ...described,
    method: "GET",
    path: "/api/things/{id}/",
    params: z.object({ id: integerId("thing") }),
    response: answer,
  },
  remove: { ...described, method: "DELETE", path: "/api/things/{id}/", status: 204 },
  file: { ...described, method: "GET", path: "/api/files/", response: answer },
  empty: { ...described, method: "POST", path: "/api/empty/", body: z.object({}), response: answer },
  bare: { ...described, method: "POST", path: "/api/bare/", response: answer },
  scoped: {
    ...described,
    method: "GET",
    path: "/api/projects/{project_id}/things/",
    scope: "survey:read",
    params: z.object(projectParam),
    response: answer,
  },
  definitions: {
    ...described,
    method: "GET",
    path: "/api/projects/{project_id}/definitions/",
    credential: "personal_or_secret_key",
    limit: "definitions",
    params: z.object(projectParam),
    response: answer,
  },
} satisfies Record<string, Endpoint>;

let service: Service;
let secret: string;
/** How many bodies a verb has been handed. */
let served = 0;

beforeAll(async () => {
  service = await startService();
  secret = (await service.api("GET", "/api/projects/1/")).json.secret_api_token;
});
afterAll(() => service.close());

/** A service of nothing but the contract above, whose verbs answer what they were handed. */
function serve(limits: Limits = { management: 0, definitions: 0, events: 0 }) {
  const app = new Hono({ strict: false });
  app.onError((error) => {
    if (error instanceof ApiError)
      return Response.json(error.body, { status: error.status, headers: error.headers });
    throw error;
  });
  const mounting = createMounting(app, service.runtime, limits);
  const echo = (context: { user: { id: number } | null; project?: { id: number } }, input: unknown) => {
    served++;
    return { who: context.user ? `user ${context.user.id}` : null, project: context.project?.id, input };
  };
  const verbs = Object.fromEntries(Object.keys(contract).map((name) => [name, echo]));
  mount(mounting, contract, {
    ...(verbs as never as Verbs<typeof contract>),
    remove: () => undefined,
    file: () => new Response("as it is", { status: 200, headers: { "content-type": "text/plain" } }),
  });
  mountRefusals(mounting, [contract]);
  return async (method: string, path: string, options: RequestInit & { key?: string | null } = {}) => {
    const key = options.key === undefined ? service.key : options.key;
    const headers = new Headers(options.headers);
    if (key) headers.set("authorization", `Bearer ${key}`);
    const response = await app.fetch(new Request(`http://host${path}`, { method, ...options, headers }));
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json");
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : null,
    };
  };
}

const json = (value: unknown, type = "application/json"): RequestInit => ({
  body: typeof value === "string" ? value : JSON.stringify(value),
  headers: { "content-type": type },
});

describe("a verb", () => {
  it("gets the parsed query, parameters and body, and only what the contract names", async () => {
    const call = serve();
    expect((await call("GET", "/api/things/?color=red&other=1")).json).toEqual({
      who: "user 1",
      input: { params: {}, query: { color: "red" } },
    });
    expect((await call("GET", "/api/things/17/?x=1")).json.input).toEqual({ params: { id: 17 }, query: {} });
    const made = await call("POST", "/api/things/", json({ name: "a", size: 2, more: true }));
    expect([made.status, made.json.input]).toEqual([
      201,
      { params: {}, query: {}, body: { name: "a", size: 2 } },
    ]);
  });

  it("is reached with and without the last slash", async () => {
    const call = serve();
    for (const path of ["/api/things", "/api/things/", "/api/things/17", "/api/things?color=red"])
      expect((await call("GET", path)).status, path).toBe(200);
  });

  it("gets an empty object where no body was sent, and none where the contract names none", async () => {
    const call = serve();
    expect((await call("POST", "/api/empty/")).json.input).toEqual({ params: {}, query: {}, body: {} });
    expect((await call("POST", "/api/bare/", json({ a: 1 }))).json.input).toEqual({ params: {}, query: {} });
    const missing = await call("POST", "/api/things/");
    expect([missing.status, missing.json]).toMatchObject([400, { attr: "name", code: "required" }]);
  });

  it("answers nothing where the contract has no answer, and its own response as it is", async () => {
    const call = serve();
    const removed = await call("DELETE", "/api/things/17/");
    expect([removed.status, removed.text]).toEqual([204, ""]);
    const file = await call("GET", "/api/files/");
    expect([file.status, file.text, file.headers.get("content-type")]).toEqual([
      200,
      "as it is",
      "text/plain",
    ]);
  });
});

describe("a call that is refused", () => {
  it.each([
    ["an id that is none", "GET", "/api/things/x1/", {}, 404, "not_found"],
    ["an id beyond every column", "GET", "/api/things/2147483648/", {}, 404, "not_found"],
    ["a wrong field", "POST", "/api/things/", json({ name: 5 }), 400, "invalid_input"],
    ["no JSON", "POST", "/api/things/", json('{"name":'), 400, "parse_error"],
    ["another media type", "POST", "/api/things/", json("<a/>", "text/xml"), 415, "unsupported_media_type"],
    ["no key", "POST", "/api/things/", { ...json({ name: "a" }), key: null }, 401, "not_authenticated"],
    [
      "a wrong key before a broken body",
      "POST",
      "/api/things/",
      { ...json("{"), key: "phx_no" },
      401,
      "authentication_failed",
    ],
    ["NUL in the query", "GET", "/api/things/?color=%00", {}, 400, "invalid_input"],
    ["NUL in a body", "POST", "/api/things/", json('{"name":"\\u0000"}'), 400, "invalid_input"],
    ["a method that the path does not have", "PUT", "/api/things/", {}, 405, "method_not_allowed"],
    ["the same without a key", "PUT", "/api/things/", { key: null }, 401, "not_authenticated"],
    [
      "a page of another origin",
      "GET",
      "/api/things/",
      { headers: { origin: "https://other" } },
      401,
      "authentication_failed",
    ],
    [
      "an origin that is no address",
      "GET",
      "/api/things/",
      { headers: { origin: "null" } },
      401,
      "authentication_failed",
    ],
  ] as const)("%s", async (_, method, path, options, status, code) => {
    const before = served;
    const reply = await serve()(method, path, options);
    expect([reply.status, reply.json?.code]).toEqual([status, code]);
    expect(served).toBe(before);
  });

  it("names the method that is not there, to secret keys too", async () => {
    const reply = await serve()("PUT", "/api/things/5", { key: secret });
    expect(reply.json).toMatchObject({ code: "method_not_allowed", detail: 'Method "PUT" not allowed.' });
  });

  it("a page of the same origin is let in", async () => {
    expect((await serve()("GET", "/api/things/", { headers: { origin: "http://host" } })).status).toBe(200);
  });
});

describe("a credential", () => {
  it("is looked for in the header, then the body, then the query", async () => {
    const call = serve();
    const send = (key: string | null, inBody: unknown, inQuery: string | null) =>
      call("POST", `/api/things/${inQuery ? `?personal_api_key=${inQuery}` : ""}`, {
        ...json({ name: "a", personal_api_key: inBody }),
        key,
      });
    const [yes, no] = [service.key, "phx_no"];
    expect((await send(yes, no, no)).status).toBe(201);
    expect((await send(no, yes, yes)).json.detail).toContain("Authorization header");
    // The address is looked at before a body is read.
    expect((await send(null, no, yes)).status).toBe(201);
    expect((await send(null, yes, null)).status).toBe(201);
    expect((await send(null, no, null)).json.detail).toContain("body");
    expect((await send(null, "", null)).status).toBe(401);
    expect((await send(null, 5, null)).json.code).toBe("not_authenticated");
    expect((await send(null, undefined, no)).json.detail).toContain("query string");
  });

  it.each(["bearer x", "Basic x", "Bearer", "Bearer ", "Bearerphx"])("%j is none", async (authorization) => {
    const reply = await serve()("GET", "/api/things/", { headers: { authorization }, key: null });
    expect([reply.status, reply.json.code]).toEqual([401, "not_authenticated"]);
  });

  it("may have blanks around it", async () => {
    const headers = { authorization: `Bearer   ${service.key}  ` };
    expect((await serve()("GET", "/api/things/", { headers, key: null })).status).toBe(200);
  });

  it("of a project opens only what admits it, and acts for nobody", async () => {
    const call = serve();
    expect((await call("GET", "/api/projects/1/definitions/", { key: secret })).json).toMatchObject({
      who: null,
      project: 1,
    });
    expect((await call("GET", "/api/projects/@current/definitions/", { key: secret })).json.project).toBe(1);
    expect((await call("GET", "/api/projects/1/things/", { key: secret })).status).toBe(401);
    expect((await call("GET", "/api/projects/1/definitions/", { key: "phs_no" })).status).toBe(401);
  });
});

describe("a scope", () => {
  async function keyWith(scopes: string[]): Promise<string> {
    const made = await service.api("POST", "/api/personal_api_keys/", { label: "k", scopes });
    expect(made.status, made.text).toBe(201);
    return made.json.value;
  }

  it.each([
    [["*"], 200],
    [["survey:read"], 200],
    [["survey:write"], 200],
    [["feature_flag:write", "person:read"], 403],
  ])("survey:read with %j: %i", async (scopes, status) => {
    const reply = await serve()("GET", "/api/projects/1/things/", { key: await keyWith(scopes) });
    expect(reply.status).toBe(status);
    if (status === 403) expect(reply.json.detail).toContain("survey:read");
  });

  it("is not required where the contract names none", async () => {
    expect((await serve()("GET", "/api/things/", { key: await keyWith(["user:read"]) })).status).toBe(200);
  });
});

describe("projects", () => {
  it.each(["2147483647", "0", "x", "1x", "-1", "12345678901", "@other", "0x1", "1e0", "1.0", "+1", "%201"])(
    "%s is unknown",
    async (id) => {
      const reply = await serve()("GET", `/api/projects/${id}/things/`);
      expect([reply.status, reply.json.code]).toEqual([404, "not_found"]);
    },
  );

  it("is the key's first where it is called current", async () => {
    expect((await serve()("GET", "/api/projects/@current/things/")).json.project).toBe(1);
  });
});

describe("limits", () => {
  it("count management calls and definitions apart, and each key alone", async () => {
    const call = serve({ management: 2, definitions: 1, events: 0 });
    const statuses = async (path: string, key?: string) => {
      const found = [];
      for (let i = 0; i < 3; i++) found.push((await call("GET", path, { ...(key && { key }) })).status);
      return found;
    };
    expect(await statuses("/api/things/")).toEqual([200, 200, 429]);
    expect(await statuses("/api/projects/1/definitions/")).toEqual([200, 429, 429]);
    const other = await service.api("POST", "/api/personal_api_keys/", { label: "k", scopes: ["*"] });
    expect(await statuses("/api/things/", other.json.value)).toEqual([200, 200, 429]);
    const waiting = await call("GET", "/api/things/");
    expect(waiting.json).toMatchObject({ type: "throttled_error", code: "throttled" });
    expect(waiting.json.detail).toMatch(/in \d+ seconds?\.$/);
    expect(Number(waiting.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("do not count calls that are refused, nor those of secret keys", async () => {
    const call = serve({ management: 1, definitions: 1, events: 0 });
    for (let i = 0; i < 3; i++) expect((await call("GET", "/api/projects/77/things/")).status).toBe(404);
    expect((await call("GET", "/api/things/")).status).toBe(200);
    for (let i = 0; i < 3; i++)
      expect((await call("GET", "/api/projects/1/definitions/", { key: secret })).status).toBe(200);
  });
});
