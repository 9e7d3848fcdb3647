import { expect, type Page, test } from "@playwright/test";
import { apiOf, expectAccessibleInEveryView, newProject, signIn } from "./service.ts";

const at = (project: { id: number }, path: string) => `/project/${project.id}/${path}`;
const KEYS = "settings/api_keys";

type PolicyAnswer = {
  conditions: object;
  enabled: boolean;
  approver_config: { quorum: number; users: number[] };
};

/** Makes a key with the preset "Read only" and gives back its value. */
async function makeReader(page: Page, label: string): Promise<string> {
  await page.getByRole("button", { name: "New API key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog).toContainText("Say what the key is for.");
  await expect(dialog).toContainText("A key needs at least one scope.");
  await dialog.getByLabel("Label").fill(label);
  await dialog.getByRole("button", { name: "Read only" }).click();
  await expect(dialog.getByRole("radio", { name: "Surveys: Read" })).toBeChecked();
  await expectAccessibleInEveryView(page);
  await dialog.getByRole("button", { name: "Create key" }).click();
  const shown = page.getByRole("dialog", { name: `${label} is ready` });
  const value = await shown.getByLabel("API key").inputValue();
  expect(value).toMatch(/^phx_/);
  // Nobody loses it by a slip of the finger.
  await page.keyboard.press("Escape");
  await expect(shown).toContainText("Tick this first");
  await expectAccessibleInEveryView(page);
  await shown.getByRole("checkbox").click();
  await shown.getByRole("button", { name: "Done" }).click();
  await expect(shown).toHaveCount(0);
  return value;
}

test("a key is made, sees what it may not do, and ends", async ({ page, request, browser }) => {
  const project = await newProject(apiOf(request), "Keys");
  const label = `Reader ${project.id}`;
  await signIn(page, at(project, KEYS));
  await expect(page.getByRole("heading", { name: "API keys", level: 1 })).toBeVisible();
  await expect(page.getByRole("main").getByText("Signed in with this", { exact: true })).toBeVisible();
  await expectAccessibleInEveryView(page);
  const value = await makeReader(page, label);
  const row = page.getByRole("row", { name: new RegExp(label) });
  await expect(row).toContainText("Read everything");
  await expect(page.getByText(value)).toHaveCount(0);

  const other = await browser.newContext();
  const reader = await other.newPage();
  await signIn(reader, at(project, KEYS), value);
  await expect(reader.getByRole("main").getByText("Read only.")).toBeVisible();
  const refused = reader.getByRole("button", { name: "New API key" });
  await expect(refused).toHaveAttribute("aria-disabled", "true");
  await refused.click({ force: true });
  await expect(reader.getByRole("dialog")).toHaveCount(0);
  await expectAccessibleInEveryView(reader);
  await reader.goto(at(project, "settings/project"));
  await expect(reader.getByRole("button", { name: "Reset…" })).toHaveAttribute("aria-disabled", "true");
  await expectAccessibleInEveryView(reader);

  await row.getByRole("button", { name: `Actions on ${label}` }).click();
  await page.getByRole("menuitem", { name: "Revoke…" }).click();
  const asked = page.getByRole("alertdialog");
  await expect(asked).toContainText("It was last used");
  await expect(asked.getByRole("button", { name: "Revoke key" })).toBeDisabled();
  await asked.getByRole("textbox").fill(label);
  await expectAccessibleInEveryView(page);
  await asked.getByRole("button", { name: "Revoke key" }).click();
  // While it is open, the rows behind it are nobody's to see.
  await expect(asked).toHaveCount(0);
  await expect(row).toHaveCount(0);

  // A click, not a new page: the frame that is shown already does not look again whether the key works.
  const menu = reader.getByRole("button", { name: "Open the menu" });
  // By keyboard: on a phone, the note that the session has ended may be in front of the menu by now.
  if (await menu.isVisible()) await menu.press("Enter");
  await reader.getByRole("link", { name: "Feature flags" }).press("Enter");
  await expect(reader).toHaveURL(/\/sign-in\?.*reason=expired/);
  await expect(reader.getByText("You were signed out")).toBeVisible();
  await other.close();
});

test("the log shows how a flag was changed", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Log");
  const flags = `/api/projects/${project.id}/feature_flags/`;
  const filters = (share: number) => ({ groups: [{ properties: [], rollout_percentage: share }] });
  const flag = await api("POST", flags, { key: "slow-rollout", active: true, filters: filters(10) });
  await api("PATCH", `${flags}${flag.id}/`, { filters: filters(45), name: "Slowly now" });
  const questions = [{ type: "open", question: "Why?" }];
  await api("POST", `/api/projects/${project.id}/surveys/`, {
    name: "How was it?",
    type: "popover",
    questions,
  });
  await signIn(page, at(project, "activity"));
  await expect(page.getByRole("link", { name: "How was it?" })).toBeVisible();
  // The flags that a survey keeps for itself change with it, and are not listed.
  await expect(page.getByText("survey-targeting-")).toHaveCount(0);
  const entry = page.getByRole("listitem").filter({ hasText: "changed the flag slow-rollout" }).first();
  await expect(entry).toContainText(/10% of people/);
  await expect(entry).toContainText(/45% of people/);
  await expect(entry).toContainText("Slowly now");
  await entry.getByText("Values before and after").click();
  await expect(entry.getByLabel("After", { exact: true })).toContainText('"rollout_percentage": 45');
  await expectAccessibleInEveryView(page);

  await page.getByRole("combobox", { name: "Action" }).click();
  await page.getByRole("option", { name: "Created" }).click();
  await expect(page).toHaveURL(/activity=created/);
  await expect(entry).toHaveCount(0);
  await page.getByRole("searchbox").fill("slow-roll");
  await expect(page).toHaveURL(/search=slow-roll/);
  await expect(page.getByRole("navigation", { name: "Pages" })).toContainText("1 entry");
  await page.getByRole("link", { name: "slow-rollout" }).click();
  await expect(page.getByRole("heading", { name: "slow-rollout", level: 1 })).toBeVisible();
});

test("the reference tries a read, and asks before a write", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Reference");
  await signIn(page, at(project, "api_reference#cohorts_list"));
  const reading = page.getByRole("form", { name: "Try List cohorts" });
  await expect(reading).toBeVisible();
  await expect(reading).toContainText(`/api/projects/${project.id}/cohorts/`);
  await reading.getByRole("button", { name: "Send GET" }).click();
  await expect(reading.getByRole("status")).toContainText("200");
  await expect(reading.getByLabel("Body", { exact: true })).toContainText('"count": 0');
  await expectAccessibleInEveryView(page, "form[aria-label='Try List cohorts']");

  await page.goto(at(project, "api_reference#cohorts_create"));
  const writing = page.getByRole("form", { name: "Try Create a cohort" });
  const body = writing.getByRole("textbox", { name: "Body" });
  await body.fill('{"name": "Tried out", "is_static": true}');
  await writing.getByRole("button", { name: "Send POST" }).click();
  const asked = page.getByRole("alertdialog");
  await expect(asked).toContainText("This changes the project “Reference”");
  await expectAccessibleInEveryView(page, "[role=alertdialog]");
  await asked.getByRole("button", { name: "Cancel" }).click();
  const cohorts = async () => (await api("GET", `/api/projects/${project.id}/cohorts/`)).results;
  expect(await cohorts()).toEqual([]);
  await writing.getByRole("button", { name: "Send POST" }).click();
  await asked.getByRole("button", { name: "Send POST" }).click();
  await expect(writing.getByRole("status")).toContainText("201");
  expect(await cohorts()).toMatchObject([{ name: "Tried out", is_static: true }]);
});

