import { type Page, expect as patient, test } from "@playwright/test";
import {
  type Api,
  apiOf,
  comeBack,
  expectAccessible,
  expectAccessibleInEveryView,
  newProject,
  signIn,
} from "./service.ts";

const DAY = 86_400_000;

/** Previews and results are computed while a journey waits. */
const expect = patient.configure({ timeout: 30_000 });

const listOf = (project: { id: number }) => `/project/${project.id}/experiments`;
const experimentsOf = (project: { id: number }) => `/api/projects/${project.id}/experiments/`;

type Project = { id: number; api_token: string };
type Sent = { event: string; distinct_id: string; timestamp: string; properties: Record<string, unknown> };

/** Sends events like SDKs, and waits until they are stored. */
async function capture(api: Api, project: Project, batch: Sent[]): Promise<void> {
  for (let i = 0; i < batch.length; i += 500)
    await api("POST", "/batch/", { api_key: project.api_token, batch: batch.slice(i, i + 500) });
}

const visit = (person: number, at: number): Sent => ({
  event: "$pageview",
  distinct_id: `visitor-${person}`,
  timestamp: new Date(at).toISOString(),
  properties: {},
});

/** People who evaluated the flag and paid: of every 20, 4 with control and 8 with the variant. */
function trial(flag: string, tried: string, people: number, start: number): Sent[] {
  return Array.from({ length: people }, (_, person) => {
    const variant = person % 2 === 0 ? "control" : tried;
    const at = start + Math.floor((person / people) * 3 * DAY);
    const call = {
      event: "$feature_flag_called",
      distinct_id: `visitor-${person}`,
      timestamp: new Date(at).toISOString(),
      properties: { $feature_flag: flag, $feature_flag_response: variant, [`$feature/${flag}`]: variant },
    };
    const pays = Math.floor(person / 2) % 10 < (variant === "control" ? 2 : 4);
    const paid = {
      event: "order paid",
      distinct_id: `visitor-${person}`,
      timestamp: new Date(at + 60_000).toISOString(),
      properties: { amount: 20, plan: "pro" },
    };
    return pays ? [call, paid] : [call];
  }).flat();
}

const EVEN = [
  { key: "control", rollout_percentage: 50 },
  { key: "short", rollout_percentage: 50 },
];

const toast = (page: Page, text: string) =>
  page.getByRole("listitem").filter({ hasText: text }).filter({ visible: true });

async function choose(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole("combobox", { name: label, exact: true }).click();
  await page.getByRole("option", { name: text }).first().click();
}

// Colours are measured when nothing moves any more.
test.use({ contextOptions: { reducedMotion: "reduce" } });

