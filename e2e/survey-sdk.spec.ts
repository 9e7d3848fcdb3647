import { expect, type Page, test } from "@playwright/test";
import type { Json } from "#lib/engines/json.ts";
import { everybodyLeaves, expectMatching, openSite, someone } from "./other-site.ts";
import { type Api, apiOf, newProject } from "./service.ts";

/** The browser SDK, unmodified, from the service's own /static, on somebody's site. */
let site: Awaited<ReturnType<typeof openSite>>;
test.beforeAll(async () => {
  site = await openSite();
});
test.afterEach(({ context }) => everybodyLeaves(context));
test.afterAll(() => site.close());

const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString();

/** One of each kind: a score leads to a complaint, a reason or straight on. */
const questions = [
  {
    id: "score",
    type: "rating",
    display: "number",
    scale: 10,
    question: "How likely are you to come back?",
    branching: { type: "response_based", responseValues: { detractors: 1, passives: 2, promoters: 3 } },
  },
  {
    id: "wrong",
    type: "open",
    question: "What went wrong?",
    branching: { type: "specific_question", index: 4 },
  },
  {
    id: "reason",
    type: "single_choice",
    question: "What holds you back?",
    choices: ["Price", "Range", "Other"],
    hasOpenChoice: true,
  },
  {
    id: "liked",
    type: "multiple_choice",
    question: "What did you like?",
    choices: ["Filter", "Pastries", "Other"],
    hasOpenChoice: true,
  },
  { id: "service", type: "rating", display: "emoji", scale: 5, question: "How was the service?" },
  { id: "menu", type: "link", question: "See the new menu", link: "https://shop.example/menu" },
];

const launch = (api: Api, projectId: number, fields: Record<string, unknown>) =>
  api("POST", `/api/projects/${projectId}/surveys/`, { start_date: YESTERDAY, type: "popover", ...fields });

const question = (page: Page, text: string) => expect(page.getByText(text)).toBeVisible({ timeout: 20_000 });
const send = (page: Page) => page.getByRole("button", { name: "Submit survey" }).click();
const rate = async (page: Page, value: number) => {
  await page.getByRole("button", { name: `Rate ${value}`, exact: true }).click();
  await send(page);
};

