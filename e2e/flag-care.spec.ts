import { readFile } from "node:fs/promises";
import { expect, type Page, test } from "@playwright/test";
import { apiOf, expectAccessible, expectAccessibleInEveryView, newProject, signIn } from "./service.ts";

const listOf = (project: { id: number }) => `/project/${project.id}/feature_flags`;
const flagsOf = (project: { id: number }) => `/api/projects/${project.id}/feature_flags/`;
const toast = (page: Page, text: string) =>
  page.getByRole("listitem").filter({ hasText: text }).filter({ visible: true });

const everyone = { groups: [{ properties: [], rollout_percentage: 100 }] };

test("an older version is viewed and restored", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "History");
  const share = (rollout_percentage: number) => ({ groups: [{ properties: [], rollout_percentage }] });
  const flag = await api("POST", flagsOf(project), { key: "slow-start", active: true, filters: share(10) });
  await api("PATCH", `${flagsOf(project)}${flag.id}/`, { filters: share(60), name: "Faster" });
  await signIn(page, `${listOf(project)}/${flag.id}`);
  await page.getByRole("link", { name: "All versions (2)" }).click();
  await expect(page.getByRole("list", { name: /^Versions/ }).getByRole("heading")).toHaveText([
    "Version 2",
    "Version 1",
  ]);
  await page.getByRole("button", { name: "View Version 1" }).click();
  await expect(page.getByText("10% of people")).toHaveCount(2);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Revert to this Version 1" }).click();
  await expect(page.getByRole("alertdialog")).toContainText("Faster");
  await expectAccessible(page);
  await page.getByRole("alertdialog").getByRole("button", { name: "Revert", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Version 3" })).toBeVisible();
  expect(await api("GET", `${flagsOf(project)}${flag.id}/`)).toMatchObject({
    name: "",
    filters: share(10),
    version: 3,
  });
});

test("a set that is never reached comes with a person who shows why", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Proofs");
  const row = (operator: string, value: string) => ({
    key: "plan",
    type: "person",
    operator,
    value: [value],
  });
  const filters = {
    groups: [
      { properties: [row("is_not", "free")], rollout_percentage: 100 },
      { properties: [row("exact", "pro")], rollout_percentage: 20 },
      { properties: [row("exact", "free")], rollout_percentage: 5 },
    ],
  };
  const flag = await api("POST", flagsOf(project), { key: "exports", active: true, filters });
  await signIn(page, `${listOf(project)}/${flag.id}/targeting`);

  const second = page.locator("#set-2");
  await expect(second).toContainText("Never reached: set 1 already decides for everyone it could match.");
  await expectAccessible(page);
  await second.getByRole("button", { name: "Show an example" }).click();
  await expect(page.getByLabel("Distinct id")).toHaveValue("person-1");
  await expect(page.getByRole("textbox", { name: "Properties" })).toContainText('"plan": "pro"');
  const sets = page.getByRole("list", { name: "Condition sets" }).getByRole("listitem");
  await expect(sets.filter({ hasText: /^Set 1/ })).toContainText("match");
  await expect(sets.filter({ hasText: /^Set 2/ })).toContainText("set 1");

  await page.getByRole("button", { name: "Example person of set 3" }).click();
  await expect(page.getByRole("textbox", { name: "Properties" })).toContainText('"plan": "free"');
  await expect(page.getByRole("button", { name: "Example person of set 2" })).toBeDisabled();
  await expectAccessible(page);
});

test("a test case stores what somebody should get, and a save that breaks it says so", async ({
  page,
  request,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "Test cases");
  const plan = { key: "plan", type: "person", operator: "exact", value: ["pro"] };
  const filters = { groups: [{ properties: [plan], rollout_percentage: 100 }] };
  const flag = await api("POST", flagsOf(project), { key: "reports", active: true, filters });
  await signIn(page, `${listOf(project)}/${flag.id}/targeting`);

  await page.getByLabel("Distinct id").fill("ada");
  await page.getByRole("textbox", { name: "Properties" }).fill('{"plan": "pro"}');
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await page.getByRole("textbox", { name: "Save as a test case" }).fill("Ada, who pays");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const cases = page.getByRole("region", { name: "Test cases" });
  await expect(cases).toContainText("1 passed");
  await expectAccessible(page);

  await page.getByLabel("Rollout percentage of set 1", { exact: true }).fill("0");
  await expect(cases).toContainText("Ada, who pays should get on, would get off");
  await page.getByRole("button", { name: "Save changes…" }).click();
  await expect(page.getByRole("alertdialog")).toContainText("A test case would fail");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Remove the test case Ada, who pays" }).click();
  await expect(cases).toHaveCount(0);
  expect((await api("GET", `${flagsOf(project)}${flag.id}/test_cases/`)).count).toBe(0);
});

