import { Validator } from "@seriousme/openapi-schema-validator";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Endpoint } from "#lib/platform/http/contract.ts";
import { type Service, startService } from "#testing/service.ts";
import { contracts } from "./contracts.ts";

const ALL = Object.entries(contracts).flatMap(([resource, contract]) =>
  Object.entries(contract).map(([verb, declared]) => [`${resource}.${verb}`, declared] as const),
);

const keyed = ALL.filter(([, e]) => !e.credential || e.credential.startsWith("personal"));

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const UUID = "0197d6a0-0000-7000-8000-000000000000";
const addressOf = (declared: Endpoint, id: string = UUID) =>
  declared.path.replace("{project_id}", "1").replace(/\{\w+\}/g, id);
const bodyOf = (declared: Endpoint) => (declared.method === "GET" ? undefined : {});

describe("every endpoint", () => {
  it.each(ALL)("%s is described: summary, parameters, fields", (_, declared) => {
    expect(declared.summary.length).toBeGreaterThan(3);
    expect(declared.path.endsWith("/")).toBe(true);
    const named = [...declared.path.matchAll(/\{(\w+)\}/g)].map((m) => m[1]);
    expect(Object.keys(declared.params?.shape ?? {}).sort()).toEqual(named.sort());
    for (const [name, field] of Object.entries({ ...declared.params?.shape, ...declared.query?.shape }))
      expect((field as { description?: string }).description, `${name} has no description`).toBeTruthy();
  });

  it.each(keyed.filter(([, e]) => /\{(?!project_id)\w+\}/.test(e.path) && e.status !== 405))(
    "%s does not know ids that are not there",
    async (_, declared) => {
      for (const id of [UUID, "987654321", "nonsense"]) {
        const reply = await service.api(declared.method, addressOf(declared, id), bodyOf(declared));
        expect([400, 404], `${id}: ${reply.text}`).toContain(reply.status);
      }
    },
  );

  it.each(keyed.filter(([, e]) => e.body && e.status !== 405))(
    "%s answers broken, foreign and oversized bodies with a 4xx",
    async (_, declared) => {
      const send = (body: string, type: string) =>
        service.api(declared.method, addressOf(declared), body, { headers: { "content-type": type } });
      expect((await send('{"a":', "application/json")).json).toMatchObject({
        type: "invalid_request",
        code: "parse_error",
      });
      expect((await send("<a/>", "application/xml")).status).toBe(415);
      expect((await send(`"${"x".repeat(20 * 1024 * 1024)}"`, "application/json")).status).toBe(413);
    },
  );
});

it.each([
  ["a record", "GET", "/api/projects/1/", "no-store"],
  ["a list", "GET", "/api/projects/1/feature_flags/", "no-store"],
  ["an error", "GET", "/api/nothing/", "no-store"],
  ["flags of a person", "POST", "/flags/?v=2", "no-store"],
  ["definitions", "GET", "/flags/definitions/", "private, must-revalidate"],
  ["unchanged definitions", "GET", "/flags/definitions/", "private, must-revalidate"],
])("%s: not taken for another type, nor kept, and found by its id", async (what, method, path, kept) => {
  const body = method === "POST" ? { token: service.token, distinct_id: "p" } : undefined;
  const held = what.startsWith("unchanged") ? (await service.api(method, path)).headers.get("etag") : null;
  const sent = { "x-request-id": "of-this-request", ...(held !== null && { "if-none-match": held }) };
  const { headers, status } = await service.api(method, path, body, { headers: sent });
  expect(status === 304).toBe(held !== null);
  expect(
    ["x-content-type-options", "cache-control", "x-request-id"].map((name) => headers.get(name)),
  ).toEqual(["nosniff", kept, "of-this-request"]);
});

describe("the document", () => {
  it("is valid OpenAPI 3.1 and names every endpoint with its scope", async () => {
    const { json } = await service.api("GET", "/api/schema/", undefined, { key: null });
    const result = await new Validator().validate(json);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(json.openapi).toMatch(/^3\.1/);
    for (const [, declared] of ALL) {
      const operation = json.paths[declared.path]?.[declared.method.toLowerCase()];
      expect(operation?.summary, declared.path).toBe(declared.summary);
      expect(operation.responses).toHaveProperty(String(declared.status));
      if (declared.scope) expect(operation["x-scope"]).toBe(declared.scope);
    }
    expect(json.paths["/healthz"].get).toMatchObject({ security: [], tags: ["Health"] });
    expect(Object.keys(json.paths["/readyz"].get.responses)).toEqual(["200", "503"]);
  });
});

describe("the specification's flag table", () => {
  it.each([
    ["GET", "", "feature_flag:read", 200],
    ["POST", "", "feature_flag:write", 201],
    ["GET", "{id}/", "feature_flag:read", 200],
    ["PATCH", "{id}/", "feature_flag:write", 200],
    ["DELETE", "{id}/", "feature_flag:write", 405],
    ["GET", "{id}/activity/", "activity_log:read", 200],
    ["POST", "{id}/create_static_cohort_for_flag/", "feature_flag:write", 200],
    ["POST", "{id}/dashboard/", "feature_flag:write", 200],
    ["POST", "{id}/enrich_usage_dashboard/", "feature_flag:write", 200],
    ["GET", "{id}/remote_config/", "feature_flag:read", 200],
    ["GET", "{id}/status/", "feature_flag:read", 200],
    ["GET", "activity/", "activity_log:read", 200],
    ["POST", "bulk_keys/", "feature_flag:read", 200],
    ["GET", "evaluation_reasons/", "feature_flag:read", 200],
    ["GET", "local_evaluation/", "feature_flag:read", 200],
    ["GET", "my_flags/", "feature_flag:read", 200],
    ["POST", "user_blast_radius/", "feature_flag:read", 200],
  ])("%s %s needs %s and answers %i", (method, rest, scope, status) => {
    const path = `/api/projects/{project_id}/feature_flags/${rest}`;
    const declared = ALL.map(([, e]) => e).find((e) => e.method === method && e.path === path);
    expect(declared).toMatchObject({ scope, status });
  });
});