test("a popover with every kind of question is answered, left and dismissed, and the figures are right", async ({
  context,
  request,
  baseURL,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "A shop that asks");
  const root = `/api/projects/${project.id}`;
  const survey = await launch(api, project.id, {
    name: "After the visit",
    questions,
    enable_partial_responses: true,
    appearance: { displayThankYouMessage: true, thankYouMessageHeader: "Thank you!", whiteLabel: true },
  });
  const visitor = (id: string) => ({ token: project.api_token, host: baseURL ?? "", id });
  const complaints: string[][] = [];
  const arrive = async (id: string) => {
    const page = await someone(context);
    await page.context().route("https://shop.example/**", (route) => route.fulfill({ body: "The menu" }));
    complaints.push(await site.visit(page, visitor(id)));
    await question(page, "How likely are you to come back?");
    return page;
  };

  const ada = await arrive("ada");
  await rate(ada, 9);
  await question(ada, "What did you like?");
  await ada.getByLabel("Filter").check();
  await ada.getByLabel("Pastries").check();
  await send(ada);
  await question(ada, "How was the service?");
  await rate(ada, 4);
  await question(ada, "See the new menu");
  const menu = ada.waitForEvent("popup");
  await send(ada);
  expect((await menu).url()).toBe("https://shop.example/menu");
  await question(ada, "Thank you!");

  const bob = await arrive("bob");
  await rate(bob, 3);
  await question(bob, "What went wrong?");
  await bob.getByRole("textbox").fill("  The queue ");
  await send(bob);
  await rate(bob, 1);
  await send(bob);
  await question(bob, "Thank you!");

  // Gives an answer of her own, and closes the survey after it.
  const eve = await arrive("eve");
  await rate(eve, 8);
  await question(eve, "What holds you back?");
  await eve.getByRole("textbox").click();
  await eve.getByRole("textbox").fill("The distance");
  await send(eve);
  await question(eve, "What did you like?");
  await eve.getByRole("button", { name: "Close survey" }).click();

  const dan = await arrive("dan");
  await dan.getByRole("button", { name: "Close survey" }).click();

  // Goes away in the middle.
  const fay = await arrive("fay");
  await rate(fay, 10);
  await question(fay, "What did you like?");
  await fay.goto("about:blank");

  const eventsOf = async (name: string) =>
    (await api("GET", `${root}/events/?event=${encodeURIComponent(name)}`)).results;
  await expect.poll(async () => (await eventsOf("survey abandoned")).length).toBe(1);
  await expect.poll(async () => (await eventsOf("survey dismissed")).length).toBe(2);
  // One for each answer: 4 of Ada's, 4 of Bob's, 2 of Eve's, 1 of Fay's.
  await expect.poll(async () => (await eventsOf("survey sent")).length).toBe(11);

  const { stats, rates } = await api("GET", `${root}/surveys/${survey.id}/stats/`);
  expect(stats).toMatchObject({
    "survey shown": { total_count: 5, unique_persons: 5, unique_persons_only_seen: 0 },
    "survey sent": { total_count: 4, unique_persons: 4 },
    "survey dismissed": { total_count: 1, unique_persons: 1 },
  });
  expect(rates).toEqual({
    response_rate: 80,
    dismissal_rate: 20,
    unique_users_response_rate: 80,
    unique_users_dismissal_rate: 20,
  });
  expect(await api("GET", `${root}/surveys/responses_count/`)).toEqual({ [survey.id]: 4 });

  const sent = await eventsOf("survey sent");
  const answersOf = (id: string) => {
    const events = sent.filter((event: { distinct_id: string }) => event.distinct_id === id);
    expect(new Set(events.map((e: { properties: Json }) => e.properties.$survey_submission_id)).size).toBe(1);
    const { properties } = events[0];
    const given = questions.map((one) => [one.id, properties[`$survey_response_${one.id}`]]);
    const answers = Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== null));
    return { completed: properties.$survey_completed, answers };
  };
  expect(answersOf("ada")).toEqual({
    completed: true,
    answers: { score: 9, liked: ["Filter", "Pastries"], service: 4, menu: "link clicked" },
  });
  expect(answersOf("bob")).toEqual({
    completed: true,
    answers: { score: 3, wrong: "The queue", service: 1, menu: "link clicked" },
  });
  expect(answersOf("eve")).toEqual({ completed: false, answers: { score: 8, reason: "The distance" } });
  expect(answersOf("fay")).toEqual({ completed: false, answers: { score: 10 } });

  // People who answered or dismissed it are not asked again, not even in another browser.
  for (const id of ["ada", "eve", "dan"]) {
    const page = await someone(context);
    complaints.push(await site.visit(page, visitor(id)));
    await expectMatching(page, []);
  }
  const gus = await someone(context);
  complaints.push(await site.visit(gus, visitor("gus")));
  await expectMatching(gus, ["After the visit"]);
  await api("PATCH", `${root}/surveys/${survey.id}/`, { end_date: new Date().toISOString() });
  await expectMatching(gus, []);
  expect(complaints.flat()).toEqual([]);
});

test("widgets open from a tab and from the site's own button", async ({ page, request, baseURL }) => {
  const api = apiOf(request);
  const project = await newProject(api, "A shop with a tab");
  const widget = (name: string, appearance: Json, kind: Json) =>
    launch(api, project.id, {
      name,
      type: "widget",
      questions: [{ id: "only", ...kind }],
      appearance: { whiteLabel: true, displayThankYouMessage: false, ...appearance },
      schedule: "always",
    });
  const tab = await widget(
    "Tab",
    { widgetType: "tab", widgetLabel: "Feedback" },
    { type: "open", question: "What is missing?" },
  );
  const button = await widget(
    "Button",
    { widgetType: "selector", widgetSelector: "#give-feedback" },
    { type: "single_choice", question: "Which team?", choices: ["Kitchen", "Bar"] },
  );
  const complaints = await site.visit(page, { token: project.api_token, host: baseURL ?? "", id: "ida" });
  await page.getByRole("button", { name: "Feedback", exact: true }).click({ timeout: 20_000 });
  await question(page, "What is missing?");
  await page.getByRole("textbox").fill("Oat milk");
  await send(page);
  await expect(page.getByText("What is missing?")).toBeHidden();
  const sent = async () =>
    (await api("GET", `/api/projects/${project.id}/events/?event=survey%20sent`)).results.map(
      ({ properties }: { properties: Json }) => [properties.$survey_id, properties.$survey_response_only],
    );
  await expect.poll(sent).toEqual([[tab.id, "Oat milk"]]);
  await expect(async () => {
    await page.getByRole("button", { name: "Tell us" }).click();
    await expect(page.getByText("Which team?")).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 20_000 });
  await page.getByLabel("Bar").check();
  await send(page);
  await expect.poll(sent).toEqual([
    [button.id, "Bar"],
    [tab.id, "Oat milk"],
  ]);
  expect(await api("GET", `/api/projects/${project.id}/surveys/responses_count/`)).toEqual({
    [tab.id]: 1,
    [button.id]: 1,
  });
  expect(complaints).toEqual([]);
});

