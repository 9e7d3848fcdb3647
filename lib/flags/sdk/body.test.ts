import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { person, type SdkService, startSdkService, when } from "#testing/sdk.ts";

let service: SdkService;

beforeAll(async () => {
  service = await startSdkService();
  await service.createFlag("on");
});
afterAll(() => service.close());

describe("a body", () => {
  const call = () => ({ token: service.token, distinct_id: "u1", flag_keys: ["on"] });
  const json = () => JSON.stringify(call());
  const base64 = () => Buffer.from(json()).toString("base64");
  const forms: {
    form: string;
    path?: string;
    type?: string;
    body: () => string | Uint8Array;
    encoding?: string;
  }[] = [
    { form: "JSON", type: "application/json", body: json },
    { form: "JSON as text", type: "text/plain", body: json },
    { form: "JSON called a form", type: "application/x-www-form-urlencoded", body: json },
    { form: "gzip that nothing announces", type: "text/plain", body: () => gzipSync(json()) },
    { form: "gzip announced", type: "application/json", encoding: "gzip", body: () => gzipSync(json()) },
    {
      form: "a base64 form",
      path: "/flags/?v=2&compression=base64",
      type: "application/x-www-form-urlencoded",
      body: () => `data=${encodeURIComponent(base64())}`,
    },
    {
      form: "a base64 form, not encoded",
      type: "application/x-www-form-urlencoded",
      body: () => `data=${base64()}`,
    },
    {
      form: "a base64 form without a type",
      type: "text/plain",
      body: () => `data=${encodeURIComponent(base64())}`,
    },
    {
      form: "a form of JSON",
      type: "application/x-www-form-urlencoded",
      body: () => `data=${encodeURIComponent(json())}`,
    },
    { form: "plain base64", path: "/flags/?v=2&compression=base64", type: "text/plain", body: base64 },
    {
      form: "gzip in base64",
      type: "application/x-www-form-urlencoded",
      body: () => `data=${encodeURIComponent(gzipSync(json()).toString("base64"))}`,
    },
  ];
  it.each(forms)("of $form is read", async ({ path = "/flags/?v=2", type, body, encoding }) => {
    const headers = {
      ...(type && { "content-type": type }),
      ...(encoding && { "content-encoding": encoding }),
    };
    const answer = await service.api("POST", path, body(), { key: null, headers });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.flags.on.enabled).toBe(true);
  });

  it("may hold long texts, and is answered as with short ones", async () => {
    for (const bio of ["short", "y".repeat(100_000)]) {
      const body = { ...call(), person_properties: { bio }, groups: { company: bio } };
      const answer = await service.api("POST", "/flags/?v=2", body, { key: null });
      expect(answer.json.flags).toMatchObject({
        on: { key: "on", enabled: true, reason: { code: "condition_match" } },
      });
    }
  });

  it("may be a query instead", async () => {
    const plain = await service.api("GET", `/flags?v=2&token=${service.token}&distinct_id=u1`, undefined, {
      key: null,
    });
    expect(plain.json.flags.on.enabled).toBe(true);
    const packed = await service.api("GET", `/decide?v=3&data=${encodeURIComponent(base64())}`, undefined, {
      key: null,
    });
    expect(packed.json.featureFlags).toEqual({ on: true });
  });

  it.each<[string, (token: string) => [method: string, path: string, body?: object]]>([
    ["with the names of properties", ($token) => ["POST", "/flags/?v=2", { $token, $distinct_id: "u1" }]],
    ["in both", (token) => ["POST", `/flags/?v=2&token=${token}`, { distinct_id: "u1" }]],
    ["in both, as api_key", (token) => ["POST", `/flags/?v=2&api_key=${token}`, { distinct_id: "u1" }]],
    ["in both, one null", (token) => ["POST", `/flags/?v=2&token=${token}`, { token: null, distinct_id: 7 }]],
    ["in the query, as api_key", (token) => ["GET", `/flags?v=2&api_key=${token}&distinct_id=u1`]],
    [
      "in the query of a call without a body",
      (token) => ["POST", `/flags?v=2&token=${token}&distinct_id=u1`],
    ],
    ["packed in that query", () => ["POST", `/flags?v=2&data=${encodeURIComponent(base64())}`]],
  ])("may say whose it is %s", async (_, callOf) => {
    const [method, path, body] = callOf(service.token);
    const answer = await service.api(method, path, body, { key: null });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.flags.on.enabled).toBe(true);
  });

  it("may name the token api_key, as python does, and the person by number", async () => {
    const body = { api_key: service.token, distinct_id: 42, device_id: null, groups: null };
    const answer = await service.api("POST", "/flags?v=2", body, { key: null });
    expect(answer.json.flags.on.enabled).toBe(true);
  });

  it.each([
    { wrong: "no token", body: { distinct_id: "u" }, status: 401, code: "authentication_failed" },
    {
      wrong: "an unknown token",
      body: { token: "phc_no", distinct_id: "u" },
      status: 401,
      code: "authentication_failed",
    },
    {
      wrong: "a token of another kind",
      body: { token: 7, distinct_id: "u" },
      status: 401,
      code: "authentication_failed",
    },
    { wrong: "no distinct_id", body: {}, status: 400, code: "required", attr: "distinct_id" },
    {
      wrong: "an empty distinct_id",
      body: { distinct_id: "" },
      status: 400,
      code: "required",
      attr: "distinct_id",
    },
    {
      wrong: "an object as distinct_id",
      body: { distinct_id: {} },
      status: 400,
      code: "invalid_input",
      attr: "distinct_id",
    },
    { wrong: "a list of groups", body: { distinct_id: "u", groups: [] }, status: 400, attr: "groups" },
    {
      wrong: "a text of properties",
      body: { distinct_id: "u", person_properties: "x" },
      status: 400,
      attr: "person_properties",
    },
    {
      wrong: "an endless id",
      body: { distinct_id: "x".repeat(132_000) },
      status: 400,
      code: "invalid_input",
    },
    {
      wrong: "an endless text inside",
      body: { distinct_id: "u", person_properties: { x: ["y".repeat(132_000)] } },
      status: 400,
      code: "invalid_input",
    },
    { wrong: "numbers as keys", body: { distinct_id: "u", flag_keys: [1] }, status: 400, attr: "flag_keys" },
    { wrong: "a list", body: [], status: 400, code: "parse_error" },
    { wrong: "half a JSON", body: '{"token":', status: 400, code: "parse_error" },
    { wrong: "neither JSON nor base64", body: "!!", status: 400, code: "parse_error" },
    { wrong: "a form without data", body: "data=", status: 400, code: "parse_error" },
    { wrong: "torn gzip", body: gzipSync("{}").subarray(0, 12), status: 400, code: "parse_error" },
    {
      wrong: "too much",
      body: `{"x":"${"y".repeat(2 * 1024 * 1024)}"}`,
      status: 413,
      code: "request_too_large",
    },
    {
      wrong: "too much once unpacked",
      body: gzipSync(`{"x":"${"y".repeat(3 * 1024 * 1024)}"}`),
      status: 413,
    },
    {
      wrong: "a bottomless object",
      body: `{"distinct_id":"u","person_properties":{"x":${"[".repeat(5000)}${"]".repeat(5000)}}}`,
      status: 400,
    },
  ])("with $wrong is refused with $status", async ({ body, status, code, attr }) => {
    const needsToken =
      status === 400 && typeof body === "object" && !Array.isArray(body) && !(body instanceof Uint8Array);
    const sent = needsToken ? { token: service.token, ...body } : body;
    for (const path of ["/flags/?v=2", "/decide/?v=3"]) {
      const answer = await service.api("POST", path, sent, { key: null });
      expect(answer.status, answer.text).toBe(status);
      expect(answer.json).toMatchObject({
        ...(code && { code }),
        ...(attr && { attr }),
        detail: expect.any(String),
      });
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    }
  });

  it.each([
    { odd: "a NUL in the id", body: { distinct_id: "u\u0000v" } },
    { odd: "half a surrogate pair", body: { distinct_id: "u\ud800" } },
    { odd: "a very long id", body: { distinct_id: "x".repeat(100_000) } },
    { odd: "a very long anonymous id", body: { distinct_id: "u", $anon_distinct_id: "x".repeat(100_000) } },
    { odd: "a group of NULs", body: { distinct_id: "u", groups: { company: "\u0000" } } },
    {
      odd: "properties named like members of objects",
      body: { distinct_id: "u", person_properties: { constructor: 1, __proto__: 2 } },
    },
  ])("with $odd is answered", async ({ body }) => {
    await service.createFlag("reads-people", {
      filters: when(person("stored", "yes")),
      ensure_experience_continuity: true,
    });
    expect((await service.ask(body)).status).toBe(200);
    await service.changeFlag("reads-people", { deleted: true });
  });
});
