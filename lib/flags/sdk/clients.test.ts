import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { OFREPProvider } from "@openfeature/ofrep-provider";
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature } from "@openfeature/server-sdk";
import { OpenFeature as WebOpenFeature } from "@openfeature/web-sdk";
import { PostHog } from "posthog-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { groups } from "#lib/platform/db/tables/events.ts";
import { everyone, type SdkService, startSdkService } from "#testing/sdk.ts";

/** Real clients, unmodified, over a loopback port. */
let service: SdkService;
let host = "";
const server = createServer((request, response) => listener(request, response));
let listener: ReturnType<typeof getRequestListener> = () => Promise.resolve();
const clients: PostHog[] = [];

const variants = [
  { key: "control", rollout_percentage: 34 },
  { key: "blue", rollout_percentage: 33 },
  { key: "green", rollout_percentage: 33 },
];
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

function client(options: Partial<ConstructorParameters<typeof PostHog>[1]> = {}, token = service.token) {
  const made = new PostHog(token, {
    host,
    flushAt: 1000,
    flushInterval: 600_000,
    fetchRetryCount: 0,
    featureFlagsPollingInterval: 3_600_000,
    ...options,
  });
  made.on("error", () => undefined);
  clients.push(made);
  return made;
}

beforeAll(async () => {
  service = await startSdkService();
  // Requests and answers of tests stay the platform's own.
  listener = getRequestListener((request) => service.handle(request), { overrideGlobalObjects: false });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await service.db
    .insert(groups)
    .values({ project_id: 1, group_type_index: 0, group_key: "acme", properties: { size: "3" } });
  service.runtime.definitions.changed(1);
  await service.createFlag("bool", {
    filters: { ...everyone, payloads: { true: '{"colour":"teal","n":3}' } },
  });
  await service.createFlag("mv", {
    filters: {
      ...everyone,
      multivariate: { variants },
      payloads: { blue: '"text"', green: '{"deep":[1,2]}' },
    },
  });
  await service.createFlag("pct", { filters: { groups: [{ properties: [], rollout_percentage: 40 }] } });
  await service.createFlag("off", { active: false });
  await service.createFlag("grouped", {
    filters: { aggregation_group_type_index: 0, groups: [{ properties: [], rollout_percentage: 50 }] },
  });
  await service.createFlag("config", {
    is_remote_configuration: true,
    filters: { ...everyone, payloads: { true: '{"banner":"hello"}' } },
  });
});

afterAll(async () => {
  for (const made of clients) await made.shutdown(2000);
  await OpenFeature.close();
  await WebOpenFeature.close();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  await service.close();
});

