import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createClient } from "./client.ts";
import { endpoint } from "./contract.ts";
import { ApiError, throttled } from "./errors.ts";

const described = { tag: "things", summary: "A thing.", scope: null } as const;
const list = endpoint({
  ...described,
  method: "GET",
  path: "/api/projects/{project_id}/things/{name}/",
  params: z.object({ project_id: z.string(), name: z.string() }),
  query: z.object({ color: z.string().nullish(), size: z.number().optional(), all: z.boolean().optional() }),
  status: 200,
  response: z.object({ count: z.number() }),
});
const create = endpoint({
  ...described,
  method: "POST",
  path: "/api/things/",
  body: z.object({ a: z.number() }),
  status: 201,
  response: z.object({ id: z.number() }),
});
const remove = endpoint({ ...described, method: "DELETE", path: "/api/things/", status: 204 });
const never = endpoint({ ...described, method: "DELETE", path: "/api/never/", status: 405 });

/** A client whose service answers this, and the requests that it was sent. */
function clientOf(response: () => Response, options: { base?: string; key?: string | null } = {}) {
  const sent: Request[] = [];
  const client = createClient({
    base: options.base ?? "http://host",
    key: options.key === undefined ? "phx_key" : options.key,
    send: async (request) => {
      sent.push(request);
      return response();
    },
  });
  return { client, sent };
}

const params = { project_id: "@current", name: "a b/c" };

async function errorOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error("It was not refused.");
  return error;
}

describe("a call by contract", () => {
  it("fills in the address, and leaves out what is not given", async () => {
    const { client, sent } = clientOf(() => Response.json({ count: 3 }), { base: "http://host/base/" });
    const query = { color: null, size: 0, all: false };
    expect(await client.call(list, { params, query })).toEqual({ count: 3 });
    expect(sent[0]?.url).toBe("http://host/base/api/projects/@current/things/a%20b%2Fc/?size=0&all=false");
    await client.call(list, { params, query: { color: "", size: undefined } });
    expect(sent[1]?.url).toBe("http://host/base/api/projects/@current/things/a%20b%2Fc/");
    expect(sent[0]?.method).toBe("GET");
    expect(sent[0]?.redirect).toBe("error");
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer phx_key");
    expect(sent[0]?.headers.has("content-type")).toBe(false);
  });

  it("sends a body as JSON, and no key where there is none", async () => {
    const { client, sent } = clientOf(() => Response.json({ id: 7 }, { status: 201 }), { key: null });
    expect(await client.call(create, { body: { a: 1 } })).toEqual({ id: 7 });
    expect(sent[0]?.headers.get("content-type")).toBe("application/json");
    expect(sent[0]?.headers.has("authorization")).toBe(false);
    expect(await sent[0]?.json()).toEqual({ a: 1 });
  });

  it("answers nothing where the contract has no answer", async () => {
    expect(await clientOf(() => new Response(null, { status: 204 })).client.call(remove)).toBeUndefined();
    expect(await clientOf(() => new Response("", { status: 405 })).client.call(never)).toBeUndefined();
  });

  it("takes any success, and only an answer of the contract's shape", async () => {
    expect(await clientOf(() => Response.json({ id: 7 })).client.call(create, { body: { a: 1 } })).toEqual({
      id: 7,
    });
    const broken = clientOf(() => Response.json({ id: "7" }, { status: 201 })).client;
    expect(await errorOf(broken.call(create, { body: { a: 1 } }))).toMatchObject({ attr: "id" });
  });
});

describe("an answer that is an error", () => {
  const refused = (status: number, body: unknown) =>
    errorOf(clientOf(() => Response.json(body, { status })).client.call(list, { params }));

  it("is thrown as the service described it", async () => {
    const body = {
      type: "validation_error",
      code: "taken",
      detail: "Taken.",
      attr: "key",
      extra: { path: ["a", 0] },
    };
    const error = await refused(400, body);
    expect([error.status, error.body]).toEqual([400, body]);
    const bare = await refused(409, { type: "server_error", code: "conflict", detail: "Changed." });
    expect([bare.status, bare.body.attr, "extra" in bare.body]).toEqual([409, null, false]);
  });

  it("keeps its status where it is described otherwise", async () => {
    expect(await refused(502, { message: "Bad gateway" })).toMatchObject({
      status: 502,
      type: "server_error",
      code: "error",
      message: "The service answered 502.",
    });
    const page = clientOf(() => new Response("<html>", { status: 503 })).client;
    expect((await errorOf(page.call(list, { params }))).status).toBe(503);
    expect(
      (await errorOf(clientOf(() => new Response("", { status: 404 })).client.call(remove))).status,
    ).toBe(404);
  });
});

it("a throttled caller learns how many seconds to wait, in a header as well", () => {
  expect(throttled(1).message).toBe("Request was throttled. Expected available in 1 second.");
  expect(throttled(2).message).toBe("Request was throttled. Expected available in 2 seconds.");
  expect(throttled(2).headers).toEqual({ "Retry-After": "2" });
});
