import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyone, person, type SdkService, startSdkService, when } from "#testing/sdk.ts";

let service: SdkService;

beforeAll(async () => {
  service = await startSdkService();
});
afterAll(() => service.close());

describe("the answer", () => {
  const variants = [
    { key: "blue", rollout_percentage: 50 },
    { key: "green", rollout_percentage: 50 },
  ];
  beforeAll(async () => {
    await service.createFlag("on", { filters: { ...everyone, payloads: { true: '{"limit":5}' } } });
    await service.createFlag("off", { active: false });
    await service.createFlag("nobody", { filters: { groups: [{ properties: [], rollout_percentage: 0 }] } });
    await service.createFlag("pro-only", { filters: when(person("plan", ["pro"])) });
    await service.createFlag("coloured", {
      filters: {
        groups: [{ properties: [], rollout_percentage: 100, variant: "blue" }],
        multivariate: { variants },
      },
    });
    await service.createFlag("gone");
    await service.changeFlag("gone", { deleted: true });
  });

  it("has every live flag with its value, reason and metadata", async () => {
    const { status, json, headers } = await service.ask({ distinct_id: "u1" });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
    expect(json).toEqual({
      flags: {
        on: {
          key: "on",
          enabled: true,
          variant: null,
          reason: { code: "condition_match", condition_index: 0, description: "Matched condition set 1" },
          metadata: { id: service.ids.on, version: 1, description: null, payload: '{"limit":5}' },
        },
        off: expect.objectContaining({
          enabled: false,
          reason: expect.objectContaining({ code: "flag_disabled" }),
        }),
        nobody: expect.objectContaining({
          enabled: false,
          reason: expect.objectContaining({ code: "out_of_rollout_bound" }),
        }),
        "pro-only": expect.objectContaining({
          enabled: false,
          reason: expect.objectContaining({ code: "no_condition_match" }),
        }),
        coloured: expect.objectContaining({ enabled: true, variant: "blue" }),
      },
      errorsWhileComputingFlags: false,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      evaluatedAt: expect.any(Number),
    });
  });

  it("says of a flag with an experiment on it that it has one, and so do the definitions", async () => {
    const root = "/api/projects/1/experiments/";
    const told = async () => {
      const { json } = await service.ask({ distinct_id: "u1" });
      const { json: defined } = await service.api("GET", `/flags/definitions?token=${service.token}`);
      const [one] = defined.flags.filter((flag: { key: string }) => flag.key === "tried");
      return [json.flags.tried.metadata.has_experiment, one.has_experiment];
    };
    const shares = ["control", "test"].map((key) => ({ key, rollout_percentage: 50 }));
    await service.createFlag("tried", { filters: { ...everyone, multivariate: { variants: shares } } });
    expect(await told()).toEqual([undefined, undefined]);
    const body = { name: "Tried", feature_flag_key: "tried" };
    const { json: made } = await service.api("POST", root, body);
    expect(await told()).toEqual([true, true]);
    await service.api("PATCH", `${root}${made.id}/`, { deleted: true });
    expect(await told()).toEqual([undefined, undefined]);
    await service.changeFlag("tried", { deleted: true });
  });

  it("follows a change of a flag at once", async () => {
    await service.changeFlag("on", { active: false });
    expect((await service.valuesFor({ distinct_id: "u1" })).on).toBe(false);
    await service.changeFlag("on", { active: true });
    expect((await service.valuesFor({ distinct_id: "u1" })).on).toBe(true);
  });

  it.each([
    { path: "/flags/", has: { featureFlags: { on: true, off: false, coloured: "blue" } } },
    { path: "/flags?v=1", has: { featureFlagPayloads: { on: '{"limit":5}' } } },
    { path: "/decide/?v=3", has: { featureFlags: { on: true, "pro-only": false } } },
    {
      path: "/decide/?v=3",
      has: { featureFlagPayloads: { on: '{"limit":5}' }, errorsWhileComputingFlags: false },
    },
    { path: "/decide?v=4", has: { flags: { on: { enabled: true }, nobody: { enabled: false } } } },
    { path: "/decide/?v=4", has: { supportedCompression: ["gzip", "gzip-js"], siteApps: [] } },
    { path: "/flags/?v=2&config=true", has: { hasFeatureFlags: true, flags: { on: { key: "on" } } } },
  ])("$path answers in its own form", async ({ path, has }) => {
    expect((await service.ask({ distinct_id: "u1" }, path)).json).toMatchObject(has);
  });

  it("of /decide?v=2 holds only what is on, of /decide only its keys", async () => {
    expect((await service.ask({ distinct_id: "u1" }, "/decide/?v=2")).json.featureFlags).toEqual({
      on: true,
      coloured: "blue",
    });
    const { json } = await service.ask({ distinct_id: "u1" }, "/decide/");
    expect(json.featureFlags.toSorted()).toEqual(["coloured", "on"]);
  });

  it.each([
    { narrowed: { flag_keys_to_evaluate: ["on", "missing"] }, to: ["on"] },
    { narrowed: { flag_keys: ["off", "on"] }, to: ["off", "on"] },
    { narrowed: { flag_keys_to_evaluate: [] }, to: [] },
    { narrowed: { disable_flags: true }, to: [] },
    { narrowed: { evaluation_runtime: "server" }, to: ["coloured", "nobody", "off", "on", "pro-only"] },
  ])("holds $to for $narrowed", async ({ narrowed, to }) => {
    const { json } = await service.ask({ distinct_id: "u1", ...narrowed });
    expect(Object.keys(json.flags).toSorted()).toEqual(to);
  });

  it("matches properties of the request", async () => {
    expect(
      (await service.valuesFor({ distinct_id: "u1", person_properties: { plan: "PRO" } }))["pro-only"],
    ).toBe(true);
  });
});

it("too many calls of one token are throttled", async () => {
  const limited = await startSdkService({ limits: { management: 0, definitions: 3, events: 0 } });
  try {
    const call = () =>
      limited.api("POST", "/flags/?v=2", { token: limited.token, distinct_id: "u" }, { key: null });
    const answers = [await call(), await call(), await call(), await call()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(Number(answers[3]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(answers[3]?.headers.get("access-control-allow-origin")).toBe("*");
  } finally {
    await limited.close();
  }
});
