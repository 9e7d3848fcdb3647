import { expect, test } from "@playwright/test";
import { apiOf, expectAccessibleInEveryView, newProject, signIn } from "./service.ts";

const filtersWith = (rollout_percentage: number) => ({ groups: [{ properties: [], rollout_percentage }] });

test("after an incident: what changed before it, who did it, and what a person got then", async ({
  page,
  request,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "Incident");
  const flags = `/api/projects/${project.id}/feature_flags/`;
  const checkout = await api("POST", flags, { key: "checkout", filters: filtersWith(0) });
  await api("POST", flags, { key: "banner", filters: filtersWith(100) });
  // The page's moments are whole seconds.
  const second = async () => {
    const next = (Math.floor(Date.now() / 1000) + 1) * 1000;
    await expect.poll(() => Date.now()).toBeGreaterThan(next + 50);
    return new Date(next).toISOString().slice(0, 19);
  };
  const before = await second();
  await api("PATCH", `${flags}${checkout.id}/`, { filters: filtersWith(100) });
  const incident = await second();
  await api("PATCH", `${flags}${checkout.id}/`, { active: false });

  await signIn(page, `/project/${project.id}/activity`);
  await page.getByRole("link", { name: "Flags at a point in time" }).click();
  const changed = page.getByRole("list", { name: "Changed flags" }).getByRole("listitem");
  await expect(changed.filter({ hasText: "checkout" })).toContainText("Created");

  await page.getByLabel("Date and time").fill(incident);
  await page.getByLabel("Compared with").fill(before);
  await page.getByLabel("Values of a person").fill("somebody");
  await page.getByRole("button", { name: "Show" }).click();
  await expect(changed).toHaveCount(1);
  await expect(changed).toContainText("Changed");
  await expect(changed.getByLabel("What changed of checkout")).toContainText("On for everyone");
  await expect(changed).toContainText("Saved by Admin");
  const row = page.getByRole("row").filter({ hasText: "checkout" });
  await expect(row).toContainText("On");
  await expect(row).toContainText("Set 1 matches this person.");
  await expectAccessibleInEveryView(page);

  await page.getByLabel("Date and time").fill(before);
  await page.getByLabel("Compared with").fill(incident);
  await page.getByRole("button", { name: "Show" }).click();
  await expect(page.getByText("Choose an earlier date and time than the other one.")).toBeVisible();
  await expect(row).toContainText("this person is outside its rollout");
  await page.getByRole("link", { name: "1 day before" }).click();
  await expect(page.getByText("Choose an earlier date and time than the other one.")).toBeHidden();
  await expect(changed).toHaveCount(2);
});
