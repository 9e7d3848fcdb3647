import { expect, type Page, test } from "@playwright/test";
import { apiOf, expectAccessibleInEveryView, newProject, signIn } from "./service.ts";

const share = (rollout_percentage: number) => ({ groups: [{ properties: [], rollout_percentage }] });
const region = (page: Page, name: string) => page.getByRole("region", { name });

test.use({ timezoneId: "UTC" });

test("an engineer replays an incident: who got something else, and which values no version explains", async ({
  page,
  request,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "Replay");
  const flags = `/api/projects/${project.id}/feature_flags/`;
  const report = (calls: [distinct_id: string, value: boolean | string][]) =>
    request.post("/batch/", {
      data: {
        api_key: project.api_token,
        batch: calls.map(([distinct_id, value]) => ({
          event: "$feature_flag_called",
          distinct_id,
          properties: { $feature_flag: "checkout", $feature_flag_response: value, $lib: "web" },
        })),
      },
    });
  const flag = await api("POST", flags, { key: "checkout", active: true, filters: share(100) });
  await report([
    ["ada", true],
    ["ada", true],
    ["bob", true],
  ]);
  const started = new Date();
  await api("PATCH", `${flags}${flag.id}/`, { filters: share(0) });
  // Bob's application still has the definitions from before; Dora's code overrides the value.
  await report([
    ["ada", false],
    ["bob", true],
    ["dora", "purple"],
  ]);

  await signIn(page, `/project/${project.id}/feature_flags/${flag.id}`);
  await page.getByRole("link", { name: "Replay", exact: true }).click();
  await page.getByRole("button", { name: "Replay", exact: true }).click();
  const differing = region(page, "What would differ");
  await expect(differing).toContainText("5 of 6 calls by 3 of 3 people would be answered differently");
  const cell = differing.getByRole("list", { name: "Calls that would differ" }).getByRole("button").first();
  await expect(cell).toContainText(/on.*off.*4 calls.*2 people/);
  await cell.click();
  await expect(differing.getByRole("list", { name: "People" }).getByRole("listitem")).toHaveText([
    /^ada.*2 calls/,
    /^bob.*2 calls/,
  ]);
  await expect(differing).toContainText("2 of 2 shown");
  await expect(differing.getByRole("heading", { name: "Calls by day" })).toBeVisible();

  const unexplained = region(page, "Values that the version of the time does not explain");
  await expect(unexplained).toContainText("the recorded value of 2 calls by 2 people");
  const causes = unexplained.getByRole("list", { name: "Likely causes" });
  await expect(causes.getByRole("button")).toHaveText([
    /^Version before.*1 person/,
    /^Not explained.*1 person/,
  ]);
  await causes.getByRole("button").first().click();
  await expect(causes.getByRole("list", { name: "People" }).getByRole("link")).toHaveText(["bob"]);
  await expect(causes).toContainText("recorded on, expected off");
  await expectAccessibleInEveryView(page);

  await page.getByLabel("Against").selectOption({ index: 1 });
  await page.getByRole("button", { name: "Replay", exact: true }).click();
  await expect(differing).toContainText("2 of 6 calls by 2 of 3 people would be answered differently");

  // What Ada got before the change, and what an unsaved draft would have answered.
  await page.getByRole("link", { name: "Targeting", exact: true }).click();
  await page.getByLabel("Distinct id").fill("ada");
  await page.getByRole("radio", { name: "A past date" }).check();
  await page.getByLabel("Date and time", { exact: true }).fill(started.toISOString().slice(0, 23));
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await expect(page.getByText("Version 1 was stored then")).toBeVisible();
  await page.getByLabel("Rollout percentage of set 1", { exact: true }).fill("100");
  await page.getByRole("button", { name: "Replay recorded calls…" }).click();
  await expect(page.getByRole("dialog")).toContainText("2 of 6 calls by 2 of 3 people");
});