describe("requests of every kind", () => {
  it("methods that a path does not have are 405, unknown paths 404, both as JSON", async () => {
    const put = await service.api("PUT", "/api/projects/1/feature_flags/");
    expect([put.status, put.json.code]).toEqual([405, "method_not_allowed"]);
    const unknown = await service.api("GET", "/api/nothing/here/");
    expect([unknown.status, unknown.json.code]).toEqual([404, "not_found"]);
  });

  it("a key in the body makes records like one in the header", async () => {
    const body = { key: "by-body", personal_api_key: service.key };
    expect((await service.api("POST", "/api/projects/1/feature_flags/", body, { key: null })).status).toBe(
      201,
    );
  });

  it("forms are read like JSON", async () => {
    const form = new URLSearchParams({
      key: "by-form",
      active: "false",
      filters: '{"groups":[{"rollout_percentage":5}]}',
    });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const reply = await service.api("POST", "/api/projects/1/feature_flags/", form.toString(), { headers });
    expect(reply.json).toMatchObject({ key: "by-form", active: false, rollout_percentage: 5 });
  });

  it("too many calls are throttled, with the time to wait", async () => {
    const limited = await startService({ limits: { management: 3, definitions: 0, events: 0 } });
    const replies = [];
    for (let i = 0; i < 4; i++) replies.push(await limited.api("GET", "/api/projects/1/feature_flags/"));
    await limited.close();
    expect(replies.map((r) => r.status)).toEqual([200, 200, 200, 429]);
    expect(replies[3]?.json).toMatchObject({ type: "throttled_error", code: "throttled" });
    expect(Number(replies[3]?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  });
});

describe("bodies of every shape", () => {
  const path = "/api/projects/1/feature_flags";
  const json = fc.jsonValue({ maxDepth: 4 });
  const key = fc.oneof(fc.stringMatching(/^[a-z]{1,8}$/), fc.string(), json);
  const share = fc.oneof(fc.constantFrom(0, 50, 100), json);
  const row = fc.record(
    {
      key: fc.oneof(fc.constant("plan"), json),
      type: fc.oneof(fc.constantFrom("person", "cohort", "flag", "group"), json),
      operator: fc.oneof(
        fc.constantFrom("exact", "regex", "gt", "in", "flag_evaluates_to", "is_date_before"),
        json,
      ),
      value: json,
    },
    { requiredKeys: [] },
  );
  const group = fc.record(
    { properties: fc.array(fc.oneof(row, json)), rollout_percentage: share, variant: json },
    { requiredKeys: [] },
  );
  const filters = fc.record(
    {
      groups: fc.oneof(fc.array(group), json),
      multivariate: fc.oneof(
        fc.record({ variants: fc.array(fc.record({ key, rollout_percentage: share })) }),
        json,
      ),
      payloads: fc.oneof(fc.dictionary(fc.string(), json), json),
      aggregation_group_type_index: json,
      super_groups: json,
      holdout_groups: json,
    },
    { requiredKeys: [] },
  );
  const body = fc.oneof(
    json,
    fc.record(
      {
        key,
        name: json,
        filters: fc.oneof(filters, json),
        active: fc.oneof(fc.boolean(), json),
        tags: json,
        deleted: fc.oneof(fc.boolean(), json),
        version: json,
        original_flag: json,
        rollback_conditions: json,
        evaluation_runtime: json,
        analytics_dashboards: json,
        created_at: json,
        has_encrypted_payloads: fc.boolean(),
        is_remote_configuration: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  );

  it("never bring a 5xx, and what is refused leaves nothing behind", async () => {
    const target = await service.api("POST", `${path}/`, { key: "fuzzed" });
    const count = async () => (await service.api("GET", `${path}/?limit=1`)).json.count + deleted;
    let deleted = 0;
    let expected = await count();
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const created = await service.api("POST", `${path}/`, sent as object);
        expect(created.status, created.text).toBeLessThan(500);
        if (created.status === 201) expected += 1;
        if (created.json?.deleted) deleted += 1;
        if (created.status === 201)
          expect((await service.api("GET", `${path}/${created.json.id}/`)).status).toBe(200);
        const before = (await service.api("GET", `${path}/${target.json.id}/`)).json;
        const patched = await service.api("PATCH", `${path}/${target.json.id}/`, sent as object);
        expect(patched.status, patched.text).toBeLessThan(500);
        const after = (await service.api("GET", `${path}/${target.json.id}/`)).json;
        if (patched.status !== 200) expect(after).toEqual(before);
        if (after.deleted) await service.api("PATCH", `${path}/${target.json.id}/`, { deleted: false });
        for (const read of [
          "local_evaluation/",
          "my_flags/",
          "evaluation_reasons/?distinct_id=x",
          "?limit=500",
        ])
          expect((await service.api("GET", `${path}/${read}`)).status).toBe(200);
      }),
      { numRuns: 600 },
    );
    expect(await count()).toBe(expected);
  });
});
