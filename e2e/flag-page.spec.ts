import { readFile } from "node:fs/promises";
import { expect, test } from "@playwright/test";
import { apiOf, expectAccessible, newProject, signIn, VIEWS } from "./service.ts";

const listOf = (project: { id: number }) => `/project/${project.id}/feature_flags`;
const flagsOf = (project: { id: number }) => `/api/projects/${project.id}/feature_flags/`;

const everyone = { groups: [{ properties: [], rollout_percentage: 100 }] };
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

test("shares follow one another, with the people of each variant, and versions are compared", async ({
  page,
  request,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "Split");
  const batch = [...Array(30).keys()].map((number) => ({
    event: "$identify",
    distinct_id: `person-${number}`,
  }));
  await request.post("/batch/", { data: { api_key: project.api_token, batch } });
  const variant = (key: string, rollout_percentage: number) => ({ key, rollout_percentage });
  const flag = await api("POST", flagsOf(project), {
    key: "button",
    active: true,
    filters: { ...everyone, multivariate: { variants: [variant("red", 50), variant("blue", 50)] } },
  });

  await signIn(page, `${listOf(project)}/${flag.id}/targeting`);
  const share = (key: string) => page.getByRole("textbox", { name: `Share of ${key} in percent` });
  const totals = page.getByRole("region", { name: "People per variant" });
  const countOf = async (key: string) => {
    await expect(totals).toHaveAttribute("aria-busy", "false");
    const row = totals.getByRole("listitem").filter({ hasText: key }).first();
    return Number((await row.locator("summary span.tabular").first().textContent()) ?? "");
  };
  await expect.poll(async () => (await countOf("red")) + (await countOf("blue"))).toBe(30);
  await page.getByRole("button", { name: "Add a variant" }).click();
  await expect(share("red")).toHaveValue("33.34");
  await expect(share("test-2")).toHaveValue("33.33");
  await share("red").fill("20");
  await share("blue").fill("30");
  await expect(share("red")).toHaveValue("20");
  await expect(share("test-2")).toHaveValue("50");
  await expect(page.getByText("Sum: 100%")).toBeVisible();
  await share("blue").blur();
  const undo = page.getByRole("button", { name: "Undo the last change of the split" });
  await undo.click();
  await expect(share("blue")).not.toHaveValue("30");
  await page.getByRole("button", { name: "Remove test-2" }).click();
  await expect(share("test-2")).toHaveCount(0);
  await undo.click();
  await expect(share("test-2")).toBeVisible();
  await share("red").fill("100");
  await expect.poll(() => countOf("red")).toBe(30);
  await totals.getByText("red", { exact: true }).click();
  await expect(totals.getByRole("list", { name: "Who gets red" })).toBeVisible();
  await expectAccessible(page, "main");

  await api("PATCH", `${flagsOf(project)}${flag.id}/`, { name: "The button", active: false });
  await api("PATCH", `${flagsOf(project)}${flag.id}/`, { active: true });
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto(`${listOf(project)}/${flag.id}/history`);
  // By keyboard: the two selects, then the button.
  await page.getByLabel("Compare", { exact: true }).focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL(/from=1&to=3/);
  const differences = page.getByLabel("What differs");
  await expect(differences).toContainText("The button");
  await expect(differences).not.toContainText("State");
  // Content that is still arriving is outside #main.
  await page.locator("#main").getByText("As JSON").click();
  await expect(page.getByRole("region", { name: "Differences as JSON" })).toContainText(
    '+   "name": "The button"',
  );
  await page.getByRole("button", { name: "Count who would change by reverting to version 1" }).click();
  await expect(page.getByText("Nobody’s value changes.")).toBeVisible();
  await expectAccessible(page);
});

