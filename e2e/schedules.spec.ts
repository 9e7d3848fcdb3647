import { expect, type Page, test } from "@playwright/test";
import { apiOf, expectAccessible, expectAccessibleInEveryView, newProject, signIn } from "./service.ts";

const DAY_MS = 86_400_000;
const half = { groups: [{ properties: [], rollout_percentage: 50 }] };
const toast = (page: Page, text: string) =>
  page.getByRole("listitem").filter({ hasText: text }).filter({ visible: true });

/** The next day on which clocks in Berlin go forward, at midnight UTC: the last Sunday in March. */
function clocksGoForward(): number {
  const inYear = (year: number) => {
    const last = Date.UTC(year, 2, 31);
    return last - new Date(last).getUTCDay() * DAY_MS;
  };
  const year = new Date().getUTCFullYear();
  return inYear(year) > Date.now() + 2 * DAY_MS ? inYear(year) : inYear(year + 1);
}

test("a change is scheduled over a daylight-saving change, paused and cancelled, and a due one runs", async ({
  page,
  request,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "Schedules");
  await api("PATCH", `/api/projects/${project.id}/`, { timezone: "Europe/Berlin" });
  const flags = `/api/projects/${project.id}/feature_flags/`;
  const schedules = `/api/projects/${project.id}/scheduled_changes/`;
  const flag = await api("POST", flags, { key: "spring", active: false, filters: half });
  const own = `/project/${project.id}/feature_flags/${flag.id}`;
  await signIn(page, own);

  const sunday = clocksGoForward();
  const dayBefore = new Date(sunday - DAY_MS).toISOString().slice(0, 10);
  const dialog = page.getByRole("alertdialog");
  await test.step("every day at 09:00 stays at 09:00", async () => {
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Schedule…" }).click();
    await expect(dialog).toContainText("Europe/Berlin");
    await dialog.getByLabel("When").fill("2020-01-01T09:00");
    await expect(dialog).toContainText("Choose a date and time in the future.");
    await dialog.getByLabel("When").fill(`${dayBefore}T09:00`);
    await dialog.getByRole("combobox", { name: "Repeat" }).click();
    await page.getByRole("option", { name: "By a cron expression" }).click();
    await dialog.getByLabel("Cron expression").fill("every morning");
    await expect(dialog).toContainText("A cron expression has five fields");
    await dialog.getByRole("combobox", { name: "Repeat" }).click();
    await page.getByRole("option", { name: "Every day", exact: true }).click();
    const moments = dialog.getByRole("list", { name: "Upcoming times" }).getByRole("listitem");
    await expect(moments).toContainText([/09:00 (CET|GMT\+1)/, /09:00 (CEST|GMT\+2)/, /09:00 (CEST|GMT\+2)/]);
    await expectAccessibleInEveryView(page, "[role=alertdialog]");
    await dialog.getByRole("button", { name: "Schedule" }).click();
    await expect(dialog).toBeHidden();
  });

  const list = page.getByRole("list", { name: "Scheduled changes" });
  const read = async () => (await api("GET", `${schedules}?record_id=${flag.id}`)).results;
  await test.step("it is paused, goes on, is cancelled and comes back", async () => {
    await expect(list).toContainText("Turn on");
    await expect(list).toContainText("every day");
    const [made] = await read();
    expect(made).toMatchObject({
      scheduled_at: `${dayBefore}T08:00:00.000000Z`,
      recurrence_interval: "daily",
      timezone: "Europe/Berlin",
      guard: true,
      expected_impact: { changed: 0, total: 0 },
    });
    await expectAccessibleInEveryView(page);
    await list.getByRole("button", { name: "Pause" }).click();
    await expect(list).toContainText("Paused");
    await list.getByRole("button", { name: "Resume" }).click();
    await expect(list).toContainText("Scheduled");
    await list.getByRole("button", { name: "Cancel" }).click();
    await expect(list).toBeHidden();
    await toast(page, "The schedule was cancelled").getByRole("button", { name: "Undo" }).click();
    await expect(list).toContainText("Turn on");
    await list.getByRole("button", { name: "Run now…" }).click();
    await expect(dialog).toContainText("It still runs at its next scheduled time.");
    await dialog.getByRole("button", { name: "Run now" }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("switch", { name: "spring is on" })).toBeVisible();
    expect(await read()).toMatchObject([
      { scheduled_at: `${dayBefore}T08:00:00.000000Z`, executed_at: null },
    ]);
  });

  await test.step("the changes in the form are scheduled, and leave it", async () => {
    await page.goto(`${own}/targeting`);
    await page.getByLabel("Rollout percentage of set 1", { exact: true }).fill("80");
    await page.getByRole("button", { name: "Schedule…" }).click();
    await expect(dialog.getByRole("region", { name: "What changes" })).toContainText("80%");
    await expectAccessible(page, "[role=alertdialog]");
    await dialog.getByRole("button", { name: "Schedule" }).click();
    await expect(page.getByText("No changes")).toBeVisible();
    const [made] = await read();
    expect(made.payload).toMatchObject({
      operation: "update",
      value: { filters: { groups: [{ rollout_percentage: 80 }] } },
    });
    expect(Object.keys(made.payload.value)).toEqual(["filters"]);
  });

  await test.step("a due one runs, and the history says what came of it", async () => {
    const due = await api("POST", schedules, {
      record_id: String(flag.id),
      model_name: "FeatureFlag",
      payload: { operation: "update", value: { name: "By a schedule" } },
      scheduled_at: new Date(Date.now() + 1_500).toISOString(),
    });
    await expect
      .poll(async () => (await api("GET", `${schedules}${due.id}/`)).executed_at, { timeout: 30_000 })
      .not.toBeNull();
    await page.goto(`${own}/history`);
    const past = page.getByRole("list", { name: "Scheduled changes that have ended" });
    await expect(past).toContainText("Change description");
    await expect(past).toContainText("Applied");
    await expect(page.getByRole("list", { name: /^Versions/ })).toContainText("with a schedule");
    await expectAccessibleInEveryView(page);
    await page.goto(own);
    await expect(list.getByRole("listitem")).toHaveCount(2);
  });

  await test.step("the activity says who scheduled what, and leads to the schedule", async () => {
    await page.goto(`/project/${project.id}/activity`);
    const entry = (words: string) => page.locator("main li[data-row]").filter({ hasText: words });
    await expect(entry("paused a schedule of")).toContainText("every day, paused, guarded");
    await expect(entry("cancelled a schedule of").getByRole("link", { name: "See" })).toBeHidden();
    await entry("restored a schedule of").getByRole("link", { name: "See the schedule" }).click();
    await expect(page).toHaveURL(/#schedule-\d+$/);
    await expect(page.locator(new URL(page.url()).hash)).toContainText("Turn on");
  });
});