test("the tester says what a person, a draft and a group get, as the service does", async ({
  page,
  request,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "Tester");
  const plan = { key: "plan", type: "person", operator: "exact", value: ["pro"] };
  await request.post("/batch/", {
    data: {
      api_key: project.api_token,
      batch: [
        { event: "$identify", distinct_id: "ada", properties: { $set: { plan: "pro" } } },
        {
          event: "$groupidentify",
          distinct_id: "ada",
          properties: { $group_type: "company", $group_key: "acme", $group_set: { tier: "gold" } },
        },
      ],
    },
  });
  const pro = { properties: [plan], rollout_percentage: 100 };
  const cohort = await api("POST", `/api/projects/${project.id}/cohorts/`, {
    name: "On pro",
    filters: { properties: { type: "AND", values: [plan] } },
  });
  const base = await api("POST", flagsOf(project), {
    key: "base",
    active: true,
    filters: { groups: [pro] },
  });
  const properties = [
    { key: String(base.id), type: "flag", operator: "flag_evaluates_to", value: true },
    { key: "id", type: "cohort", operator: "in", value: cohort.id },
  ];
  const flag = await api("POST", flagsOf(project), {
    key: "on-top",
    active: true,
    filters: { groups: [{ properties, rollout_percentage: 100 }] },
  });

  await signIn(page, `${listOf(project)}/${flag.id}/targeting`);
  const sets = page.getByRole("list", { name: "Condition sets" });
  const run = page.getByRole("button", { name: "Test", exact: true });
  await page.getByLabel("Distinct id").fill("somebody");
  const sent = page.getByRole("textbox", { name: "Properties" });
  await sent.fill('{"plan": "free"}');
  await run.click();
  await expect(page.getByText("No set matches this person")).toBeVisible();
  await expect(sets).toContainText("Set 1 does not match: rows 1 and 2 fail");
  await expect(sets).toContainText('Flag "base" is false.');
  await expect(sets).toContainText('plan is "free".');
  // Chromium only sometimes leaves colours on a line when text is typed over, so they are set here as well.
  await sent.locator(".cm-line").evaluate((line) => line.setAttribute("style", "background-color: white"));
  await sent.fill('{"plan": "pro"}');
  await expect(sent.locator(".cm-line")).toHaveText('{"plan": "pro"}');
  await expect(sent.locator(".cm-line[style]")).toHaveCount(0);
  await run.click();
  await expect(page.getByText("Set 1 matches this person.")).toBeVisible();
  await expectAccessibleInEveryView(page);

  await page.getByRole("radio", { name: "Stored" }).click();
  await page.getByLabel("Distinct id").fill("ada");
  await run.click();
  await expect(page.getByText("Set 1 matches this person.")).toBeVisible();
  await page.getByLabel("Rollout percentage of set 1", { exact: true }).fill("0");
  await expect(page.getByRole("radio", { name: "Unsaved draft" })).toBeChecked();
  await expect(sets).toContainText("every row matches, but the rollout is 0%");
  await expectAccessibleInEveryView(page, "aside[aria-label='About this flag']");
  await page.getByRole("radio", { name: "Saved version" }).click();
  await expect(page.getByText("Set 1 matches this person.")).toBeVisible();
  await page.getByLabel("Distinct id").fill("unknown");
  await run.click();
  await expect(page.getByText("No person with this distinct id is stored.")).toBeVisible();

  const types = await api("GET", `/api/projects/${project.id}/groups_types/`);
  const index = types.find((type: { group_type: string }) => type.group_type === "company").group_type_index;
  const gold = {
    key: "tier",
    type: "group",
    group_type_index: index,
    operator: "exact",
    value: ["gold"],
  };
  const forCompanies = await api("POST", flagsOf(project), {
    key: "for-companies",
    active: true,
    filters: {
      aggregation_group_type_index: index,
      groups: [{ properties: [gold], rollout_percentage: 100 }],
    },
  });
  await page.goto(`${listOf(project)}/${forCompanies.id}`);
  page.on("dialog", (dialog) => dialog.accept());
  await page.getByRole("combobox", { name: "Group key (company)" }).click();
  await page.getByRole("option", { name: "acme" }).click();
  await run.click();
  await expect(page.getByText("Set 1 matches this group.")).toBeVisible();
  await page.getByRole("textbox", { name: "Properties" }).fill('{"tier": "basic"}');
  await run.click();
  await expect(sets).toContainText('tier is "basic".');
  await expectAccessibleInEveryView(page);
});