test("a product manager plans, launches, concludes and ships an experiment", async ({ page, request }) => {
  test.setTimeout(300_000);
  const api = apiOf(request);
  const project = (await newProject(api, "Experiments")) as Project;
  const now = Date.now();
  await capture(api, project, [
    ...Array.from({ length: 200 }, (_, i) => visit(i, now - 6 * DAY)),
    ...trial("another-flag", "test", 200, now - 5 * DAY),
  ]);

  await signIn(page, listOf(project));
  await expect(page.getByRole("heading", { name: "Find out whether it works" })).toBeVisible();
  await expectAccessibleInEveryView(page);
  await page.getByRole("link", { name: "Plan your first experiment" }).click();

  await page.getByRole("textbox", { name: "Name" }).fill("Shorter form");
  await page.getByRole("textbox", { name: "Hypothesis" }).fill("Fewer fields, more orders.");
  await expectAccessibleInEveryView(page);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("textbox", { name: "Flag key" })).toHaveValue("shorter-form");
  await page.getByRole("textbox", { name: "Key of variant 2" }).fill("short");
  await page.getByRole("button", { name: "Add a variant" }).click();
  await page.getByRole("button", { name: "Remove test_2" }).click();
  const share = page.getByRole("textbox", { name: "Share of short in percent" });
  await share.fill("40");
  await expect(page.getByRole("textbox", { name: "Share of control in percent" })).toHaveValue("60");
  await share.fill("50");
  await expectAccessibleInEveryView(page);
  await page.getByRole("button", { name: "Save draft and continue" }).click();
  await expect(page.getByRole("heading", { name: "Exposure", level: 2 })).toBeVisible();
  const [draft] = (await api("GET", experimentsOf(project))).results;
  expect(draft).toMatchObject({
    name: "Shorter form",
    status: "draft",
    feature_flag: { key: "shorter-form", active: false },
  });

  await test.step("it can be left and resumed", async () => {
    await page.goto(listOf(project));
    await page.getByRole("link", { name: "Shorter form" }).click();
    await page.getByRole("button", { name: /Metrics/ }).click();
    await expect(page.getByText("Add one to measure the outcome.")).toBeVisible();
  });

  await test.step("a metric is built from received events", async () => {
    await page.getByRole("button", { name: "Add to primary metrics" }).click();
    await choose(page, "Step 1", "order paid");
    const preview = page.getByRole("region", { name: "Preview" });
    await expect(preview).toContainText("200");
    await expectAccessibleInEveryView(page);
    await page.getByRole("button", { name: "Add metric" }).click();
    await expect(page.getByText("People who did “order paid”.")).toBeVisible();
    await page.getByRole("button", { name: "Save and continue" }).click();
    await expect(page.getByRole("heading", { name: "Statistics", level: 2 })).toBeVisible();
    await expectAccessibleInEveryView(page);
  });

  await test.step("its running time is planned, and it is launched", async () => {
    await page.getByRole("checkbox", { name: "CUPED" }).click();
    await expect(page.getByRole("radio", { name: /Adjusted means/ })).toBeChecked();
    await expect(page.getByRole("radio", { name: /PostHog's formula/ })).toBeVisible();
    await expectAccessibleInEveryView(page);
    await page.getByRole("checkbox", { name: "CUPED" }).click();
    await page.getByRole("button", { name: /^(Save and continue|Continue)$/ }).click();
    await page.getByLabel("Minimum detectable effect").fill("20");
    await expect(page.getByText("People needed across all variants")).toBeVisible({ timeout: 30_000 });
    const basis = page.getByRole("region", { name: "What the plan is based on" });
    await expect(basis).toContainText("200 people in the last 30 days");
    await expect(basis).toContainText("95% credible interval excludes zero");
    await expect(page.getByRole("figure", { name: "Chance of detecting an effect" })).toContainText(
      "an effect of 20% is detected in 80% of experiments",
    );
    await expectAccessibleInEveryView(page);
    await page.getByRole("button", { name: "Save and continue" }).click();
    await expect(page.getByText("The running time is planned")).toBeVisible();
    await expect(page.getByRole("list", { name: "Who changes" })).toBeVisible({ timeout: 30_000 });
    await expectAccessibleInEveryView(page);
    await page.getByRole("button", { name: "Launch the experiment" }).click();
    await expect(toast(page, "Shorter form is running")).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`/experiments/${draft.id}$`));
  });
  const launched = await api("GET", `${experimentsOf(project)}${draft.id}/`);
  expect(launched).toMatchObject({
    status: "running",
    feature_flag: { active: true },
    parameters: { recommended_sample_size_source: { kind: "stored_events", people: 200, days: 30 } },
  });

  await test.step("its results are read, and it is concluded and shipped", async () => {
    // As if it had been running for some days.
    const start = now - 4 * DAY;
    await api("PATCH", `${experimentsOf(project)}${draft.id}/`, {
      start_date: new Date(start).toISOString(),
    });
    await capture(api, project, trial("shorter-form", "short", 600, start + DAY / 2));
    await page.goto(`${listOf(project)}/${draft.id}`);
    await page.getByRole("button", { name: "Conclude…" }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByText("The primary metrics favour short.")).toBeVisible({
      timeout: 60_000,
    });
    await expect(dialog.getByRole("radio", { name: /Won/ })).toBeChecked();
    await dialog.getByLabel("Comment").fill("Twice the orders.");
    await dialog.getByRole("switch", { name: "Ship a variant to everybody" }).click();
    await expect(dialog.getByRole("combobox", { name: "Variant" })).toContainText("short");
    await expect(dialog.getByRole("list", { name: "Who changes" })).toBeVisible({ timeout: 30_000 });
    await expectAccessibleInEveryView(page);
    await dialog.getByRole("button", { name: "Conclude and ship short" }).click();
    await expect(toast(page, "everybody gets short")).toBeVisible();
  });
  const ended = await api("GET", `${experimentsOf(project)}${draft.id}/`);
  expect(ended).toMatchObject({
    status: "stopped",
    conclusion: "won",
    conclusion_comment: "Twice the orders.",
    feature_flag: {
      active: true,
      filters: {
        groups: [{ properties: [], rollout_percentage: 100 }],
        multivariate: {
          variants: [
            { key: "control", rollout_percentage: 0 },
            { key: "short", rollout_percentage: 100 },
          ],
        },
      },
    },
    shipped_variant: "short",
    parameters: { feature_flag_variants: EVEN },
    phases: [{ variants: EVEN }],
  });

  await test.step("its page keeps the record, whatever happens to the flag", async () => {
    const { id, filters } = ended.feature_flag;
    const variants = EVEN.map((each, i) => ({ ...each, rollout_percentage: i === 0 ? 90 : 10 }));
    await api("PATCH", `/api/projects/${project.id}/feature_flags/${id}/`, {
      filters: { ...filters, multivariate: { variants } },
    });
    await page.goto(`${listOf(project)}/${draft.id}`);
    const card = page.locator("section").filter({ has: page.getByRole("heading", { name: "Conclusion" }) });
    await expect(card).toContainText("Won");
    await expect(card).toContainText("Twice the orders.");
    await expect(card).toContainText("short");
    await expect(card).toContainText("by");
    await expect(page.getByText("Healthy")).toBeVisible();
    await expect(page.getByText(/Split as configured/)).toBeVisible();
    const split = page.getByRole("table", { name: "Exposures by variant" });
    await expect(split.getByRole("row", { name: /control/ })).toContainText("50%");
    await expect(page.getByText("As written at launch")).toBeVisible();
    await expectAccessibleInEveryView(page);
  });

  await test.step("a hypothesis changed after launch is shown beside its first wording", async () => {
    await api("PATCH", `${experimentsOf(project)}${draft.id}/`, { description: "We knew it all along." });
    await page.reload();
    const changed = page.getByRole("list", { name: "Changed after launch" });
    await expect(changed).toContainText("Fewer fields, more orders.");
    await expect(changed).toContainText("We knew it all along.");
    await expectAccessibleInEveryView(page);
  });
});