describe("posthog-node", () => {
  const quiet = { sendFeatureFlagEvents: false };
  const locally = { ...quiet, onlyEvaluateLocally: true };
  let local: PostHog;
  let remote: PostHog;

  beforeAll(async () => {
    local = client({ personalApiKey: service.key });
    remote = client();
    expect(await local.waitForLocalEvaluationReady(10_000)).toBe(true);
  });

  it("gets the same values and payloads on its side as from the service, for 60 people", async () => {
    const seen = new Set<unknown>();
    for (let i = 0; i < 60; i++) {
      const flagKeys = ["bool", "mv", "pct", "off", "config"];
      const person = `person-${i}`;
      const here = await local.getAllFlagsAndPayloads(person, { flagKeys, onlyEvaluateLocally: true });
      const there = await remote.getAllFlagsAndPayloads(person, { flagKeys });
      expect(there).toEqual(here);
      seen.add(there.featureFlags?.mv).add(there.featureFlags?.pct);
    }
    expect(seen).toEqual(new Set(["control", "blue", "green", true, false]));
  });

  it.each([
    { operator: "exact", value: ["pro", "team"], yes: "PRO", no: "free" },
    { operator: "is_not", value: ["pro"], yes: "free", no: "pro" },
    { operator: "icontains", value: "acme", yes: "the ACME corp", no: "other" },
    { operator: "not_icontains", value: "acme", yes: "other", no: "acme" },
    { operator: "regex", value: "^a[0-9]+$", yes: "a12", no: "b12" },
    { operator: "not_regex", value: "^a[0-9]+$", yes: "b12", no: "a12" },
    { operator: "gt", value: "10", yes: 11, no: 10 },
    { operator: "gte", value: "10", yes: 10, no: 9 },
    { operator: "lt", value: "10", yes: 9, no: 10 },
    { operator: "lte", value: "10", yes: 10, no: 11 },
    {
      operator: "is_date_before",
      value: "2024-06-01T00:00:00Z",
      yes: "2024-01-01T00:00:00Z",
      no: "2025-01-01T00:00:00Z",
    },
    { operator: "is_date_after", value: "-7d", yes: daysAgo(1), no: daysAgo(30) },
    { operator: "semver_gte", value: "1.2.3", yes: "1.10.0", no: "1.2.2" },
  ])("agrees with the service about $operator", async ({ operator, value, yes, no }) => {
    const key = `op-${operator.replaceAll("_", "-")}`;
    const properties = [{ key: "subject", type: "person", operator, value }];
    await service.createFlag(key, { filters: { groups: [{ properties, rollout_percentage: 100 }] } });
    await local.reloadFeatureFlags();
    for (const [subject, expected] of [
      [yes, true],
      [no, false],
    ] as const) {
      const personProperties = { subject } as Record<string, string>;
      expect(await local.getFeatureFlag(key, "u1", { ...locally, personProperties })).toBe(expected);
      expect(await remote.getFeatureFlag(key, "u1", { ...quiet, personProperties })).toBe(expected);
    }
  });

  it("agrees about flags of groups, and about flags that depend on others", async () => {
    const properties = [
      { key: String(service.ids.mv), type: "flag", value: "green", operator: "flag_evaluates_to" },
    ];
    await service.createFlag("if-green", { filters: { groups: [{ properties, rollout_percentage: 100 }] } });
    await local.reloadFeatureFlags();
    const seen = new Set<unknown>();
    for (let i = 0; i < 12; i++) {
      const options = {
        ...quiet,
        groups: { company: `org-${i}` },
        groupProperties: { company: { size: "3" } },
      };
      for (const key of ["grouped", "if-green"]) {
        const here = await local.getFeatureFlag(key, `person-${i}`, {
          ...options,
          onlyEvaluateLocally: true,
        });
        expect(await remote.getFeatureFlag(key, `person-${i}`, options)).toBe(here);
        seen.add(`${key} ${here}`);
      }
    }
    expect(seen.size).toBe(4);
  });

  it("gets payloads, of flags and of remote configurations", async () => {
    expect(await remote.getFeatureFlagPayload("bool", "u1")).toEqual({ colour: "teal", n: 3 });
    expect(await local.getRemoteConfigPayload("config")).toEqual({ banner: "hello" });
  });

  it("sees a change when it asks again, and keeps what it has when there is none", async () => {
    await service.changeFlag("bool", { active: false });
    await local.reloadFeatureFlags();
    expect(await local.getFeatureFlag("bool", "u1", locally)).toBe(false);
    await service.changeFlag("bool", { active: true });
    await local.reloadFeatureFlags();
    await local.reloadFeatureFlags();
    expect(await local.getFeatureFlag("bool", "u1", locally)).toBe(true);
  });

  it("tells who somebody is, and the service evaluates by it", async () => {
    const properties = [{ key: "plan", type: "person", operator: "exact", value: ["pro"] }];
    await service.createFlag("for-pro", { filters: { groups: [{ properties, rollout_percentage: 100 }] } });
    const valueFor = (person: string) => remote.getFeatureFlag("for-pro", person, quiet);
    expect(await valueFor("ada")).toBe(false);
    remote.identify({ distinctId: "ada", properties: { plan: "pro" } });
    remote.groupIdentify({ groupType: "team", groupKey: "red", properties: { size: 12 } });
    await remote.flush();
    await expect.poll(() => valueFor("ada"), { timeout: 60_000 }).toBe(true);
    const groupTypes = async () => (await service.api("GET", "/flags/definitions")).json.group_type_mapping;
    await expect.poll(groupTypes).toEqual({ "0": "company", "1": "team" });
  });

  it("knows nothing with a wrong key or token", async () => {
    const wrongKey = client({ personalApiKey: "phx_wrong" });
    expect(await wrongKey.waitForLocalEvaluationReady(1000)).toBe(false);
    const wrongToken = client({ featureFlagsRequestMaxRetries: 0 }, "phc_wrong");
    expect(await wrongToken.getFeatureFlag("bool", "u1", quiet)).toBeUndefined();
  });
});

describe("OpenFeature", () => {
  const headers = (): [string, string][] => [["Authorization", `Bearer ${service.token}`]];

  it("on a server evaluates flag by flag", async () => {
    await OpenFeature.setProviderAndWait("here", new OFREPProvider({ baseUrl: host, headers: headers() }));
    const features = OpenFeature.getClient("here");
    const context = { targetingKey: "person-1" };
    expect(await features.getBooleanDetails("bool", false, context)).toMatchObject({
      value: true,
      reason: "STATIC",
    });
    const variant = await features.getStringDetails("mv", "none", context);
    expect(variant.value).toBe((await service.valuesFor({ distinct_id: "person-1" })).mv);
    expect(variant.variant).toBe(variant.value);
    expect(await features.getBooleanDetails("off", true, context)).toMatchObject({
      value: false,
      reason: "DISABLED",
    });
    expect(await features.getBooleanDetails("missing", true, context)).toMatchObject({
      value: true,
      errorCode: "FLAG_NOT_FOUND",
    });
    expect(await features.getBooleanDetails("bool", false, {})).toMatchObject({
      errorCode: "TARGETING_KEY_MISSING",
    });
    expect(await features.getStringDetails("bool", "x", context)).toMatchObject({
      errorCode: "TYPE_MISMATCH",
    });
  });

  it("in a page evaluates all at once, and again for another person", async () => {
    const fetched: number[] = [];
    const fetchImplementation: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      fetched.push(answer.status);
      return answer;
    };
    const provider = new OFREPWebProvider({
      baseUrl: host,
      headers: headers(),
      fetchImplementation,
      cacheMode: "disabled",
    });
    await WebOpenFeature.setContext("here", { targetingKey: "person-1" });
    await WebOpenFeature.setProviderAndWait("here", provider);
    const features = WebOpenFeature.getClient("here");
    const valueFor = async (id: string) => (await service.valuesFor({ distinct_id: id })).mv;
    expect(features.getBooleanValue("bool", false)).toBe(true);
    expect(features.getStringValue("mv", "none")).toBe(await valueFor("person-1"));
    await WebOpenFeature.setContext("here", { targetingKey: "person-2" });
    expect(features.getStringValue("mv", "none")).toBe(await valueFor("person-2"));
    await WebOpenFeature.setContext("here", { targetingKey: "person-2", nothing: "new" });
    expect(fetched[0]).toBe(200);
    expect(fetched.at(-1)).toBe(304);
    expect(features.getBooleanDetails("missing", true)).toMatchObject({
      value: true,
      errorCode: "FLAG_NOT_FOUND",
    });
  });
});