test("what would interrupt a running experiment is named, and has to be typed", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Interrupted");
  const batch = [...Array(20).keys()].map((number) => ({
    event: "$identify",
    distinct_id: `person-${number}`,
    properties: { $set: { plan: "pro" } },
  }));
  await request.post("/batch/", { data: { api_key: project.api_token, batch } });
  const start_date = "2026-01-01T00:00:00Z";
  await api("POST", `/api/projects/${project.id}/experiments/`, {
    name: "Shorter form",
    feature_flag_key: "shorter-form",
    start_date,
  });
  const [flag] = (await api("GET", flagsOf(project))).results;
  await api("POST", `/api/projects/${project.id}/surveys/`, {
    name: "How was it?",
    type: "popover",
    questions: [{ type: "open", question: "Why?" }],
    linked_flag_id: flag.id,
    start_date,
  });
  await api("POST", flagsOf(project), { key: "at-rest", active: false, filters: everyone });
  const asked = page.getByRole("alertdialog");

  await signIn(page, `${listOf(project)}/${flag.id}/targeting`);
  await page.getByLabel("Share of control in percent").fill("70");
  await page.getByLabel("Share of test in percent").fill("30");
  await page.getByRole("button", { name: "Save changes…" }).click();
  await expect(asked).toContainText("This interrupts a running experiment");
  await expect(asked).toContainText("Some people are moved to another variant.");
  const save = asked.getByRole("button", { name: "Save changes" });
  await expect(save).toBeDisabled();
  await expectAccessibleInEveryView(page);
  await asked.getByRole("textbox").fill("shorter-form");
  await save.click();
  await expect(toast(page, "Changes saved")).toBeVisible();

  await page.getByRole("switch", { name: "shorter-form is on" }).click();
  await expect(asked).toContainText("Nobody gets a variant");
  await expect(asked.getByRole("link", { name: "Survey: How was it?" })).toBeVisible();
  await expect(asked.getByRole("button", { name: "Turn off" })).toBeDisabled();
  await expectAccessibleInEveryView(page);
  await asked.getByRole("button", { name: "Cancel" }).click();

  await page.goto(`${listOf(project)}/${flag.id}/history`);
  await page.getByRole("button", { name: "Revert to this Version 1" }).click();
  await expect(asked).toContainText("This interrupts a running experiment");
  await expect(asked.getByRole("button", { name: "Revert", exact: true })).toBeDisabled();
  await asked.getByRole("button", { name: "Cancel" }).click();
});

test("turning on several flags asks as turning on one does", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Bulk care");
  const batch = [...Array(20).keys()].map((number) => ({
    event: "$identify",
    distinct_id: `person-${number}`,
    properties: { $set: { plan: number % 4 === 0 ? "pro" : "free" } },
  }));
  await request.post("/batch/", { data: { api_key: project.api_token, batch } });
  const plan = { key: "plan", type: "person", operator: "exact", value: ["pro"] };
  const pro = { groups: [{ properties: [plan], rollout_percentage: 100 }] };
  const base = await api("POST", flagsOf(project), { key: "for-pro", active: false, filters: pro });
  await api("POST", flagsOf(project), { key: "for-all", active: false, filters: everyone });
  const row = { key: String(base.id), type: "flag", operator: "flag_evaluates_to", value: true };
  await api("POST", flagsOf(project), {
    key: "on-top",
    active: true,
    filters: { groups: [{ properties: [row], rollout_percentage: 100 }] },
  });
  const asked = page.getByRole("alertdialog");
  const bar = page.getByRole("region", { name: "Selected flags" });
  const select = (key: string) => page.getByRole("checkbox", { name: `Select ${key}`, exact: true }).click();

  await signIn(page, listOf(project));
  await select("for-pro");
  await select("for-all");
  await bar.getByRole("button", { name: "Turn on" }).click();
  await expect(asked).toContainText("20 of 20 people get a different value for at least one flag.");
  const lines = asked.getByRole("list", { name: "Flags that change" });
  await expect(lines).toContainText("5 people");
  await expect(lines).toContainText("On for everyone.");
  await expect(asked).toContainText("Flags that depend on it change too: on-top for 5 people.");
  const confirm = asked.getByRole("button", { name: "Turn on" });
  await expect(confirm).toBeDisabled();
  await expectAccessible(page);
  await asked.getByRole("textbox").fill("for-all");
  await confirm.click();
  await expect(toast(page, "2 flags turned on")).toBeVisible();

  await select("for-pro");
  await select("for-all");
  await bar.getByRole("button", { name: "Delete" }).click();
  await expect(asked).toContainText("1 flag cannot be deleted; see below");
  await expect(lines).toContainText("other active flags depend on it: on-top");
  await expectAccessible(page);
  await asked.getByRole("button", { name: "Delete 1 flag" }).click();
  await expect(toast(page, "1 flag deleted")).toBeVisible();

  await select("for-pro");
  await select("on-top");
  await bar.getByRole("button", { name: "Delete" }).click();
  await asked.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(toast(page, "2 flags deleted")).toBeVisible();
  await expect.poll(async () => (await api("GET", flagsOf(project))).count).toBe(0);
});