test("a metric without events is planned by the rule of thumb", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, `Rule of thumb ${Date.now()}`);
  const made = await api("POST", experimentsOf(project), {
    name: "Refunds",
    feature_flag_key: "refunds",
    metrics: [
      {
        kind: "ExperimentMetric",
        metric_type: "mean",
        goal: "decrease",
        source: { kind: "EventsNode", event: "refund paid", math: "sum", math_property: "amount" },
      },
    ],
  });
  await signIn(page, `${listOf(project)}/${made.id}/edit?step=plan`);
  await page.getByLabel("Minimum detectable effect").fill("10");
  const field = page.getByLabel("Expected value per person without the change");
  await field.fill("0");
  await expect(page.getByText("Enter a number above 0.")).toBeVisible();
  await field.fill("20");
  await expect(page.getByText("20 → 18")).toBeVisible();
  const basis = page.getByRole("region", { name: "What the plan is based on" });
  await expect(basis).toContainText("Rule of thumb: no events stored yet");
  await expectAccessibleInEveryView(page);
  await page.getByRole("button", { name: "Save and continue" }).click();
  await expect(page.getByRole("heading", { name: "Launch", exact: true })).toBeVisible();
  const saved = await api("GET", `${experimentsOf(project)}${made.id}/`);
  expect(saved.parameters).toMatchObject({
    minimum_detectable_effect: 10,
    recommended_sample_size: 800,
    recommended_running_time: null,
    recommended_sample_size_source: { kind: "rule_of_thumb" },
  });
});

