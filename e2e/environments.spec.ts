import { expect, test } from "@playwright/test";
import { apiOf, expectAccessible, expectAccessibleInEveryView, newProject, signIn } from "./service.ts";

const PEOPLE = 20;

const rollout = (rollout_percentage: number) => ({ groups: [{ properties: [], rollout_percentage }] });

test("a change is promoted part by part, waits for approval in production, and is applied there", async ({
  page,
  request,
  browser,
}) => {
  const api = apiOf(request);
  const [staging, production] = [await newProject(api, "Shop staging"), await newProject(api, "Shop")];
  const flagsOf = (project: { id: number }) => `/api/projects/${project.id}/feature_flags/`;
  const flag = await api("POST", flagsOf(staging), {
    key: "checkout",
    name: "As in staging",
    filters: rollout(100),
  });
  const there = await api("POST", flagsOf(production), {
    key: "checkout",
    name: "As in production",
    filters: rollout(0),
  });
  await api("POST", flagsOf(staging), { key: "staging-only" });
  await api("POST", "/batch/", {
    api_key: production.api_token,
    batch: Array.from({ length: PEOPLE }, (_, at) => ({
      event: "$identify",
      distinct_id: `person-${at}`,
      properties: { $set: { plan: "pro" } },
    })),
  });

  // The two projects become environments of one another.
  await signIn(page, `/project/${staging.id}/settings/project`);
  await page.getByRole("button", { name: "Link environments" }).click();
  const linking = page.getByRole("dialog", { name: "Link environments" });
  await linking.getByRole("textbox", { name: "Shop staging" }).fill("Staging");
  await linking.getByRole("combobox", { name: "Add a project" }).click();
  await page.getByRole("option", { name: "Shop", exact: true }).click();
  await linking.getByRole("textbox", { name: "Shop", exact: true }).fill("Production");
  await expectAccessible(page);
  await linking.getByRole("button", { name: "Link environments" }).click();
  await expect(page.getByRole("list", { name: "Environments" })).toContainText("Production");

  const { id: organization } = await api("GET", "/api/organizations/@current/");
  const email = `ada-${production.id}@example.com`;
  await api("POST", `/api/organizations/${organization}/members/`, { email, first_name: "Ada" });
  const ada = await api("POST", "/api/personal_api_keys/", { label: "Ada", scopes: ["*"], user: email });
  await api("POST", `/api/projects/${production.id}/approval_policies/`, {
    action_key: "change",
    approver_config: { quorum: 1 },
  });

  // What differs is side by side on the page of the flag, and of all flags on a page of its own.
  await page.goto(`/project/${staging.id}/feature_flags/environments`);
  const rows = page.getByRole("table", { name: "Flags in each environment" }).getByRole("row");
  await expect(rows.filter({ hasText: "checkout" })).toContainText("Conditions");
  await expect(rows.filter({ hasText: "staging-only" })).toContainText("Missing");
  await expectAccessibleInEveryView(page);
  await page.goto(`/project/${staging.id}/feature_flags/${flag.id}`);
  await page.getByRole("link", { name: "Environments" }).click();
  const drift = page.getByRole("region", { name: "What differs: Staging and Production" });
  await expect(drift).toContainText("As in production");
  await expectAccessibleInEveryView(page);

  // The conditions are taken over, the description stays.
  await page.getByRole("link", { name: "Promote to Production…" }).click();
  await expect(page.getByRole("heading", { name: "Promote to Production" })).toBeVisible();
  await page.getByRole("checkbox", { name: "Description of checkout" }).uncheck();
  await expectAccessibleInEveryView(page);
  await page.getByRole("button", { name: "Review 1 flag…" }).click();
  const asked = page.getByRole("alertdialog");
  await expect(asked).toContainText(`${PEOPLE} of ${PEOPLE} people get a different value`);
  await asked.getByRole("textbox").fill("checkout");
  await asked.getByRole("button", { name: "Promote", exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/project/${production.id}/change_requests/[0-9a-f-]{36}$`));
  expect((await api("GET", `${flagsOf(production)}${there.id}/`)).version).toBe(1);

  const context = await browser.newContext({ reducedMotion: "reduce" });
  const asAda = await context.newPage();
  await signIn(asAda, new URL(page.url()).pathname, ada.value);
  await asAda.getByRole("button", { name: "Approve…" }).click();
  await asAda.getByRole("alertdialog").getByRole("button", { name: "Approve", exact: true }).click();
  await expect(asAda.getByRole("main")).toContainText("Applied");
  expect(await api("GET", `${flagsOf(production)}${there.id}/`)).toMatchObject({
    version: 2,
    name: "As in production",
    filters: rollout(100),
  });
  await page.goto(`/project/${staging.id}/feature_flags/environments?state=differs`);
  await expect(rows.filter({ hasText: "checkout" })).toContainText("Description");
  await expect(rows.filter({ hasText: "checkout" })).not.toContainText("Conditions");

  // The description is promoted later: it changes nobody’s value, so no policy holds it.
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`/project/${staging.id}/feature_flags/${flag.id}/environments`);
  await page.getByRole("link", { name: "Promote to Production…" }).click();
  await page.getByRole("button", { name: "Schedule…" }).click();
  const scheduling = page.getByRole("alertdialog");
  await expect(scheduling.getByRole("region", { name: "What changes" })).toContainText("As in staging");
  await expectAccessible(page, "[role=alertdialog]");
  await scheduling.getByRole("button", { name: "Schedule", exact: true }).click();
  await expect(page).toHaveURL(`/project/${production.id}/feature_flags/${there.id}`);
  const upcoming = page.getByRole("list", { name: "Scheduled changes" });
  await expect(upcoming).toContainText("Promote description from Staging");
  await expect(upcoming).toContainText("As in staging");
  await expectAccessibleInEveryView(page);
});