test("old events are deleted only after their number has been confirmed", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Retention");
  const timestamp = new Date(Date.now() - 60 * 86_400_000).toISOString();
  await api("POST", "/batch/", {
    api_key: project.api_token,
    historical_migration: true,
    batch: ["ann", "bob"].map((distinct_id) => ({ event: "opened the app", distinct_id, timestamp })),
  });
  await signIn(page, at(project, "settings/project"));
  const kept = page.getByRole("textbox", { name: "Keep events for" });
  const save = page.getByRole("button", { name: "Save retention" });
  await kept.fill("3");
  await save.click();
  await expect(page.getByText("Enter 7 to 3,650 days, or nothing.")).toBeVisible();
  await kept.fill("30");
  await page.getByRole("button", { name: "Add an exception for an event" }).click();
  await page.getByRole("combobox", { name: "Event" }).click();
  await page.getByPlaceholder("Search events").fill("purchase");
  await page.getByRole("option", { name: /purchase/ }).click();
  await page.getByRole("textbox", { name: "Days that purchase is kept" }).fill("");
  await expectAccessibleInEveryView(page);
  await save.click();
  const asked = page.getByRole("alertdialog");
  await expect(asked).toContainText("Delete 2 events?");
  await expectAccessibleInEveryView(page);
  await asked.getByRole("button", { name: "Cancel" }).click();
  const stored = async () => (await api("GET", `/api/projects/${project.id}/`)).event_retention;
  expect(await stored()).toBeNull();
  await save.click();
  await asked.getByRole("button", { name: "Save and delete" }).click();
  await expect(page.getByText("The retention of events was saved")).toBeVisible();
  expect(await stored()).toEqual({ days: 30, by_event: { purchase: null } });
  await page.goto(at(project, "activity"));
  await expect(page.getByRole("main")).toContainText("30 days; purchase forever");
});