test("two people edit an experiment", async ({ browser, request }) => {
  test.setTimeout(240_000);
  const api = apiOf(request);
  const project = (await newProject(api, "Two editors")) as Project;
  const made = await api("POST", experimentsOf(project), {
    name: "Shared work",
    feature_flag_key: "shared-work",
    description: "First wording",
  });
  const path = `${experimentsOf(project)}${made.id}/`;
  const open = async () => {
    const page = await (await browser.newContext()).newPage();
    await signIn(page, `${listOf(project)}/${made.id}/edit?step=hypothesis`);
    await expect(page.getByRole("textbox", { name: "Hypothesis" })).toHaveValue("First wording");
    return page;
  };
  const [ada, bob] = [await open(), await open()];
  const save = (page: Page) => page.getByRole("button", { name: "Save and continue" }).click();

  await bob.getByRole("textbox", { name: "Hypothesis" }).fill("Bob's wording");
  await save(bob);
  await expect(bob.getByRole("heading", { name: "Variants", level: 2 })).toBeVisible();

  await test.step("conflicts are resolved field by field; the rest is merged", async () => {
    await ada.getByRole("textbox", { name: "Hypothesis" }).fill("Ada's wording");
    await ada.getByRole("textbox", { name: "Name" }).fill("Shared by Ada");
    await save(ada);
    const dialog = ada.getByRole("dialog", { name: /changed this experiment while you were editing it/ });
    await expect(dialog.getByText("Your changes are not saved yet.")).toBeVisible();
    await expect(dialog.getByRole("radio", { name: /Yours/ })).toBeChecked();
    await expectAccessibleInEveryView(ada);
    await dialog.getByRole("radio", { name: /Theirs/ }).click();
    await dialog.getByRole("button", { name: "Save as chosen" }).click();
    await expect(toast(ada, "Saved")).toBeVisible();
    expect(await api("GET", path)).toMatchObject({ name: "Shared by Ada", description: "Bob's wording" });
    await expect(ada.getByRole("textbox", { name: "Hypothesis" })).toHaveValue("Bob's wording");
  });

  await test.step("a newer version is announced before anything is saved", async () => {
    await bob.goto(`${listOf(project)}/${made.id}/edit?step=hypothesis`);
    await bob.getByRole("textbox", { name: "Name" }).fill("Bob's name");
    await ada.getByRole("textbox", { name: "Hypothesis" }).fill("Ada's last word");
    await save(ada);
    await expect(ada.getByRole("heading", { name: "Variants", level: 2 })).toBeVisible();
    await comeBack(bob);
    await expect(bob.getByText(/changed this experiment/)).toBeVisible();
    await expectAccessibleInEveryView(bob);
    await bob.getByRole("button", { name: "Load their changes" }).click();
    await expect(bob.getByRole("textbox", { name: "Hypothesis" })).toHaveValue("Ada's last word");
    await expect(bob.getByRole("textbox", { name: "Name" })).toHaveValue("Bob's name");
    await save(bob);
    await expect(bob.getByRole("heading", { name: "Variants", level: 2 })).toBeVisible();
    expect(await api("GET", path)).toMatchObject({ name: "Bob's name", description: "Ada's last word" });
  });

  await test.step("a second conclusion does not silently replace the first", async () => {
    await api("PATCH", path, { start_date: new Date(Date.now() - DAY).toISOString() });
    for (const page of [ada, bob]) {
      await page.goto(`${listOf(project)}/${made.id}`);
      await page.getByRole("button", { name: "Conclude…" }).click();
    }
    await bob.getByRole("radio", { name: /Lost/ }).click();
    await bob.getByRole("button", { name: "Conclude", exact: true }).click();
    await expect(toast(bob, "lost")).toBeVisible();
    await ada.getByRole("radio", { name: /Inconclusive/ }).click();
    await ada.getByRole("button", { name: "Conclude", exact: true }).click();
    const dialog = ada.getByRole("dialog", { name: /changed this experiment/ });
    await expect(dialog.getByText("Conclusion: you both changed this")).toBeVisible();
    await dialog.getByRole("button", { name: "Take theirs, discard mine" }).click();
    await expect(ada.getByRole("heading", { name: "Conclusion" })).toBeVisible();
    expect(await api("GET", path)).toMatchObject({ conclusion: "lost" });
  });
  for (const page of [ada, bob]) await page.context().close();
});

test("what is typed survives a session that ends, on top of what somebody else saved", async ({
  page,
  request,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, `Kept drafts ${Date.now()}`);
  const made = await api("POST", experimentsOf(project), {
    name: "Long text",
    feature_flag_key: "long-text",
    description: "First wording",
  });
  const edit = `${listOf(project)}/${made.id}/edit?step=hypothesis`;
  await signIn(page, edit);
  await page.getByRole("textbox", { name: "Hypothesis" }).fill("A long text, typed over minutes");
  await expect(page.getByText("Unsaved changes")).toBeVisible();
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Save and continue" }).click();
  await api("PATCH", `${experimentsOf(project)}${made.id}/`, { name: "Longer text" });
  await signIn(page, edit);
  const draft = page.getByRole("status").filter({ hasText: "You have unsaved changes" });
  await expect(page.getByRole("textbox", { name: "Hypothesis" })).toHaveValue("First wording");
  await draft.getByRole("button", { name: "Restore" }).click();
  await expect(page.getByRole("textbox", { name: "Hypothesis" })).toHaveValue(
    "A long text, typed over minutes",
  );
  await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue("Longer text");
  await page.getByRole("button", { name: "Save and continue" }).click();
  await expect(page.getByRole("heading", { name: "Flag and variants", level: 2 })).toBeVisible();
  expect(await api("GET", `${experimentsOf(project)}${made.id}/`)).toMatchObject({
    name: "Longer text",
    description: "A long text, typed over minutes",
  });
  await page.goto(edit);
  await expect(draft).toHaveCount(0);
});

