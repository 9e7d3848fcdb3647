import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyone, person, type SdkService, startSdkService, when } from "#testing/sdk.ts";

const ONE = "/ofrep/v1/evaluate/flags/";
const BULK = "/ofrep/v1/evaluate/flags";

let service: SdkService;

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  service.api("POST", path, body, { key: service.token, headers });

/** A context of so many levels, itself included. */
const nested = (levels: number) => {
  let context: object = { targetingKey: "u" };
  for (let level = 1; level < levels; level++) context = { targetingKey: "u", deeper: context };
  return context;
};
const longText = (length: number) => ({ targetingKey: "u", bio: "x".repeat(length) });

const variants = [
  { key: "blue", rollout_percentage: 50 },
  { key: "green", rollout_percentage: 50 },
];

beforeAll(async () => {
  service = await startSdkService();
  await service.createFlag("on", { filters: { ...everyone, payloads: { true: '{"a":1}' } } });
  await service.createFlag("off", { active: false });
  await service.createFlag("half", { filters: { groups: [{ properties: [], rollout_percentage: 50 }] } });
  await service.createFlag("pro", { filters: when(person("plan", ["pro"])) });
  await service.createFlag("dealt", { filters: { ...everyone, multivariate: { variants } } });
  await service.createFlag("forced", {
    filters: {
      groups: [{ properties: [], rollout_percentage: 100, variant: "green" }],
      multivariate: { variants },
    },
  });
});
afterAll(() => service.close());

it.each([
  { key: "on", value: true, reason: "STATIC" },
  { key: "off", value: false, reason: "DISABLED" },
  { key: "half", value: expect.any(Boolean), reason: "SPLIT" },
  { key: "pro", value: false, reason: "DEFAULT" },
  { key: "pro", context: { plan: "pro" }, value: true, reason: "TARGETING_MATCH" },
  { key: "dealt", value: expect.stringMatching(/blue|green/), reason: "SPLIT" },
  { key: "forced", value: "green", variant: "green", reason: "STATIC" },
])("$key is $value because $reason", async ({ key, context, value, reason, variant }) => {
  const body = { context: { targetingKey: "u1", ...context } };
  const { status, json, headers } = await post(ONE + key, body);
  expect(status).toBe(200);
  expect(headers.get("content-type")).toContain("application/json");
  expect(json).toMatchObject({ key, value, reason, ...(variant && { variant }) });
  expect(json.metadata).toMatchObject({ flagId: service.ids[key], version: 1 });
  expect("variant" in json).toBe(typeof json.value === "string");
});

it("carries the payload as metadata", async () => {
  const { json } = await post(`${ONE}on`, { context: { targetingKey: "u1" } });
  expect(json.metadata.payload).toBe('{"a":1}');
});

it.each([
  {
    path: "missing",
    body: { context: { targetingKey: "u" } },
    status: 404,
    errorCode: "FLAG_NOT_FOUND",
    key: "missing",
  },
  {
    path: "a/b",
    body: { context: { targetingKey: "u" } },
    status: 404,
    errorCode: "FLAG_NOT_FOUND",
    key: "a/b",
  },
  {
    path: "a%2Fb",
    body: { context: { targetingKey: "u" } },
    status: 404,
    errorCode: "FLAG_NOT_FOUND",
    key: "a/b",
  },
  {
    path: "50%",
    body: { context: { targetingKey: "u" } },
    status: 404,
    errorCode: "FLAG_NOT_FOUND",
    key: "50%",
  },
  { path: "/", body: {}, status: 404, errorCode: "FLAG_NOT_FOUND", key: "" },
  { path: "on", body: { context: {} }, status: 400, errorCode: "TARGETING_KEY_MISSING", key: "on" },
  { path: "on", body: {}, status: 400, errorCode: "TARGETING_KEY_MISSING", key: "on" },
  {
    path: "on",
    body: { context: { targetingKey: "" } },
    status: 400,
    errorCode: "TARGETING_KEY_MISSING",
    key: "on",
  },
  {
    path: "on",
    body: { context: { targetingKey: 5 } },
    status: 400,
    errorCode: "INVALID_CONTEXT",
    key: "on",
  },
  { path: "on", body: { context: "u" }, status: 400, errorCode: "INVALID_CONTEXT", key: "on" },
  { path: "on", body: [], status: 400, errorCode: "INVALID_CONTEXT", key: "on" },
  { path: "on", body: "{", status: 400, errorCode: "PARSE_ERROR", key: "on" },
  { path: "on", body: "", status: 400, errorCode: "PARSE_ERROR", key: "on" },
])("$path with $body is refused with $errorCode", async ({ path, body, status, ...error }) => {
  const answer = await post(ONE + path, body);
  expect(answer.status).toBe(status);
  expect(answer.json).toEqual({ ...error, errorDetails: expect.any(String) });
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
});

