import { expect, type Locator, type Page, test } from "@playwright/test";
import {
  type Api,
  apiOf,
  expectAccessible,
  expectAccessibleInEveryView,
  newProject,
  signIn,
} from "./service.ts";

const PEOPLE = 20;

const byPlan = (value: string) => ({
  properties: { type: "AND", values: [{ key: "plan", type: "person", operator: "exact", value: [value] }] },
});
const rollout = (rollout_percentage: number, properties: unknown[] = []) => ({
  groups: [{ properties, rollout_percentage }],
});
const toast = (page: Page, text: string) =>
  page.getByRole("listitem").filter({ hasText: text }).filter({ visible: true });

/** A project with people, and a record of every kind that can be proposed to change. */
async function fill(api: Api, name: string) {
  const project = await newProject(api, name);
  const root = `/api/projects/${project.id}`;
  const batch = Array.from({ length: PEOPLE }, (_, at) => ({
    event: "$identify",
    distinct_id: `person-${at}`,
    properties: { $set: { plan: at < 5 ? "paid" : "free" } },
  }));
  await api("POST", "/batch/", { api_key: project.api_token, batch });
  const cohort = await api("POST", `${root}/cohorts/`, { name: "Paying teams", filters: byPlan("paid") });
  const flag = await api("POST", `${root}/feature_flags/`, {
    key: "for-cohort",
    filters: rollout(100, [{ key: "id", type: "cohort", value: cohort.id, operator: "in" }]),
  });
  const survey = await api("POST", `${root}/surveys/`, {
    name: "Why did you leave",
    type: "popover",
    questions: [{ type: "open", question: "Why?" }],
  });
  const experiment = await api("POST", `${root}/experiments/`, {
    name: "Shorter form",
    feature_flag_key: "shorter-form",
    start_date: new Date().toISOString(),
  });
  return { root, pages: `/project/${project.id}`, cohort, flag, survey, experiment };
}

const REQUEST = /\/change_requests\/([0-9a-f-]{36})$/;

/** Proposes what a dialog is about: by itself, or with a request of one's own. */
async function propose(page: Page, from: Locator, addTo?: string): Promise<string> {
  await from.getByRole("button", { name: "Propose…" }).click();
  const asked = page.getByRole("alertdialog");
  if (addTo !== undefined) {
    await asked.getByRole("combobox", { name: "Add to change request" }).click();
    await page.getByRole("option", { name: addTo }).click();
  }
  await asked
    .getByRole("button", { name: addTo === undefined ? "Propose change" : "Add to change request" })
    .click();
  await expect(page).toHaveURL(REQUEST);
  return REQUEST.exec(page.url())?.[1] ?? "";
}