test("a problem on another page of the form is shown there", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, `Problems ${Date.now()}`);
  const made = await api("POST", experimentsOf(project), {
    name: "Banner",
    feature_flag_key: "banner",
    parameters: {
      feature_flag_variants: ["control", "test"].map((key) => ({ key, rollout_percentage: 50 })),
    },
  });
  await signIn(page, `${listOf(project)}/${made.id}/edit?step=variants`);
  await page.getByRole("textbox", { name: "Key of variant 2" }).fill("");
  await page.getByRole("button", { name: /Statistics/ }).click();
  await expect(page.getByRole("heading", { name: "Statistics", level: 2 })).toBeVisible();
  await page.getByRole("button", { name: "Save and continue" }).click();
  await expect(page.getByRole("heading", { name: "Flag and variants", level: 2 })).toBeVisible();
  await expect(page.getByText("Each variant needs a key.").first()).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Discard…" }).click();
  await page.getByRole("button", { name: "Discard changes" }).click();
  await expect(page.getByRole("textbox", { name: "Key of variant 2" })).toHaveValue("test");
});

test("the first exposure is waited for, with code, and holdouts are managed", async ({ page, request }) => {
  const api = apiOf(request);
  const project = (await newProject(api, `First exposure ${Date.now()}`)) as Project;
  await signIn(page, `${listOf(project)}/holdouts`);
  await expect(page.getByText("No holdouts yet")).toBeVisible();
  await page.getByRole("button", { name: "New holdout" }).click();
  await page.getByRole("alertdialog").getByLabel("Name").fill("Untouched");
  await expectAccessibleInEveryView(page);
  await page.getByRole("button", { name: "Create holdout" }).click();
  await expect(page.getByRole("row", { name: /Untouched/ })).toContainText("5% of people");
  const [holdout] = (await api("GET", `/api/projects/${project.id}/experiment_holdouts/`)).results;

  const made = await api("POST", experimentsOf(project), {
    name: "Fresh",
    feature_flag_key: "fresh",
    holdout_id: holdout.id,
    start_date: new Date(Date.now() - DAY).toISOString(),
    metrics: [
      {
        kind: "ExperimentMetric",
        metric_type: "funnel",
        series: [
          { kind: "EventsNode", event: "cart opened" },
          { kind: "EventsNode", event: "order paid" },
        ],
      },
    ],
  });
  await page.reload();
  await expect(page.getByRole("row", { name: /Untouched/ })).toContainText("Fresh");
  await page.getByRole("button", { name: "Edit Untouched" }).click();
  await page.getByRole("textbox", { name: "Share of people in percent" }).fill("8");
  await expect(page.getByText("Running experiments change")).toBeVisible();
  await page.getByRole("button", { name: "Save holdout" }).click();
  await expect(page.getByRole("row", { name: /Untouched/ })).toContainText("8% of people");
  await page.getByRole("button", { name: "Delete Untouched" }).click();
  await expect(page.getByText("Untouched cannot be deleted yet")).toBeVisible();
  await expect(page.getByRole("button", { name: "Delete holdout" })).toBeDisabled();
  await expectAccessibleInEveryView(page);
  await page.getByRole("button", { name: "Cancel" }).click();

  await page.goto(`${listOf(project)}/${made.id}`);
  await expect(page.getByRole("heading", { name: "Waiting for the first exposure" })).toBeVisible();
  await expect(page.getByRole("main")).toContainText(project.api_token);
  await expect(page.getByText("has 0 of the 50")).toHaveCount(0);
  await expectAccessibleInEveryView(page);
  await capture(api, project, trial("fresh", "test", 4, Date.now() - DAY / 2));
  await expect(page.getByRole("heading", { name: "Exposures", exact: true })).toBeVisible();
  await expect(toast(page, "The first exposure has arrived")).toBeVisible();
  const steps = page.getByRole("table", { name: /Steps of/ });
  await expect(steps).toContainText("1. cart opened");
  await expect(steps).toContainText("2. order paid");
  await expectAccessibleInEveryView(page);

  const at = new Date(Date.now() - DAY / 3).toISOString();
  const { feature_flag_key: flag } = made;
  const value = (n: number) => (n < 8 ? `holdout-${holdout.id}` : n % 2 === 0 ? "control" : "test");
  await capture(
    api,
    project,
    Array.from({ length: 96 }, (_, n) => ({
      event: "$feature_flag_called",
      distinct_id: `met-${n}`,
      timestamp: at,
      properties: { $feature_flag: flag, $feature_flag_response: value(n) },
    })),
  );
  await page.goto(`${listOf(project)}/holdouts`);
  await page.getByRole("link", { name: "Untouched" }).click();
  await expect(page.getByRole("heading", { name: "Untouched", level: 1 })).toBeVisible();
  // Everyone else: 88 of these, and the people of before whose events are not of the future.
  await expect(page.getByRole("main")).toContainText(
    /People held out8 \(8\.\d%\)Everyone else(88|89|9[0-2])/,
  );
  await expect(page.getByRole("link", { name: "Fresh" })).toBeVisible();
  const table = page.getByRole("table", { name: "Primary metrics" });
  await expect(table.getByRole("row", { name: /people held out/ })).toContainText("0 of 8");
  await expect(table.getByRole("row", { name: /everyone else/ })).toContainText("Not compared");
  await expectAccessibleInEveryView(page);
});