it.each([
  { what: "levels", accepted: nested(64), refused: nested(65) },
  { what: "characters of a string", accepted: longText(128 * 1024), refused: longText(128 * 1024 + 1) },
  {
    what: "characters of targetingKey",
    accepted: { targetingKey: "u".repeat(4096) },
    refused: { targetingKey: "u".repeat(4097) },
  },
])("limits the context: $what", async ({ accepted, refused }) => {
  expect((await post(`${ONE}on`, { context: accepted })).status).toBe(200);
  const answer = await post(`${ONE}on`, { context: refused });
  expect([answer.status, answer.json.errorCode]).toEqual([400, "INVALID_CONTEXT"]);
});

it("takes the token as X-API-Key too", async () => {
  const body = { context: { targetingKey: "u" } };
  const call = { key: null, headers: { "x-api-key": service.token } };
  expect((await service.api("POST", `${ONE}on`, body, call)).json.value).toBe(true);
});

it.each([
  { path: `${ONE}on`, key: "on" },
  { path: BULK, key: undefined },
])("$path refuses callers without a token, or with a wrong one", async ({ path, key }) => {
  for (const credential of [null, "phc_wrong"]) {
    const body = { context: { targetingKey: "u" } };
    const answer = await service.api("POST", path, body, { key: credential });
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual({
      ...(key && { key }),
      errorCode: "GENERAL",
      errorDetails: expect.any(String),
    });
  }
});

describe("in bulk", () => {
  const tagFor = async (context: object) => (await post(BULK, { context })).headers.get("etag") ?? "";

  it("has every flag, and a tag that is answered 304", async () => {
    const body = { context: { targetingKey: "u1", plan: "pro" } };
    const { status, json, headers } = await post(BULK, body);
    expect(status).toBe(200);
    expect(json.flags.map((flag: { key: string }) => flag.key).toSorted()).toEqual([
      "dealt",
      "forced",
      "half",
      "off",
      "on",
      "pro",
    ]);
    expect(headers.get("access-control-expose-headers")).toContain("ETag");
    const tag = headers.get("etag") ?? "";
    const again = await post(`${BULK}/`, body, { "if-none-match": tag });
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", tag]);
  });

  it("has another tag for another context and for other definitions", async () => {
    const free = await tagFor({ targetingKey: "u1", plan: "free" });
    const pro = await tagFor({ targetingKey: "u1", plan: "pro" });
    await service.changeFlag("on", { active: false });
    const changed = await tagFor({ targetingKey: "u1", plan: "pro" });
    await service.changeFlag("on", { active: true });
    expect(new Set([free, pro, changed]).size).toBe(3);
  });

  it("has the same tag while only flags of other runtimes change", async () => {
    const ask = () => post(BULK, { context: { targetingKey: "u1" } }, { "user-agent": "Mozilla/5.0" });
    const before = await ask();
    await service.createFlag("on-servers", { evaluation_runtime: "server" });
    const after = await ask();
    expect(after.json.eventStreams).not.toEqual(before.json.eventStreams);
    expect(after.headers.get("etag")).toBe(before.headers.get("etag"));
  });

  it.each([
    { body: { context: {} }, errorCode: "TARGETING_KEY_MISSING" },
    { body: "nonsense", errorCode: "PARSE_ERROR" },
  ])("refuses $body with $errorCode", async ({ body, errorCode }) => {
    const answer = await post(BULK, body);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ errorCode, errorDetails: expect.any(String) });
  });
});

it("says what it is able to", async () => {
  const answer = await service.api("GET", "/ofrep/v1/configuration", undefined, { key: service.token });
  expect(answer.json.capabilities.flagEvaluation.supportedTypes).toEqual(["boolean", "string"]);
  const refused = await service.api("GET", "/ofrep/v1/configuration", undefined, { key: null });
  expect(refused.status).toBe(401);
});
