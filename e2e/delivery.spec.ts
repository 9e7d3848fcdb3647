import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { PostHog } from "posthog-node";
import { type Process, startProcess } from "#testing/processes.ts";
import { PERSONAL_API_KEY } from "./playwright.config.ts";
import { apiOf, expectAccessibleInEveryView, newProject, signIn } from "./service.ts";

test("an engineer ships a change and watches it reach all instances", async ({ page, request, baseURL }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Delivery");
  const flags = `/api/projects/${project.id}/feature_flags/`;
  const filters = { groups: [{ properties: [], rollout_percentage: 100 }] };
  const flag = await api("POST", flags, { key: "shipped", active: true, filters });
  const folder = mkdtempSync(join(tmpdir(), "switchyard-relay-"));
  const { relay_public_key } = await api("GET", "/api/instance_status/");
  const { value: relayKey } = await api("POST", "/api/personal_api_keys/", {
    label: "Relay",
    scopes: ["relay:read"],
    scoped_teams: [project.id],
  });
  const relay: Process = await startProcess(
    { DATA_DIR: folder, RELAY_KEY: relayKey, RELAY_PUBLIC_KEY: relay_public_key, RELAY_NAME: "eu-1" },
    ["--relay", baseURL ?? ""],
  );
  const clients = [baseURL, relay.address, relay.address].map((host) => {
    const client = new PostHog(project.api_token, {
      host: host ?? "",
      personalApiKey: PERSONAL_API_KEY,
      featureFlagsPollingInterval: 500,
    });
    client.on("error", () => undefined);
    return client;
  });
  try {
    await Promise.all(clients.map((client) => client.waitForLocalEvaluationReady(30_000)));
    await signIn(page, `/project/${project.id}/feature_flags/${flag.id}`);
    const delivery = page.locator("section").filter({ has: page.getByRole("heading", { name: "Delivery" }) });
    await expect(delivery.getByText("Version 1,")).toBeVisible();
    await api("PATCH", `${flags}${flag.id}/`, { name: "Second version" });
    await page.reload();
    await expect(delivery.getByText("Version 2,")).toBeVisible();
    await expect(delivery.getByText("Everywhere")).toBeVisible();
    const served = delivery.getByRole("link", { name: /^Served by 3 of 3 instances/ });
    const relays = delivery.getByRole("list", { name: "Relays" });
    await expect(relays.getByRole("listitem")).toHaveText(
      /Through relay eu-1\s*Up to date\s*2 of 2 instances have it/,
    );
    await expectAccessibleInEveryView(page);
    await served.click();
    await expect(page).toHaveURL(/sdk_instances\?flag=\d+&state=confirmed/);
    const table = page.getByRole("table", { name: "SDK instances" });
    await expect(table.getByRole("row")).toHaveCount(4);
    await expect(table.getByText("Up to date")).toHaveCount(3);
    await expectAccessibleInEveryView(page);
    await page.goBack();
    await relays.getByRole("link", { name: "2 of 2 instances" }).click();
    await expect(page).toHaveURL(/sdk_instances\?flag=\d+&relay=/);
    await expect(page.getByText("through relay eu-1")).toBeVisible();
    await expect(table.getByRole("row")).toHaveCount(3);
    await page.getByRole("link", { name: "Show all" }).click();
    const listed = page.getByRole("table", { name: "Relays" }).getByRole("row", { name: /eu-1/ });
    await expect(listed).toContainText("Up to date");
    await expect(
      page.getByRole("table", { name: "SDKs by version" }).getByText("posthog-node"),
    ).toBeVisible();
  } finally {
    await Promise.all(clients.map((client) => client.shutdown(1_000)));
    await relay.end("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  }
});
