import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SdkService, startSdkService } from "#testing/sdk.ts";

let service: SdkService;

beforeAll(async () => {
  service = await startSdkService();
  await service.createFlag("on");
});
afterAll(() => service.close());

describe("who asks", () => {
  const agents = {
    node: { "user-agent": "posthog-node/5.70.0" },
    python: { "user-agent": "posthog-python/7.53.0" },
    curl: { "user-agent": "curl/8.5.0" },
    browser: { "user-agent": "Mozilla/5.0 (X11; Linux x64) Chrome/156.0", origin: "https://shop.example" },
    phone: { "user-agent": "posthog-ios/3.0.0" },
    unknown: { "user-agent": "something/1.0" },
  };
  beforeAll(async () => {
    await service.createFlag("rt-server", { evaluation_runtime: "server" });
    await service.createFlag("rt-client", { evaluation_runtime: "client" });
    await service.createFlag("tag-web", { tags: ["web"], evaluation_tags: ["web"] });
    await service.createFlag("tag-app", { tags: ["app"], evaluation_tags: ["app"] });
    await service.createFlag("survey-targeting-x");
  });

  it.each([
    { agent: "node", server: true, client: undefined },
    { agent: "python", server: true, client: undefined },
    { agent: "curl", server: true, client: undefined },
    { agent: "browser", server: undefined, client: true },
    { agent: "phone", server: undefined, client: true },
    { agent: "unknown", server: true, client: true },
  ] as const)("gets the flags of its runtime: $agent", async ({ agent, server, client }) => {
    const values = await service.valuesFor({ distinct_id: "u1" }, agents[agent]);
    expect([values["rt-server"], values["rt-client"], values.on]).toEqual([server, client, true]);
  });

  it("may say which runtime it is", async () => {
    const values = await service.valuesFor({ distinct_id: "u1", evaluation_runtime: "client" }, agents.node);
    expect([values["rt-server"], values["rt-client"]]).toEqual([undefined, true]);
  });

  it("gets flags with one of its contexts, or without any", async () => {
    const stored = await service.api("GET", `/api/projects/1/feature_flags/${service.ids["tag-web"]}/`);
    expect(stored.json.evaluation_tags).toEqual(["web"]);
    const values = await service.valuesFor({ distinct_id: "u1", evaluation_contexts: ["web", "docs"] });
    expect([values["tag-web"], values["tag-app"], values.on]).toEqual([true, undefined, true]);
  });

  it("can ask for the flags of surveys only", async () => {
    const { json } = await service.ask(
      { distinct_id: "u1" },
      "/flags/?v=2&only_evaluate_survey_feature_flags=true",
    );
    expect(Object.keys(json.flags)).toEqual(["survey-targeting-x"]);
  });

  it("may be a page of any origin", async () => {
    const headers = { origin: "https://shop.example", "access-control-request-method": "POST" };
    for (const path of ["/flags/", "/decide/", "/ofrep/v1/evaluate/flags/a", "/array/x/config"]) {
      const preflight = await service.api("OPTIONS", path, undefined, {
        key: null,
        headers: { ...headers, "access-control-request-headers": "authorization,content-type,if-none-match" },
      });
      expect([path, preflight.status]).toEqual([path, 204]);
      expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
      expect(preflight.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("if-none-match");
    }
    const answer = await service.ask({ distinct_id: "u1" });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  });

  it("may not use another method", async () => {
    const answer = await service.api("DELETE", "/flags/", undefined, { key: null });
    expect([answer.status, answer.json.code]).toEqual([405, "method_not_allowed"]);
  });
});