test("companies are compared, by metrics with limits, money and steps in any order", async ({
  page,
  request,
}) => {
  const api = apiOf(request);
  const project = (await newProject(api, "Experiments on companies")) as Project;
  const yesterday = new Date(Date.now() - DAY).toISOString();
  const companies = Array.from({ length: 12 }, (_, n) => `company-${n}`);
  await capture(
    api,
    project,
    companies.flatMap((company, n) => {
      const sent = { distinct_id: `member-${n}`, timestamp: yesterday };
      const group = { $group_type: "company", $group_key: company, $group_set: { seats: n } };
      const $groups = { company };
      return [
        { ...sent, event: "$groupidentify", properties: group },
        { ...sent, event: "$pageview", properties: { $groups } },
        { ...sent, event: "order paid", properties: { $groups, amount: 10 * (n + 1) } },
      ];
    }),
  );
  await signIn(page, `${listOf(project)}/new`);
  await page.getByRole("textbox", { name: "Name" }).fill("Yearly invoices");
  await page.getByRole("button", { name: "Continue" }).click();
  await choose(page, "Compare", "Companies");
  await page.getByRole("button", { name: "Save draft and continue" }).click();
  await expect(page.getByRole("heading", { name: "Exposure", level: 2 })).toBeVisible();
  const [draft] = (await api("GET", experimentsOf(project))).results;
  expect(draft.feature_flag.filters.aggregation_group_type_index).toBe(0);

  const editor = page.getByRole("dialog");
  await test.step("a sum has limits and a currency", async () => {
    await page.goto(`${listOf(project)}/${draft.id}/edit?step=metrics`);
    await page.getByRole("button", { name: "Add to primary metrics" }).click();
    await editor.getByRole("radio", { name: /Count or sum/ }).click();
    await choose(page, "Event", "order paid");
    await choose(page, "Measure", "Sum of a property");
    await choose(page, "Property", "amount");
    await editor.getByRole("checkbox", { name: "Cap values above a percentile" }).click();
    await editor.getByRole("textbox", { name: "Cap values above a percentile: percentile" }).fill("95");
    await editor.getByRole("checkbox", { name: "Ignore zeros for the upper percentile" }).click();
    await editor.getByRole("checkbox", { name: "Raise values below a percentile" }).click();
    await editor.getByRole("combobox", { name: /^Currency/ }).click();
    await page.getByRole("option", { name: "Euro (EUR)" }).click();
    const preview = editor.getByRole("region", { name: "Preview" });
    await expect(preview).toContainText("12");
    await expect(preview).toContainText(/€\d/);
    await expectAccessible(page);
    await editor.getByRole("button", { name: "Add metric" }).click();
    await expect(
      page.getByText(/Sum of amount of “order paid”, per person.*percentile 95.*, in EUR\./),
    ).toBeVisible();
  });
  await test.step("a conversion has steps in any order, one of them any event", async () => {
    await page.getByRole("button", { name: "Add to secondary metrics" }).click();
    await choose(page, "Step 1", "order paid");
    await editor.getByRole("button", { name: "Add a step" }).click();
    await choose(page, "Step 2", "Every event");
    await editor.getByRole("radio", { name: "Any order" }).click();
    await editor.getByRole("button", { name: "Add metric" }).click();
    await expect(page.getByText(/“order paid” and any event, in any order/)).toBeVisible();
    await page.getByRole("button", { name: "Save and continue" }).click();
    await expect(page.getByRole("heading", { name: "Statistics", level: 2 })).toBeVisible();
  });
  const saved = await api("GET", `${experimentsOf(project)}${draft.id}/`);
  expect(saved.metrics).toMatchObject([
    {
      metric_type: "mean",
      source: { event: "order paid", math: "sum", math_property: "amount" },
      upper_bound_percentile: 0.95,
      lower_bound_percentile: 0.01,
      currency: "EUR",
    },
  ]);
  expect(saved.metrics[0].ignore_zeros).toBeUndefined();
  expect(saved.metrics_secondary).toMatchObject([
    { funnel_order_type: "unordered", series: [{ event: "order paid" }, { event: null }] },
  ]);
  await test.step("at launch, the companies that get a variant are counted and named", async () => {
    await page.goto(`${listOf(project)}/${draft.id}/edit?step=launch`);
    const change = page.getByRole("list", { name: "Who changes" });
    await expect(page.getByText(/12 groups/)).toBeVisible();
    await change.getByRole("button", { name: /off.*to.*test.*8/ }).click();
    await expect(change.getByText(/^company-\d+$/)).toHaveCount(8);
    await expect(change.getByRole("link")).toHaveCount(0);
    await expectAccessible(page);
  });
});

