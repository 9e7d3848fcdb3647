import { expect, test } from "@playwright/test";
import { Webhook } from "standardwebhooks";
import { startReceiver } from "#testing/receivers.ts";
import { apiOf, expectAccessibleInEveryView, newProject, signIn } from "./service.ts";

const rollout = (rollout_percentage: number) => ({ groups: [{ properties: [], rollout_percentage }] });

test("a product manager starts the day in the inbox", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Morning");
  const root = `/api/projects/${project.id}`;
  const [ramped, other] = await Promise.all(
    ["new-basket", "new-search"].map((key) =>
      api("POST", `${root}/feature_flags/`, { key, filters: rollout(0) }),
    ),
  );
  for (const { id } of [ramped, other])
    await api("POST", `${root}/ramps/`, {
      feature_flag: id,
      steps: [{ shares: { 0: 50 }, hold: { approval: true } }],
    });

  // Administrators also see what concerns the whole installation, such as its backups.
  const email = `grace-${project.id}@example.com`;
  await api("POST", "/api/organizations/@current/members/", { email });
  const grace = { label: "Grace", scopes: ["*"], user: email };
  const { value: key } = await api("POST", "/api/personal_api_keys/", grace);

  await signIn(page, `/project/${project.id}`, key);
  await expect(page).toHaveURL(`/project/${project.id}/inbox`);
  await expect(page.getByRole("heading", { name: "What needs you today", level: 1 })).toBeVisible();
  const now = page.getByRole("list", { name: "Now" });
  await expect(now.getByRole("listitem")).toHaveCount(2);
  const sidebar = page.getByRole("navigation", { name: "Main" });
  await expect(sidebar.getByRole("link", { name: "Inbox, 2 items", exact: true })).toBeVisible();
  await expectAccessibleInEveryView(page);
  await page.setViewportSize({ width: 1280, height: 800 });

  // Its one next action leads to where it can be done, and then it is gone.
  const waiting = now.getByRole("listitem").filter({ hasText: "The ramp of new-basket waits for approval" });
  await waiting.getByRole("link", { name: "Look and approve" }).click();
  await expect(page.getByRole("heading", { name: "new-basket", level: 1 })).toBeVisible();
  const approve = page.getByRole("button", { name: "Approve" });
  await expect(approve).toBeVisible();
  // The page arrives in parts: a press that comes before its part is alive does nothing.
  await expect(async () => {
    if ((await approve.count()) > 0) await approve.click();
    await expect(approve).toHaveCount(0, { timeout: 5_000 });
  }).toPass();
  await page.getByLabel("Notify me by e-mail").selectOption("daily");
  await expect(page.getByText("You are notified once a day, at eight")).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await expect(page.getByRole("list", { name: "Now" }).getByRole("listitem")).toHaveCount(1);
  await expect(sidebar.getByRole("link", { name: "Inbox, 1 item", exact: true })).toBeVisible();
  await page.goto(`/project/${project.id}/cohorts`);
  await expect(sidebar.getByRole("link", { name: "Inbox, 1 item", exact: true })).toBeVisible();
  await page.goBack();

  // What is not for today is set aside, until it changes.
  await page.getByRole("button", { name: /^Done for now: The ramp of new-search/ }).click();
  await expect(page.getByRole("heading", { name: "Nothing needs you" })).toBeVisible();
  await expect(page.getByText("1 item is set aside until something changes.")).toBeVisible();
  await expect(sidebar.getByRole("link", { name: "Inbox", exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Subscriptions" }).click();
  await expect(page.getByRole("list", { name: "Subscriptions" })).toContainText("new-basket");
  await api("PATCH", `${root}/feature_flags/${ramped.id}/`, { name: "Baskets" });
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole("list", { name: "Next digest" })).toContainText(
      "Description: none → Baskets",
      {
        timeout: 2_000,
      },
    );
  }).toPass();
  await expectAccessibleInEveryView(page);
});

test("a webhook consumer verifies a signature, and gets a message again that was given up", async ({
  page,
  request,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "Hooked");
  const root = `/api/projects/${project.id}`;
  const shipped = await api("POST", `${root}/feature_flags/`, { key: "shipped", filters: rollout(10) });
  let status = 410;
  const receiver = await startReceiver(() => status);
  await signIn(page, `/project/${project.id}/settings/notifications`);
  await page.getByRole("button", { name: "New destination" }).click();
  const dialog = page.getByRole("dialog", { name: "New destination" });
  await dialog.getByLabel("Name").fill("Deployments");
  await dialog.getByLabel("URL").fill("http://10.0.0.1/");
  await dialog.getByRole("button", { name: "Add destination" }).click();
  await expect(dialog).toContainText("10.0.0.1 is not on the public internet");
  await dialog.getByLabel("URL").fill(receiver.url);
  await dialog.getByLabel("A feature flag was created, changed or deleted").click();
  const about = dialog.getByRole("combobox", { name: "Only about" });
  await about.fill("ship");
  await page.getByRole("option", { name: "shipped" }).click();
  await expectAccessibleInEveryView(page, "[role=dialog]");
  await dialog.getByRole("button", { name: "Add destination" }).click();
  const shown = page.getByRole("dialog", { name: "The secret of this webhook" });
  const secret = (await shown.getByText(/^whsec_/).textContent()) ?? "";
  await shown.getByRole("button", { name: "I have copied it" }).click();
  await expect(page.getByText(secret)).toHaveCount(0);

  await api("POST", `${root}/feature_flags/`, { key: "not-about-this" });
  await api("PATCH", `${root}/feature_flags/${shipped.id}/`, { name: "Out at last" });
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(1);
  const [first] = receiver.received;
  const verified = new Webhook(secret).verify(first?.body ?? "", first?.headers ?? {});
  expect(verified).toMatchObject({ type: "feature_flag.changed", data: { resource: { name: "shipped" } } });

  // The receiver wanted none: whoever administers the project finds it in the inbox.
  await page.goto(`/project/${project.id}/inbox`);
  await page.getByRole("link", { name: /^See what failed/ }).click();
  const message = page.getByRole("list", { name: "Messages" }).getByRole("listitem");
  await expect(message).toContainText("Given up");
  await expect(message).toContainText("The receiver wants no more of them (410).");
  await expect(message).toContainText("noted");
  await expectAccessibleInEveryView(page);
  status = 204;
  await message.getByRole("button", { name: /^Send again/ }).click();
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(2);
  const again = receiver.received[1];
  expect(again?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  new Webhook(secret).verify(again?.body ?? "", again?.headers ?? {});
  await page.goto(`/project/${project.id}/settings/notifications`);
  await expect(page.getByRole("list", { name: "Messages" })).toContainText("Delivered");
  await receiver.close();
});