test.describe("on a phone", () => {
  const [, { colorScheme, viewport }] = VIEWS;
  test.use({ colorScheme, viewport });

  test("a stale flag is cleaned up step by step, after a look at who called it", async ({
    page,
    request,
  }) => {
    const api = apiOf(request);
    const project = await newProject(api, "Stale");
    const flag = await api("POST", flagsOf(project), {
      key: "old-button",
      active: true,
      created_at: daysAgo(100),
      filters: everyone,
    });
    const called = (distinct_id: string, $lib: string, $lib_version: string) => ({
      event: "$feature_flag_called",
      distinct_id,
      timestamp: daysAgo(40),
      properties: { $feature_flag: "old-button", $feature_flag_response: true, $lib, $lib_version },
    });
    const batch = [
      called("ada", "web", "1.200.0"),
      called("ada", "web", "1.199.0"),
      called("ben", "own-client", "1"),
    ];
    await request.post("/batch/", { data: { api_key: project.api_token, batch } });
    await expect.poll(async () => (await api("GET", `${flagsOf(project)}${flag.id}/`)).status).toBe("STALE");

    await signIn(page, `${listOf(project)}/${flag.id}`);
    const steps = page.getByRole("list", { name: "Steps of the clean-up" }).locator("> li");
    await expect(steps.nth(0)).toContainText("Remove it from the code · done");
    await expect(steps.nth(0)).toContainText("2 people got on 3 times");
    await page.getByText("What to remove").click();
    await expect(page.getByRole("region", { name: "What to remove: Browser" })).toContainText(
      "isFeatureEnabled",
    );
    await expectAccessible(page);
    await steps.nth(0).getByRole("link", { name: "2 people" }).click();

    const sdks = page.getByRole("table", { name: "SDKs that call" });
    await expect(sdks.getByRole("row").filter({ hasText: "1.199.0" })).toContainText("older version");
    await expect(sdks.getByRole("row").filter({ hasText: "own-client" })).toContainText("unknown SDK");
    await page.getByRole("table", { name: "People per value" }).getByRole("link").first().click();
    const people = page.getByRole("table", { name: "People who called" });
    await expect(people.getByRole("row")).toHaveCount(3);
    await expectAccessible(page);

    await page.goto(`${listOf(project)}/${flag.id}`);
    await page.getByRole("button", { name: "Turn it off…" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Turn off" }).click();
    await expect(steps.nth(2)).toContainText("Turn it off · done");
    await page.getByRole("button", { name: "Delete it…" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete flag" }).click();
    await expect(steps.nth(3)).toContainText("Delete it · done");
    expect((await api("GET", `${flagsOf(project)}${flag.id}/`)).deleted).toBe(true);
  });
});

test("flags are exported from one project and imported into another", async ({ page, request }) => {
  const api = apiOf(request);
  const [from, to] = [await newProject(api, "From"), await newProject(api, "To")];
  await api("POST", flagsOf(from), { key: "copied", name: "Copied", filters: everyone });
  await api("POST", flagsOf(from), { key: "changed", active: true, filters: everyone });
  await api("POST", flagsOf(to), { key: "changed", active: false, filters: everyone });

  await signIn(page, listOf(from));
  await page.getByRole("checkbox", { name: "Select all flags on this page" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("region", { name: "Selected flags" }).getByRole("button", { name: "Export" }).click();
  const path = await (await download).path();
  expect(JSON.parse(await readFile(path, "utf8")).flags).toHaveLength(2);

  await page.goto(listOf(to));
  await page.getByRole("link", { name: "Import" }).click();
  const show = page.getByRole("button", { name: "Show what would change" });
  const json = page.getByLabel("or paste its JSON");
  await json.fill("{");
  await show.click();
  await expect(page.getByText("This is not JSON")).toBeVisible();
  const cohort = { key: "id", type: "cohort", operator: "in", value: 7 };
  const broken = { groups: [{ properties: [cohort], rollout_percentage: 100 }] };
  await json.fill(JSON.stringify([{ key: "broken", filters: broken }]));
  await show.click();
  const lines = page.getByRole("list", { name: "Flags of the file" });
  await expect(lines).toContainText("The file does not name the cohort 7");
  await expect(page.getByRole("button", { name: "Nothing to import" })).toBeDisabled();

  await page.getByLabel("Choose a file").setInputFiles(path);
  await show.click();
  await expect(lines).toContainText("copied");
  await expect(page.getByText("1 new, 1 changed")).toBeVisible();
  await expect(page.getByLabel("What changes in changed")).toContainText("off");
  await expectAccessible(page);
  await page.getByRole("checkbox", { name: "Import copied" }).click();
  await page.getByRole("button", { name: "Import 1 flag…" }).click();
  const asked = page.getByRole("alertdialog");
  await expect(asked).toContainText("0 new, 1 changed");
  await asked.getByRole("textbox").fill("changed");
  await expectAccessible(page);
  await asked.getByRole("button", { name: "Import", exact: true }).click();
  await page.waitForURL((url) => url.pathname === listOf(to));
  const { results } = await api("GET", flagsOf(to));
  expect(results.map(({ key, active }: { key: string; active: boolean }) => [key, active])).toEqual([
    ["changed", true],
  ]);
});
