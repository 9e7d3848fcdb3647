import { expect, test } from "@playwright/test";
import { PostHog } from "posthog-node";
import { PERSONAL_API_KEY } from "./playwright.config.ts";
import { apiOf, expectAccessibleInEveryView, newProject, signIn } from "./service.ts";

test("an engineer ships a change and watches it reach all instances", async ({ page, request, baseURL }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Delivery");
  const flags = `/api/projects/${project.id}/feature_flags/`;
  const filters = { groups: [{ properties: [], rollout_percentage: 100 }] };
  const flag = await api("POST", flags, { key: "shipped", active: true, filters });
  const clients = Array.from({ length: 3 }, () => {
    const client = new PostHog(project.api_token, {
      host: baseURL ?? "",
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
    await expectAccessibleInEveryView(page);
    await served.click();
    await expect(page).toHaveURL(/sdk_instances\?flag=\d+&state=confirmed/);
    const table = page.getByRole("table", { name: "SDK instances" });
    await expect(table.getByRole("row")).toHaveCount(4);
    await expect(table.getByText("Up to date")).toHaveCount(3);
    await expectAccessibleInEveryView(page);
    await page.getByRole("link", { name: "Show all" }).click();
    await expect(
      page.getByRole("table", { name: "SDKs by version" }).getByText("posthog-node"),
    ).toBeVisible();
  } finally {
    await Promise.all(clients.map((client) => client.shutdown(1_000)));
  }
});