test("policies are added, edited, switched off and deleted; members see why they may not", async ({
  page,
  request,
  browser,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "Approvals");
  const { id: organization } = await api("GET", "/api/organizations/@current/");
  const email = `reviewer-${project.id}@example.com`;
  await api("POST", `/api/organizations/${organization}/members/`, { email, first_name: "Rita" });
  const { value } = await api("POST", "/api/personal_api_keys/", {
    label: "Rita",
    scopes: ["*"],
    user: email,
  });
  const policies = async () =>
    (await api("GET", `/api/projects/${project.id}/approval_policies/`)).results.map(
      ({ conditions, enabled, approver_config: { quorum, users } }: PolicyAnswer) => ({
        conditions,
        enabled,
        quorum,
        approvers: users.length,
      }),
    );
  await signIn(page, at(project, "settings/approvals"));
  await expect(page.getByText("Every change takes effect at once")).toBeVisible();
  await expectAccessibleInEveryView(page);
  await page.getByRole("button", { name: "Add Never by an agent alone" }).click();
  const list = page.getByRole("list", { name: "Policies" });
  await expect(list).toContainText("A change needs one approval if an agent requests it.");
  await expect(page.getByRole("button", { name: "Add Never by an agent alone" })).toHaveCount(0);

  await list.getByRole("button", { name: /^Actions on/ }).click();
  await page.getByRole("menuitem", { name: "Edit…" }).click();
  const dialog = page.getByRole("dialog");
  const words = dialog.getByRole("status", { name: "In words" });
  await dialog.getByRole("checkbox", { name: "Agents" }).click();
  await expect(dialog).toContainText("Name at least one.");
  await expect(dialog.getByRole("button", { name: "Save policy" })).toBeDisabled();
  await dialog.getByRole("checkbox", { name: "API keys" }).click();
  await dialog.getByRole("combobox", { name: "Who may approve" }).fill("Rita");
  await page.getByRole("option", { name: "Rita" }).first().click();
  await page.keyboard.press("Escape");
  await expect(words).toHaveText("A change needs one approval by Rita if an API key requests it.");
  await expect(dialog).toContainText("Only Rita can approve");
  await expectAccessibleInEveryView(page);
  await dialog.getByRole("tab", { name: "JSON" }).click();
  const editor = dialog.getByRole("textbox", { name: "Policy as JSON" });
  const stored = await policies();
  const text = (conditions: object) =>
    JSON.stringify({ action_key: "change", conditions, approver_config: { quorum: 1 } });
  await editor.fill(text({ type: "impact", share_over: 5 }));
  await expect(dialog).toContainText("share_over");
  await expect(dialog.getByRole("button", { name: "Save policy" })).toBeDisabled();
  await editor.fill(text({ type: "impact", share_above: 5 }));
  await expect(words).toHaveText(
    "A change needs one approval if it changes the value of more than 5% of people.",
  );
  expect(await policies()).toEqual(stored);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("alertdialog")).toContainText("Leave without saving?");
  await page.getByRole("button", { name: "Keep editing" }).click();
  await expect(words).toContainText("more than 5% of people");
  await dialog.getByRole("button", { name: "Save policy" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(list).toContainText("more than 5% of people");

  await list.getByRole("switch").click();
  await expect(list).toContainText("Off ·");
  expect(await policies()).toEqual([
    { conditions: { type: "impact", share_above: 5 }, enabled: false, quorum: 1, approvers: 0 },
  ]);

  const other = await browser.newContext();
  const member = await other.newPage();
  await signIn(member, at(project, "settings/approvals"), value);
  await expect(member.getByRole("main")).toContainText(
    "Only administrators of the organization can change policies.",
  );
  await expect(member.getByRole("button", { name: "New policy" })).toHaveAttribute("aria-disabled", "true");
  await member.getByRole("switch").click({ force: true });
  await expectAccessibleInEveryView(member);
  await other.close();

  await list.getByRole("button", { name: /^Actions on/ }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  const asked = page.getByRole("alertdialog");
  await expect(asked).toContainText("more than 5% of people");
  await expectAccessibleInEveryView(page);
  await asked.getByRole("button", { name: "Delete policy" }).click();
  await expect(page.getByText("Every change takes effect at once")).toBeVisible();
  expect(await policies()).toEqual([]);
});

test("a project is made and renamed, its secret shown only when asked for", async ({ page, request }) => {
  const api = apiOf(request);
  const from = await newProject(api, "From here");
  await signIn(page, at(from, "settings/new_project"));
  await page.getByRole("button", { name: "Create project" }).click();
  await expect(page.getByText("Give the project a name.")).toBeVisible();
  await expectAccessibleInEveryView(page);
  await page.getByRole("textbox", { name: "Name" }).fill("Before");
  await page.getByRole("button", { name: "Create project" }).click();
  await expect(page.getByRole("heading", { name: "Feature flags", level: 1 })).toBeVisible();
  await expect(page).not.toHaveURL(new RegExp(`/project/${from.id}/`));
  const project = { id: Number(/project\/(\d+)/.exec(page.url())?.[1]) };
  const { secret_api_token: secret } = await api("GET", `/api/projects/${project.id}/`);
  await page.goto(at(project, "settings/project"));
  expect(await page.content()).not.toContain(secret);
  await page.getByRole("textbox", { name: "Name" }).fill(`After ${project.id}`);
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("The project was updated")).toBeVisible();
  expect((await api("GET", `/api/projects/${project.id}/`)).name).toBe(`After ${project.id}`);
  await page.getByRole("button", { name: "Reveal" }).click();
  await expect(page.getByRole("textbox", { name: "Secret key" })).toHaveValue(secret);

  // Next door: how the service is, and how its data is saved.
  await page.goto(at(project, "settings/status"));
  await expect(page.getByRole("heading", { name: "Health & data", level: 1 })).toBeVisible();
  await expect(page.getByRole("main")).toContainText(/Responds in \d+ ms/);
  await expect(page.getByRole("region", { name: "Take a backup: command" })).toContainText(
    "npm run backup -- ",
  );
  await expect(page.getByRole("table", { name: "Largest tables" })).toBeVisible();
  await expect(page.getByRole("main")).toContainText("None is waiting for the database");
  await expect(page.getByRole("heading", { name: "Slow statements" })).toBeVisible();

  // Backups of this server fail: that is said, and can be tried again.
  await expect(page.getByText("The last scheduled backup failed")).toBeVisible();
  const backups = page.getByRole("table", { name: "Background work" }).getByRole("row", { name: /^Backups/ });
  await expect(backups).toContainText("ENOTDIR");
  await backups.getByRole("button", { name: "Retry: Backups" }).click();
  await expect(page.getByText("1 job will run now")).toBeVisible();
  await expect(backups).toContainText("ENOTDIR");
});
