import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import type { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import type { OpenFeature } from "@openfeature/web-sdk";
import { expect, type Page, test } from "@playwright/test";
import type { PostHog } from "posthog-js";
import { apiOf, newProject } from "./service.ts";

/** Somebody's site: another origin, whose page loads the real packages as they come from the registry. */
const packages = join(import.meta.dirname, "..", "node_modules");
const provider = join(packages, "@openfeature", "ofrep-web-provider", "index.esm.js");
const modules: Record<string, string> = {
  "posthog-js": join(packages, "posthog-js", "dist", "module.full.js"),
  "@openfeature/core": join(packages, "@openfeature", "core", "dist", "esm", "index.js"),
  "@openfeature/web-sdk": join(packages, "@openfeature", "web-sdk", "dist", "esm", "index.js"),
  "@openfeature/ofrep-core": join(
    dirname(createRequire(provider).resolve("@openfeature/ofrep-core")),
    "index.esm.js",
  ),
  "@openfeature/ofrep-web-provider": provider,
};
const addresses = Object.fromEntries(Object.keys(modules).map((name) => [name, `/modules/${name}.js`]));
const html = `<!doctype html><html lang="en"><title>A shop</title><link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports: addresses })}</script>
<script type="module">
import { posthog } from "posthog-js";
import { OpenFeature } from "@openfeature/web-sdk";
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
window.clients = { posthog, OpenFeature, OFREPWebProvider };
</script>`;

type Clients = {
  clients: { posthog: PostHog; OpenFeature: typeof OpenFeature; OFREPWebProvider: typeof OFREPWebProvider };
};

let site: Server;
let origin = "";

test.beforeAll(async () => {
  site = createServer(async (request, response) => {
    const [name] = Object.entries(addresses).find(([, address]) => address === request.url) ?? [];
    const file = name === undefined ? undefined : modules[name];
    response.setHeader("content-type", file === undefined ? "text/html" : "text/javascript");
    response.end(file === undefined ? html : await readFile(file));
  }).listen(0, "127.0.0.1");
  await once(site, "listening");
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});

test.afterAll(async () => {
  site.closeAllConnections();
  site.close();
});

const everyone = { groups: [{ properties: [], rollout_percentage: 100 }] };
const flags = [
  { key: "bool", filters: { ...everyone, payloads: { true: '{"colour":"teal","sizes":[1,2]}' } } },
  {
    key: "variant",
    filters: {
      ...everyone,
      multivariate: {
        variants: [
          { key: "control", rollout_percentage: 0 },
          { key: "blue", rollout_percentage: 100 },
        ],
      },
      payloads: { blue: '"sea"' },
    },
  },
  {
    key: "for-pro",
    filters: {
      groups: [
        {
          properties: [{ key: "plan", type: "person", operator: "exact", value: ["pro"] }],
          rollout_percentage: 100,
        },
      ],
    },
  },
  { key: "off", active: false, filters: everyone },
];

/** Opens the site, and gathers whatever a browser would complain of. */
async function visit(page: Page): Promise<string[]> {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  // A page that is being left has nobody to tell what it sends: it writes that down.
  await page.addInitScript(() => {
    const send = navigator.sendBeacon.bind(navigator);
    navigator.sendBeacon = (url, data) => {
      localStorage.setItem("last_beacon", String(url));
      return send(url, data);
    };
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(origin);
  await page.waitForFunction(() => "clients" in window);
  return complaints;
}

test("posthog-js on another origin: flags, people, events", async ({ page, request, baseURL }) => {
  const api = apiOf(request);
  const project = await newProject(api, "A shop");
  const root = `/api/projects/${project.id}`;
  for (const flag of flags) await api("POST", `${root}/feature_flags/`, { active: true, ...flag });
  const complaints = await visit(page);
  const settings = { token: project.api_token, host: baseURL ?? "" };
  const first = await page.evaluate(async ({ token, host }) => {
    const { posthog } = (window as unknown as Clients).clients;
    posthog.init(token, { api_host: host, opt_out_useragent_filter: true, person_profiles: "always" });
    await new Promise((loaded) => posthog.onFeatureFlags(loaded));
    return {
      bool: posthog.getFeatureFlag("bool"),
      payload: posthog.getFeatureFlagPayload("bool"),
      variant: posthog.getFeatureFlag("variant"),
      variantPayload: posthog.getFeatureFlagPayload("variant"),
      pro: posthog.getFeatureFlag("for-pro"),
      off: posthog.isFeatureEnabled("off"),
      missing: posthog.getFeatureFlag("missing") ?? null,
      anonymous: posthog.get_distinct_id(),
    };
  }, settings);
  const { anonymous, ...values } = first;
  expect(values).toEqual({
    bool: true,
    payload: { colour: "teal", sizes: [1, 2] },
    variant: "blue",
    variantPayload: "sea",
    pro: false,
    off: false,
    missing: null,
  });

  await page.evaluate(() => (window as unknown as Clients).clients.posthog.identify("ada", { plan: "pro" }));
  const pro = () =>
    page.evaluate(() => (window as unknown as Clients).clients.posthog.getFeatureFlag("for-pro"));
  await expect.poll(pro).toBe(true);

  await page.evaluate(() =>
    (window as unknown as Clients).clients.posthog.capture("ordered", { amount: 12 }),
  );
  const events = async (name: string) =>
    (await api("GET", `${root}/events/?event=${encodeURIComponent(name)}`)).results;
  await expect
    .poll(() => events("ordered"))
    .toMatchObject([{ distinct_id: "ada", properties: { amount: 12, $lib: "web" } }]);
  expect(await events("$pageview")).toMatchObject([{ distinct_id: anonymous }]);

  await expect
    .poll(async () => {
      const { results } = await api("GET", `${root}/feature_flags/?search=variant`);
      return results[0].last_called_at;
    })
    .not.toBeNull();
  expect(await events("$feature_flag_called")).toContainEqual(
    expect.objectContaining({
      properties: expect.objectContaining({ $feature_flag: "variant", $feature_flag_response: "blue" }),
    }),
  );

  await page.evaluate(() => (window as unknown as Clients).clients.posthog.capture("left in a hurry"));
  await page.goto("about:blank");
  await expect.poll(() => events("left in a hurry")).toMatchObject([{ distinct_id: "ada" }]);
  await expect.poll(() => events("$pageleave")).toMatchObject([{ distinct_id: "ada" }]);
  await page.goto(origin);
  const beacon = await page.evaluate(() => localStorage.getItem("last_beacon"));
  expect(beacon).toContain(`${baseURL}/i/v0/e/`);

  const { results: people } = await api("GET", `${root}/persons/`);
  expect(people).toHaveLength(1);
  expect(people[0].distinct_ids.sort()).toEqual([anonymous, "ada"].sort());
  expect(complaints).toEqual([]);
});

test("OpenFeature's web provider on another origin", async ({ page, request, baseURL }) => {
  const api = apiOf(request);
  const project = await newProject(api, "A shop with OpenFeature");
  for (const flag of flags)
    await api("POST", `/api/projects/${project.id}/feature_flags/`, { active: true, ...flag });
  const complaints = await visit(page);
  const answers: number[] = [];
  page.on("response", (response) => {
    if (response.request().method() === "POST") answers.push(response.status());
  });
  const values = await page.evaluate(
    async ({ token, host }) => {
      const { OpenFeature, OFREPWebProvider } = (window as unknown as Clients).clients;
      await OpenFeature.setContext({ targetingKey: "ada" });
      const provider = new OFREPWebProvider({
        baseUrl: host,
        headers: [["Authorization", `Bearer ${token}`]],
        cacheMode: "disabled",
      });
      await OpenFeature.setProviderAndWait(provider);
      const features = OpenFeature.getClient();
      const before = features.getBooleanValue("for-pro", true);
      await OpenFeature.setContext({ targetingKey: "ada", plan: "pro" });
      const after = features.getBooleanValue("for-pro", false);
      await OpenFeature.setContext({ targetingKey: "ada", plan: "pro" });
      return {
        before,
        after,
        bool: features.getBooleanValue("bool", false),
        variant: features.getStringDetails("variant", "none").variant,
        missing: features.getBooleanDetails("missing", true).errorCode,
      };
    },
    { token: project.api_token, host: baseURL ?? "" },
  );
  expect(values).toEqual({
    before: false,
    after: true,
    bool: true,
    variant: "blue",
    missing: "FLAG_NOT_FOUND",
  });
  expect(answers).toEqual([200, 200, 304]);
  expect(complaints).toEqual([]);
});