test("flags decide who is asked", async ({ context, request, baseURL }) => {
  const api = apiOf(request);
  const project = await newProject(api, "A shop that chooses");
  const root = `/api/projects/${project.id}`;
  const plan = (value: string) => ({
    groups: [
      {
        properties: [{ key: "plan", type: "person", operator: "exact", value: [value] }],
        rollout_percentage: 100,
      },
    ],
  });
  const flag = await api("POST", `${root}/feature_flags/`, {
    key: "for-pro",
    active: true,
    filters: plan("pro"),
  });
  const survey = (name: string, fields: Json) =>
    launch(api, project.id, { name, type: "api", questions: [{ type: "open", question: name }], ...fields });
  await survey("Everyone", {});
  await survey("Linked", { linked_flag_id: flag.id });
  await survey("Targeted", { targeting_flag_filters: plan("free") });
  await survey("Here only", { conditions: { url: "/orders" } });
  await api("PATCH", `${root}/surveys/${(await survey("Archived", {})).id}/`, { archived: true });
  await launch(api, project.id, { name: "Draft", type: "api", start_date: null });

  const complaints: string[][] = [];
  const arrive = async (id: string, properties: Json, path = "/") => {
    const page = await someone(context);
    complaints.push(
      await site.visit(page, { token: project.api_token, host: baseURL ?? "", id, properties, path }),
    );
    return page;
  };
  const pro = await arrive("pat", { plan: "pro" });
  await expectMatching(pro, ["Everyone", "Linked"]);
  await expectMatching(await arrive("fred", { plan: "free" }, "/orders"), [
    "Everyone",
    "Here only",
    "Targeted",
  ]);
  await expectMatching(await arrive("nora", {}), ["Everyone"]);
  await api("PATCH", `${root}/feature_flags/${flag.id}/`, { active: false });
  await pro.evaluate(() => window.posthog.reloadFeatureFlags());
  await expectMatching(pro, ["Everyone"]);
  expect(complaints.flat()).toEqual([]);
});

test("nobody is asked after a survey has reached its response limit", async ({
  context,
  request,
  baseURL,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "A shop with a limit");
  const survey = await launch(api, project.id, {
    name: "First two only",
    type: "api",
    questions: [{ id: "only", type: "open", question: "Why?" }],
    responses_limit: 2,
  });
  const arrive = async (id: string) => {
    const page = await someone(context);
    const visitor = { token: project.api_token, host: baseURL ?? "", id };
    return { page, complaints: await site.visit(page, visitor) };
  };
  for (const id of ["ada", "bob"]) {
    const { page } = await arrive(id);
    await expectMatching(page, ["First two only"]);
    await page.evaluate(
      (surveyId) =>
        window.posthog.capture("survey sent", {
          $survey_id: surveyId,
          $survey_submission_id: crypto.randomUUID(),
          $survey_completed: true,
          $survey_response_only: "Because",
        }),
      survey.id,
    );
  }
  const root = `/api/projects/${project.id}/surveys/${survey.id}`;
  await expect.poll(async () => (await api("GET", `${root}/`)).end_date).not.toBeNull();
  const { page, complaints } = await arrive("eve");
  await expectMatching(page, []);
  expect((await api("GET", `${root}/stats/`)).stats["survey sent"].total_count).toBe(2);
  expect(complaints).toEqual([]);
});
