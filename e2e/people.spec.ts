import { readFile } from "node:fs/promises";
import { expect, type Page, test } from "@playwright/test";
import { type Api, apiOf, expectAccessibleInEveryView, newProject, signIn } from "./service.ts";

const at = (project: { id: number }, path: string) => `/project/${project.id}/${path}`;

const PLANS = ["free", "pro", "team"];

/** Thirty people, ten on each plan, sent as SDKs send them. */
async function withPeople(api: Api, name: string) {
  const project = await newProject(api, name);
  const batch = [...Array(30).keys()].map((number) => ({
    event: "$identify",
    distinct_id: `person-${number}`,
    properties: {
      $set: { email: `person-${number}@example.com`, plan: PLANS[number % 3], seats: number },
    },
  }));
  await api("POST", "/batch/", { api_key: project.api_token, batch });
  const persons = `/api/projects/${project.id}/persons/`;
  await expect.poll(async () => (await api("GET", persons)).count).toBe(30);
  return project;
}

/** Fills in the one row that is there. */
async function isPro(page: Page) {
  await page.getByRole("combobox", { name: /^Property, set 1, row 1/ }).click();
  await page.getByPlaceholder("Search properties, or type any name").fill("plan");
  await page.getByRole("option", { name: /^plan/ }).click();
  const values = page.getByRole("combobox", { name: "Value, set 1, row 1" });
  await values.fill("pro");
  await page.getByRole("option", { name: /^pro/ }).first().click();
}

test("people are found by text and by property", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await withPeople(api, "People");
  await signIn(page, at(project, "persons"));
  const pages = page.getByRole("navigation", { name: "Pages" });
  await expect(pages).toContainText("30 people");

  await page.getByRole("button", { name: "Filter by property" }).click();
  await expectAccessibleInEveryView(page);
  await isPro(page);
  await page.getByRole("button", { name: "Show these people" }).click();
  await expect(page).toHaveURL(/properties=/);
  await expect(pages).toContainText("10 people");
  await page.getByRole("searchbox", { name: /Search people/ }).fill("person-13@");
  await expect(pages).toHaveText("1 person");

  await page.getByRole("link", { name: "person-13@example.com" }).click();
  await expect(page.getByRole("heading", { name: "person-13@example.com", level: 1 })).toBeVisible();
  await expect(page.getByRole("row", { name: "seats 13" })).toBeVisible();
});

test("a person's data is exported, and everything about them erased", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await withPeople(api, "Erasure");
  const found = await api("GET", `/api/projects/${project.id}/persons/?distinct_id=person-1`);
  await signIn(page, at(project, `persons/${found.results[0].id}`));
  const saving = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export data" }).click();
  const exported = JSON.parse(await readFile(await (await saving).path(), "utf8"));
  expect(exported.person.properties.email).toBe("person-1@example.com");
  expect(exported.events).toHaveLength(1);

  await page.getByRole("button", { name: "Erase person" }).click();
  const dialog = page.getByRole("alertdialog", { name: "Erase this person?" });
  await expect(dialog.getByRole("list", { name: "What is deleted" })).toContainText("Event1");
  await expectAccessibleInEveryView(page);
  const confirm = dialog.getByRole("button", { name: "Erase person" });
  await expect(confirm).toBeDisabled();
  await dialog.getByRole("textbox").fill("person-1@example.com");
  await confirm.click();
  await expect(page.getByText("Everything about this person is erased")).toBeVisible();
  await expectAccessibleInEveryView(page);
  const certifying = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download certificate" }).click();
  const certificate = await readFile(await (await certifying).path(), "utf8");
  expect(JSON.parse(JSON.parse(certificate).statement)).toMatchObject({ removed_rows: { events: 1 } });
  expect(certificate).not.toContain("person-1");

  await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: "Erasures" }).click();
  await expect(page.getByRole("row", { name: /Finished/ })).toBeVisible();
  await expectAccessibleInEveryView(page);
  await page.getByRole("link", { name: "People", exact: true }).first().click();
  await expect(page.getByRole("navigation", { name: "Pages" })).toContainText("29 people");
});

