import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type SdkService, startSdkService } from "#testing/sdk.ts";

let service: SdkService;
beforeAll(async () => {
  service = await startSdkService();
});
afterAll(() => service.close());

const get = (path: string) => service.api("GET", path, undefined, { key: null });

it("tells browsers to ask for flags once there are some", async () => {
  const path = `/array/${service.token}/config`;
  expect((await get(path)).json).toMatchObject({ hasFeatureFlags: false, surveys: false });
  await service.createFlag("first");
  const { json, headers } = await get(path);
  expect(json).toEqual({
    token: service.token,
    hasFeatureFlags: true,
    surveys: false,
    supportedCompression: ["gzip", "gzip-js"],
    analytics: { endpoint: "/i/v0/e/" },
    elementsChainAsString: true,
    // What Switchyard does not have is off.
    captureDeadClicks: false,
    capturePerformance: false,
    autocapture_opt_out: true,
    autocaptureExceptions: false,
    heatmaps: false,
    sessionRecording: false,
    productTours: false,
    conversations: false,
    errorTracking: { autocaptureExceptions: false, suppressionRules: [] },
    siteApps: [],
  });
  expect(headers.get("access-control-allow-origin")).toBe("*");
});

it("tells them to ask for surveys once there are some", async () => {
  const questions = [{ type: "open", question: "Why?" }];
  const made = await service.api("POST", "/api/projects/1/surveys/", {
    name: "Why",
    type: "popover",
    questions,
    start_date: "2025-01-01T00:00:00Z",
  });
  expect(made.status, made.text).toBe(201);
  const feed = (await get(`/api/surveys/?token=${service.token}`)).json.surveys;
  expect(feed).toHaveLength(1);
  expect((await get(`/array/${service.token}/config`)).json.surveys).toEqual(feed);
});

it("is the same as a script", async () => {
  const script = await get(`/array/${service.token}/config.js`);
  expect(script.headers.get("content-type")).toContain("javascript");
  expect(script.headers.get("access-control-allow-origin")).toBe("*");
  const window: Record<string, unknown> = {};
  runInNewContext(script.text, { window });
  const config = (await get(`/array/${service.token}/config`)).json;
  expect(window._POSTHOG_REMOTE_CONFIG).toEqual({ [service.token]: { config, siteApps: [] } });
});

it.each(["config", "config.js"])("of an unknown token is not found: %s", async (name) => {
  expect((await get(`/array/phc_unknown/${name}`)).status).toBe(404);
});