test("experiments are found, duplicated, archived, deleted and restored", async ({ page, request }) => {
  test.setTimeout(240_000);
  const api = apiOf(request);
  const project = (await newProject(api, "Many experiments")) as Project;
  const make = (name: string, more: object = {}) =>
    api("POST", experimentsOf(project), {
      name,
      feature_flag_key: name.toLowerCase().replaceAll(" ", "-"),
      ...more,
    });
  await make("Dark header", { start_date: "2026-01-05T00:00:00Z", end_date: "2026-01-20T00:00:00Z" });
  await make("Yearly first", { start_date: "2026-01-05T00:00:00Z" });
  await make("Sticky bar");

  await signIn(page, listOf(project));
  await expect(page.getByRole("navigation", { name: "Pages" })).toHaveText("3 experiments");
  await page.getByRole("radio", { name: "Stopped" }).click();
  await expect(page).toHaveURL(/status=stopped/);
  await expect(page.getByRole("navigation", { name: "Pages" })).toHaveText("1 experiment");
  await expect(page.getByRole("row", { name: /Dark header/ })).toContainText("15 days");
  await page.getByRole("radio", { name: "All" }).click();
  await page.getByRole("searchbox", { name: "Search experiments by name" }).fill("sticky");
  await expect(page).toHaveURL(/search=sticky/);
  await expect(page.getByRole("link", { name: "Dark header" })).toBeHidden();

  await test.step("a copy gets a flag of its own", async () => {
    await page.getByRole("button", { name: "More for Sticky bar" }).click();
    await expectAccessible(page);
    await page.getByRole("menuitem", { name: "Duplicate…" }).click();
    const dialog = page.getByRole("alertdialog");
    await expect(dialog.getByLabel("New flag key")).toHaveValue("sticky-bar-2");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Create copy" }).click();
    await expect(page.getByRole("heading", { name: "Sticky bar (Copy)", level: 1 })).toBeVisible();
  });

  await test.step("the archive and deletion can be undone", async () => {
    await page.goto(`${listOf(project)}?search=Yearly`);
    await page.getByRole("button", { name: "More for Yearly first" }).click();
    await page.getByRole("menuitem", { name: "Archive…" }).click();
    await page.getByRole("button", { name: "Archive the experiment" }).click();
    await expect(page.getByRole("link", { name: "Yearly first" })).toBeHidden();
    await toast(page, "Yearly first was archived").getByRole("button", { name: "Undo" }).click();
    await expect(page.getByRole("link", { name: "Yearly first" })).toBeVisible();
    await page.getByRole("button", { name: "More for Yearly first" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await page.getByRole("button", { name: "Delete the experiment" }).click();
    await toast(page, "Yearly first was deleted").getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await api("GET", experimentsOf(project))).count).toBe(4);
  });

  await test.step("a metric is saved once, used in two experiments, and restored after deletion", async () => {
    const metrics = [
      {
        kind: "ExperimentMetric",
        metric_type: "funnel",
        series: [{ kind: "EventsNode", event: "order paid" }],
      },
    ];
    const source = await make("Whole basket", { metrics });
    const other = await make("Half basket");
    const stepOf = (id: number) => `${listOf(project)}/${id}/edit?step=metrics`;
    const kept = page.getByRole("heading", { name: "Statistics", level: 2 });

    await page.goto(stepOf(source.id));
    await page.getByRole("button", { name: "Save order paid for other experiments" }).click();
    await page.getByRole("alertdialog").getByLabel("Name").fill("Orders");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save metric" }).click();
    await expect(page.getByText("saved", { exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Save and continue" }).click();
    await expect(kept).toBeVisible();
    const [link] = (await api("GET", `${experimentsOf(project)}${source.id}/`)).saved_metrics;
    expect(link.query.fingerprint).toBe(source.metrics[0].fingerprint);

    await page.goto(stepOf(other.id));
    await page.getByRole("button", { name: "Add saved to secondary metrics" }).click();
    await expect(page.getByRole("list", { name: "Saved metrics" })).toContainText("Used by 1 experiment");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Use Orders" }).click();
    await page.getByRole("button", { name: "Save and continue" }).click();
    await expect(kept).toBeVisible();

    await page.goto(`${listOf(project)}/saved_metrics`);
    const row = page.getByRole("row", { name: /Orders/ });
    await expect(row).toContainText("Whole basket");
    await expect(row).toContainText("Half basket");
    await page.getByRole("button", { name: "Edit Orders" }).click();
    await expect(page.getByText("Changes 2 experiments")).toBeVisible();
    await page.getByRole("textbox", { name: "Name" }).fill("Paid orders");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save metric" }).click();
    await page.getByRole("button", { name: "Delete Paid orders" }).click();
    await expect(page.getByText("These 2 experiments lose it")).toBeVisible();
    await page.getByRole("button", { name: "Delete metric" }).click();
    await expect(page.getByText("No saved metrics yet")).toBeVisible();
    await toast(page, "Paid orders was deleted").getByRole("button", { name: "Undo" }).click();
    await expect(page.getByRole("row", { name: /Paid orders/ })).toContainText("Half basket");
    await expectAccessible(page);
  });

  await test.step("an unusable flag is explained", async () => {
    await api("POST", `/api/projects/${project.id}/feature_flags/`, { key: "only-on-or-off" });
    await page.goto(`${listOf(project)}/new`);
    await page.getByRole("textbox", { name: "Name" }).fill("On a flag there is");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("radio", { name: /An existing flag/ }).click();
    await choose(page, "Flag", "only-on-or-off");
    await expect(page.getByText(/It has no variants/).first()).toBeVisible();
  });
});

const NO_UUID = "0190c1f2-0000-7000-8000-000000000000";

test("what does not exist is not found, accessibly, and leads to the list of its kind", async ({
  page,
  request,
}) => {
  const project = await newProject(apiOf(request), "Nothing here");
  await signIn(page, `/project/${project.id}/experiments`);
  for (const [path, title, place] of [
    ["feature_flags/999999", "Flag", "feature flags"],
    ["experiments/999999", "Experiment", "experiments"],
    ["experiments/holdouts/999999", "Holdout", "holdouts"],
    [`surveys/${NO_UUID}`, "Survey", "surveys"],
    ["cohorts/999999", "Cohort", "cohorts"],
    [`persons/${NO_UUID}`, "Person", "people"],
    ["change_requests/not-an-id", "Change request", "change requests"],
  ] as const)
    await test.step(path, async () => {
      await page.goto(`/project/${project.id}/${path}`);
      await expect(page.getByRole("heading", { name: `${title} not found`, level: 1 })).toBeVisible();
      await expect(page.getByRole("link", { name: `Go to ${place}` })).toBeVisible();
      await expectAccessible(page);
    });
});