test("one person's value of a flag is pinned, shown with the flag, and let go", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await withPeople(api, "Pins");
  const flags = `/api/projects/${project.id}/feature_flags/`;
  const filters = { groups: [{ properties: [], rollout_percentage: 100 }] };
  const { id } = await api("POST", flags, { key: "new-checkout", active: true, filters });
  const valueFor = async (distinct_id: string) => {
    const sent = { token: project.api_token, distinct_id };
    return (await api("POST", "/flags/?v=2", sent)).flags["new-checkout"].enabled;
  };
  const found = await api("GET", `/api/projects/${project.id}/persons/?distinct_id=person-1`);
  await signIn(page, at(project, `persons/${found.results[0].id}?tab=flags`));
  const row = page.getByRole("row", { name: /new-checkout/ });
  await row.getByRole("button", { name: "Pin value… of new-checkout" }).click();
  const dialog = page.getByRole("alertdialog", { name: "Pin new-checkout for person-1@example.com" });
  await dialog.getByLabel("Reason").fill("Ticket 4711");
  await expect(dialog).toContainText(
    "person-1@example.com gets off instead of on under 1 distinct id, until",
  );
  await expectAccessibleInEveryView(page);
  await dialog.getByRole("button", { name: "Pin value" }).click();
  await expect(row).toContainText("Pinned");
  await expect(row).toContainText("Ticket 4711");
  await expectAccessibleInEveryView(page);
  await expect.poll(() => valueFor("person-1")).toBe(false);
  expect(await valueFor("person-2")).toBe(true);

  await row.getByRole("link", { name: "new-checkout" }).click();
  const pins = page.getByRole("list", { name: "Pinned people" });
  await expect(pins).toContainText("person-1@example.com");
  await expect(pins).toContainText("Ticket 4711");
  await expectAccessibleInEveryView(page);
  await page.goto(at(project, `feature_flags/${id}/targeting`));
  await expect(page.getByText("1 person is pinned to a value")).toBeVisible();
  await page.getByRole("link", { name: "See the pins" }).click();
  await pins.getByRole("button", { name: /^Remove/ }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove pin" }).click();
  await expect(pins).toBeHidden();
  await expect(page.getByText("Pinned for one person").first()).toBeVisible();
  await expect.poll(() => valueFor("person-1")).toBe(true);
});

test("a person's flags say why", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await withPeople(api, "Why");
  const row = { key: "plan", type: "person", operator: "exact", value: ["pro"] };
  const flags = `/api/projects/${project.id}/feature_flags/`;
  const filters = { groups: [{ properties: [row], rollout_percentage: 100 }] };
  await api("POST", flags, { key: "for-pro", active: true, filters });
  const found = await api("GET", `/api/projects/${project.id}/persons/?distinct_id=person-1`);
  await signIn(page, at(project, `persons/${found.results[0].id}?tab=flags`));
  const flag = page.getByRole("row", { name: /for-pro/ });
  await expect(flag).toContainText("on");
  await expect(flag).toContainText("Set 1 matches this person.");
  await expectAccessibleInEveryView(page);

  // A support ticket: their application had the flag off when it asked last.
  await api("POST", "/batch/", {
    api_key: project.api_token,
    batch: [
      {
        event: "$feature_flag_called",
        distinct_id: "person-1",
        properties: {
          $feature_flag: "for-pro",
          $feature_flag_response: false,
          $lib: "posthog-node",
          $lib_version: "5.1.0",
        },
      },
    ],
  });
  await page.reload();
  await page.getByRole("radio", { name: "Differs from served" }).check({ force: true });
  await expect(page.getByText(/1 of 1 flags/)).toBeVisible();
  await expect(flag).toContainText(/off.*Differs.*by posthog-node 5\.1\.0/);
  await page.getByRole("button", { name: "Why for-pro" }).click();
  const sets = page.getByRole("list", { name: "Condition sets" });
  await expect(sets).toContainText("Matches: plan");
  await expectAccessibleInEveryView(page);

  await page.getByRole("link", { name: "Experiments", exact: true }).last().click();
  await expect(page.getByText("No experiments yet")).toBeVisible();
  await page.getByRole("link", { name: "Survey answers" }).click();
  await expect(page.getByText("No surveys yet")).toBeVisible();

  await page.getByRole("link", { name: "Timeline" }).click();
  await page.getByRole("link", { name: "Served values" }).click();
  await expect(page.getByText("for-pro → false")).toBeVisible();
  await expect(page.getByText("$identify")).toBeHidden();
  await page.getByRole("textbox", { name: "Name of the event" }).fill("$identify");
  await page.getByRole("button", { name: "Show" }).click();
  // What is on its way to the page is in it twice for a moment, once hidden.
  await page.getByText("$identify").filter({ visible: true }).click();
  await expect(page.getByRole("region", { name: "Properties of the event" })).toContainText(
    "person-1@example.com",
  );
  await expectAccessibleInEveryView(page);
});