test("changes of every kind are proposed, put together, revised and scheduled", async ({ page, request }) => {
  test.slow();
  const api = apiOf(request);
  const { root, pages, cohort, flag, survey, experiment } = await fill(api, "Proposals");
  const main = page.getByRole("main");
  const dialog = page.getByRole("dialog");
  const changes = main.getByRole("list", { name: "Changes", exact: true }).locator("> li");
  const read = (id: string) => api("GET", `${root}/change_requests/${id}/`);

  await signIn(page, `${pages}/cohorts/${cohort.id}/edit`);
  const id = await test.step("a cohort is proposed from its form", async () => {
    await page.getByLabel("Description").fill("Everybody who pays");
    await page.getByRole("button", { name: "Propose…" }).click();
    const asked = page.getByRole("alertdialog");
    await expect(asked).toContainText("Paying teams");
    await expect(asked).toContainText("Everybody who pays");
    await expectAccessibleInEveryView(page, "[role=alertdialog]");
    await asked.getByRole("button", { name: "Propose change" }).click();
    await expect(page).toHaveURL(REQUEST);
    await expect(main.getByRole("region", { name: "Changes of Paying teams" })).toContainText(
      "Everybody who pays",
    );
    expect((await api("GET", `${root}/cohorts/${cohort.id}/`)).description).toBe("");
    return REQUEST.exec(page.url())?.[1] ?? "";
  });

  await test.step("a survey’s launch and an experiment’s stop come into the same request", async () => {
    await page.goto(`${pages}/surveys/${survey.id}/edit`);
    await page.getByRole("button", { name: "Launch…" }).click();
    await propose(page, dialog, "Change Paying teams");
    await page.goto(`${pages}/experiments/${experiment.id}`);
    await page.getByRole("button", { name: "Stop…" }).click();
    await propose(page, page.getByRole("alertdialog"), "Change Paying teams");
    await expect(changes).toHaveCount(3);
    await expect(main).toContainText("3 changes, applied together or not at all.");
    await expectAccessibleInEveryView(page);
    const { intent } = await read(id);
    expect(intent.changes.map(({ method }: { method: string }) => method)).toEqual([
      "PATCH",
      "PATCH",
      "PATCH",
    ]);
    expect((await api("GET", `${root}/surveys/${survey.id}/`)).start_date).toBeNull();
  });

  await test.step("one of its changes is taken out, another revised in the form that made it", async () => {
    await page.getByRole("button", { name: "Remove… Why did you leave" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await expect(changes).toHaveCount(2);
    await main.getByRole("link", { name: "Edit… Paying teams" }).click();
    await expect(page.getByLabel("Description")).toHaveValue("Everybody who pays");
    await page.getByLabel("Description").fill("Whoever pays");
    await page.getByRole("button", { name: "Revise request…" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Revise request" }).click();
    await expect(page).toHaveURL(REQUEST);
    await expect(main.getByRole("region", { name: "Changes of Paying teams" })).toContainText("Whoever pays");
    expect((await read(id)).intent.changes).toHaveLength(2);
  });

  await test.step("the counts of a flag’s request open exactly the people behind them", async () => {
    await page.goto(`${pages}/feature_flags/${flag.id}/targeting`);
    await page.getByRole("tab", { name: "JSON" }).click();
    const everybody = JSON.stringify(rollout(100));
    await page.getByRole("textbox", { name: "Targeting as JSON" }).fill(everybody);
    await page.getByRole("button", { name: "Propose…" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Propose change" }).click();
    await expect(page).toHaveURL(REQUEST);
    const cells = main.getByRole("list", { name: "Who changes: for-cohort" });
    await cells.getByRole("button", { name: /15/ }).click();
    await expect(cells.getByRole("link")).toHaveCount(10);
    await expect(cells).toContainText("10 of 15 shown");
    await cells.getByRole("button", { name: "Show more" }).click();
    await expect(cells.getByRole("link")).toHaveCount(15);
    await expectAccessible(page);
  });

  await test.step("it is opened in the flag’s form again", async () => {
    await main.getByRole("link", { name: "Edit… for-cohort" }).click();
    await expect(page.getByRole("button", { name: "Revise request…" })).toBeEnabled();
    await page.getByRole("button", { name: "Revise request…" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Revise request" }).click();
    await expect(page).toHaveURL(REQUEST);
  });

  await test.step("it is applied at a moment, which the flag shows and which can be cancelled", async () => {
    await page.getByRole("button", { name: "Apply at…" }).click();
    const asked = page.getByRole("alertdialog");
    await asked.getByLabel("When").fill("2020-01-01T09:00");
    await expect(asked).toContainText("Choose a moment in the future.");
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await asked.getByLabel("When").fill(`${tomorrow}T09:00`);
    await expectAccessibleInEveryView(page, "[role=alertdialog]");
    await asked.getByRole("button", { name: "Schedule" }).click();
    await expect(main).toContainText("Approved, waits for its moment");
    const own = REQUEST.exec(page.url())?.[1] ?? "";
    expect(await read(own)).toMatchObject({ state: "approved", apply_at: `${tomorrow}T09:00:00.000000Z` });
    await page.goto(`${pages}/feature_flags/${flag.id}`);
    const planned = main.getByRole("list", { name: "Scheduled change requests" });
    await expect(planned).toContainText("Change for-cohort");
    await expectAccessibleInEveryView(page);
    await planned.getByRole("button", { name: "Cancel the schedule" }).click();
    await expect(planned).toHaveCount(0);
    expect(await read(own)).toMatchObject({ state: "pending", apply_at: null });
  });
});

test("new experiments and surveys are proposed together, and what a request creates or launches is edited", async ({
  page,
  request,
}) => {
  test.slow();
  const api = apiOf(request);
  const { root, pages, survey } = await fill(api, "Proposed creations");
  const main = page.getByRole("main");
  const changes = main.getByRole("list", { name: "Changes", exact: true }).locator("> li");
  const revise = async () => {
    await page.getByRole("button", { name: "Revise request…" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Revise request" }).click();
    await expect(page).toHaveURL(REQUEST);
  };
  const count = async (resource: string) => (await api("GET", `${root}/${resource}/`)).count;
  const before = [await count("experiments"), await count("surveys"), await count("feature_flags")];

  await signIn(page, `${pages}/experiments/new`);
  const id = await test.step("an experiment from its form", async () => {
    await page.getByRole("textbox", { name: "Name" }).fill("Bigger button");
    await page.getByRole("button", { name: "Continue" }).click();
    const made = await propose(page, main);
    await expect(main.getByRole("region", { name: "Changes of Bigger button" })).toContainText("created");
    await expectAccessibleInEveryView(page);
    return made;
  });

  await test.step("a survey and its neighbour’s launch come into the same request", async () => {
    await page.goto(`${pages}/surveys/new?template=blank`);
    await page.getByRole("textbox", { name: "Name" }).fill("Why stay");
    await page.getByRole("textbox", { name: "Question", exact: true }).fill("What do you like?");
    await propose(page, main, "Create Bigger button");
    await page.goto(`${pages}/surveys/${survey.id}/edit`);
    await page.getByRole("button", { name: "Launch…" }).click();
    await propose(page, page.getByRole("dialog"), "Create Bigger button");
    await expect(changes).toHaveCount(3);
  });

  await test.step("each is opened again with what was proposed", async () => {
    await main.getByRole("link", { name: "Edit… Bigger button" }).click();
    await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue("Bigger button");
    await page.getByRole("textbox", { name: "Name" }).fill("Biggest button");
    await revise();
    await main.getByRole("link", { name: "Edit… Why stay" }).click();
    await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue("Why stay");
    await page.getByRole("textbox", { name: "Name" }).fill("Why do you stay");
    await revise();
    await main.getByRole("link", { name: "Edit… Why did you leave" }).click();
    await page.getByRole("dialog").getByRole("radio", { name: "At a date" }).first().click();
    await revise();
    const { intent } = await api("GET", `${root}/change_requests/${id}/`);
    expect(intent.changes.map(({ body }: { body: { name?: string } }) => body.name)).toEqual([
      "Biggest button",
      "Why do you stay",
      undefined,
    ]);
    expect(Date.parse(intent.changes[2].body.start_date)).toBeGreaterThan(Date.now());
    expect([await count("experiments"), await count("surveys"), await count("feature_flags")]).toEqual(
      before,
    );
  });

  await test.step("all of it is applied at once", async () => {
    await page.getByRole("button", { name: "Apply now" }).click();
    await expect(main).toContainText("Applied");
    const [experiments = 0, surveys = 0] = before;
    expect([await count("experiments"), await count("surveys")]).toEqual([experiments + 1, surveys + 1]);
  });
});

test("a write that a policy holds leads to its request from everywhere, and is neither saved nor an error", async ({
  page,
  request,
}) => {
  test.slow();
  const api = apiOf(request);
  const { root, pages, cohort, flag, survey, experiment } = await fill(api, "Held");
  const second = await api("POST", `${root}/feature_flags/`, { key: "second", active: false });
  const list = await api("POST", `${root}/cohorts/`, { name: "A list", is_static: true });
  await api("POST", `${root}/approval_policies/`, {
    action_key: "change",
    approver_config: { quorum: 1 },
    allow_self_approve: true,
  });
  const main = page.getByRole("main");
  const isHeld = async () => {
    await expect(toast(page, "This needs approval, so nothing was changed yet")).toBeVisible();
    await expect(page).toHaveURL(REQUEST);
    await expect(main).toContainText("1 more approval needed.");
    await expect(page.getByRole("alertdialog")).toHaveCount(0);
    await expect(page.getByText("Leave without saving?")).toHaveCount(0);
  };

  await signIn(page, `${pages}/cohorts/${cohort.id}/edit`);
  await test.step("a cohort, by its form and by its list of people", async () => {
    await page.getByRole("combobox", { name: /^Comparison/ }).click();
    await page.getByRole("option", { name: "is known", exact: true }).click();
    await page.getByRole("button", { name: "Save changes" }).click();
    await isHeld();
    await page.goto(`${pages}/cohorts/${list.id}`);
    await page.getByRole("button", { name: "Add people" }).click();
    await page.getByRole("dialog").getByLabel("Distinct ids").fill("person-1");
    await page.getByRole("dialog").getByRole("button", { name: "Add people" }).click();
    await isHeld();
    expect((await api("GET", `${root}/cohorts/${list.id}/persons/`)).results).toEqual([]);
  });

  await test.step("the launch of a survey", async () => {
    await page.goto(`${pages}/surveys/${survey.id}/edit`);
    await page.getByRole("button", { name: "Launch…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Launch survey" }).click();
    await isHeld();
    expect((await api("GET", `${root}/surveys/${survey.id}/`)).start_date).toBeNull();
  });

  await test.step("the end of an experiment", async () => {
    await page.goto(`${pages}/experiments/${experiment.id}`);
    await page.getByRole("button", { name: "Stop…" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Stop the experiment" }).click();
    await isHeld();
    await page.goto(`${pages}/experiments/${experiment.id}`);
    await page.getByRole("button", { name: "Conclude…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio", { name: /^Inconclusive/ }).click();
    await dialog.getByRole("button", { name: "Conclude", exact: true }).click();
    await isHeld();
    expect((await api("GET", `${root}/experiments/${experiment.id}/`)).end_date).toBeNull();
  });

  await test.step("several flags: each with its request", async () => {
    await page.goto(`${pages}/feature_flags`);
    for (const key of ["for-cohort", "second"])
      await page.getByRole("checkbox", { name: `Select ${key}` }).click();
    await page
      .getByRole("region", { name: "Selected flags" })
      .getByRole("button", { name: "Delete" })
      .click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
    await expect(main).toContainText("2 of 2 flags need approval to be deleted");
    await expect(main.getByRole("link", { name: "change request" })).toHaveCount(2);
    await expectAccessible(page);
    expect((await api("GET", `${root}/feature_flags/${second.id}/`)).deleted).toBe(false);
  });

  await test.step("the switch of a flag", async () => {
    await page.goto(`${pages}/feature_flags/${flag.id}`);
    await page.getByRole("switch", { name: "for-cohort is on" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Turn off" }).click();
    await isHeld();
  });

  await test.step("a ramp, and a schedule", async () => {
    await page.goto(`${pages}/feature_flags/${flag.id}`);
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Ramp…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Start the ramp" }).click();
    await isHeld();
    await page.goto(`${pages}/feature_flags/${flag.id}`);
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Schedule…" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Schedule" }).click();
    await isHeld();
  });

  await test.step("an import", async () => {
    await page.goto(`${pages}/feature_flags/import`);
    const file = { flags: [{ key: "imported", active: true, filters: rollout(100) }] };
    await page.getByLabel("or paste its JSON").fill(JSON.stringify(file));
    await page.getByRole("button", { name: "Show what would change" }).click();
    await page.getByRole("button", { name: "Import 1 flag…" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Import" }).click();
    await isHeld();
  });
});