test("several flags are exported, tagged and turned off together", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Together");
  for (const key of ["one", "two", "three"])
    await api("POST", flagsOf(project), { key, active: true, filters: everyone });
  await signIn(page, listOf(project));
  await page.getByRole("checkbox", { name: "Select one", exact: true }).click();
  await page.getByRole("checkbox", { name: "Select two", exact: true }).click();
  const bar = page.getByRole("region", { name: "Selected flags" });
  await expect(bar).toContainText("2 selected");
  const download = page.waitForEvent("download");
  await bar.getByRole("button", { name: "Export" }).click();
  const file = JSON.parse(await readFile(await (await download).path(), "utf8"));
  expect(file.flags.map((flag: { key: string }) => flag.key).sort()).toEqual(["one", "two"]);
  expect(file.flags[0].filters).toEqual(everyone);

  await bar.getByRole("button", { name: "Turn off" }).click();
  await page
    .getByRole("alertdialog")
    .getByRole("button", { name: /Turn off/ })
    .click();
  await expect(toast(page, "2 flags turned off")).toBeVisible();
  const states = (await api("GET", flagsOf(project))).results;
  const active = Object.fromEntries(
    states.map((flag: { key: string; active: boolean }) => [flag.key, flag.active]),
  );
  expect(active).toEqual({ one: false, two: false, three: true });
});

test("a flag is imported with the cohort that it needs", async ({ page, request }) => {
  const api = apiOf(request);
  const [from, into] = [await newProject(api, "Import from"), await newProject(api, "Import into")];
  const pro = { key: "plan", type: "person", operator: "exact", value: ["pro"] };
  const { id } = await api("POST", `/api/projects/${from.id}/cohorts/`, {
    name: "Payers",
    filters: { properties: { type: "AND", values: [pro] } },
  });
  const member = { key: "id", type: "cohort", operator: "in", value: id };
  const filters = { groups: [{ properties: [member], rollout_percentage: 100 }] };
  const flag = await api("POST", flagsOf(from), { key: "for-payers", filters });
  const file = await api("GET", `${flagsOf(from)}export/?ids=${flag.id}`);

  await signIn(page, `${listOf(into)}/import`);
  await page.getByLabel("or paste its JSON").fill(JSON.stringify(file));
  await page.getByRole("button", { name: "Show what would change" }).click();
  const missing = page.getByRole("list", { name: "Cohorts that are not here" });
  await expect(missing).toContainText("missing");
  await expect(missing).toContainText("plan is pro");
  await expect(page.getByText("1 refused")).toBeVisible();
  await page.getByRole("checkbox", { name: "Create them as the file defines them" }).click();
  await expect(missing).toContainText("will be created");
  await expect(page.getByText("1 new")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Import 1 flag…" }).click();
  const asked = page.getByRole("alertdialog");
  await expect(asked).toContainText("Missing cohorts that they need are created.");
  await asked.getByRole("button", { name: "Import" }).click();
  await expect(page.getByRole("link", { name: "for-payers", exact: true })).toBeVisible();
  const cohorts = (await api("GET", `/api/projects/${into.id}/cohorts/`)).results;
  expect(cohorts).toMatchObject([{ name: "Payers", is_static: false }]);
});