test("a cohort is made, has its members, and is changed", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await withPeople(api, "Cohorts");
  await signIn(page, at(project, "cohorts"));
  await expect(page.getByRole("heading", { name: "No cohorts yet" })).toBeVisible();
  await expectAccessibleInEveryView(page);
  await page.getByRole("link", { name: "New cohort" }).click();
  await page.getByRole("button", { name: "Create cohort" }).click();
  await expect(page.getByText("Give the cohort a name.")).toBeVisible();
  await expect(page.getByText("Complete this row.")).toBeVisible();
  await page.getByRole("textbox", { name: "Name" }).fill("On pro");
  await isPro(page);
  await expect(page.getByText("Matches 10 of 30 people")).toBeVisible();
  await expectAccessibleInEveryView(page);
  await page.getByRole("button", { name: "Create cohort" }).click();

  await expect(page.getByRole("heading", { name: "On pro", level: 1 })).toBeVisible();
  await expect(page.getByText("People where plan is pro.")).toBeVisible();
  const members = page.getByRole("table", { name: "Members of On pro" });
  await expect(members.getByRole("link")).toHaveCount(10);
  await expect(members.getByRole("link", { name: "person-1@example.com" })).toBeVisible();

  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Pro people");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("heading", { name: "Pro people", level: 1 })).toBeVisible();
  await page.getByRole("button", { name: "Delete" }).click();
  await expectAccessibleInEveryView(page);
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete cohort" }).click();
  await expect(page.getByRole("heading", { name: "No cohorts yet" })).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("link", { name: "Pro people" })).toBeVisible();
});

test("a static cohort takes pasted ids, and lets people go", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await withPeople(api, "Static");
  await signIn(page, at(project, "cohorts/new"));
  await page.getByRole("textbox", { name: "Name" }).fill("Testers");
  await page.getByRole("radio", { name: "A list of people" }).click();
  await page.getByLabel("Distinct ids").fill("person-1\nperson-2, person-1");
  await expect(page.getByText("2 ids")).toBeVisible();
  await expectAccessibleInEveryView(page);
  await page.getByRole("button", { name: "Create cohort" }).click();
  const members = page.getByRole("table", { name: "Members of Testers" });
  await expect(members.getByRole("link")).toHaveCount(2);

  await page.getByRole("button", { name: "Add people" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Distinct ids").fill("person-3\nnobody-at-all");
  await expectAccessibleInEveryView(page);
  await dialog.getByRole("button", { name: "Add people" }).click();
  await expect(page.getByText("1 id was not found.")).toBeVisible();
  await expect(members.getByRole("link")).toHaveCount(3);
  await page.getByRole("button", { name: "Remove person-2@example.com from the cohort" }).click();
  await expect(members.getByRole("link")).toHaveCount(2);
});
