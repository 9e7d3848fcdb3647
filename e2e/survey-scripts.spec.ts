import { expect, type Page, test } from "@playwright/test";
import { everybodyLeaves, openSite, someone } from "./other-site.ts";
import { expectInert, PAYLOADS, watchScripts } from "./payloads.ts";
import { type Api, apiOf, newProject, signIn } from "./service.ts";

/** A script in any text of a survey or an answer never runs. */

const everywhere = PAYLOADS.join(" ");

const KINDS = [
  { type: "open" },
  { type: "rating", display: "number", scale: 5 },
  { type: "single_choice", shuffleOptions: true },
  { type: "multiple_choice", hasOpenChoice: true },
] as const;

/** A question with a payload wherever a text can stand; the kinds take turns. */
const question = (payload: string, at: number) => ({
  ...KINDS[at % KINDS.length],
  question: `${at} ${payload}`,
  description: payload,
  descriptionContentType: "html",
  buttonText: payload,
  placeholder: payload,
  lowerBoundLabel: payload,
  upperBoundLabel: payload,
  choices: [`A ${payload}`, `B ${payload}`],
  optional: true,
  translations: { de: { question: payload, description: payload, choices: [payload, payload] } },
  [payload]: payload,
});

const appearance = {
  placeholder: everywhere,
  submitButtonText: everywhere,
  backButtonText: everywhere,
  allowGoBack: true,
  displayThankYouMessage: true,
  thankYouMessageHeader: `Done ${everywhere}`,
  thankYouMessageDescription: everywhere,
  thankYouMessageDescriptionContentType: "html",
  thankYouMessageCloseButtonText: everywhere,
  widgetLabel: everywhere,
  fontFamily: everywhere,
  backgroundColor: everywhere,
  submitButtonColor: `red"></style>${PAYLOADS[0]}`,
};

const intro = {
  displayIntroScreen: true,
  introScreenHeader: everywhere,
  introScreenDescription: everywhere,
  introScreenDescriptionContentType: "html",
  introScreenButtonText: everywhere,
};

/** Conditions as no editor would write them. */
const conditions = {
  url: everywhere,
  selector: everywhere,
  deviceTypes: [everywhere],
  events: {
    values: [
      { name: everywhere, propertyFilters: { [everywhere]: { operator: everywhere, values: [everywhere] } } },
    ],
  },
  actions: { values: [{ id: 1, name: everywhere, steps: [{ event: everywhere, selector: everywhere }] }] },
};

const launch = (api: Api, projectId: number, fields: Record<string, unknown>) =>
  api("POST", `/api/projects/${projectId}/surveys/`, {
    name: `Survey ${everywhere}`.slice(0, 390),
    description: everywhere,
    questions: PAYLOADS.map(question),
    appearance,
    start_date: "2026-01-01T00:00:00Z",
    ...fields,
  });

/** Every text in a value, however deep. */
const textsOf = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(textsOf)
      : [];

/** Those of the texts that would run or load something where a page takes them for HTML. */
const activeIn = (page: Page, texts: string[]) =>
  page.evaluate((all) => {
    const isActive = (element: Element) =>
      /^(script|style|iframe|svg|math|object|embed|form|input|base|meta|link)$/i.test(element.tagName) ||
      [...element.attributes].some(
        ({ name, value }) => /^on|^srcdoc$/.test(name) || /^javascript:/i.test(value),
      );
    return all.filter((text) => {
      const template = document.createElement("template");
      template.innerHTML = text;
      return [...template.content.querySelectorAll("*")].some(isActive);
    });
  }, texts);

/** Answers every question of the hosted page, the open ones with payloads. */
async function answerAll(page: Page, ran: string[]): Promise<void> {
  if ((await page.locator("[name=answer]").count()) === 0) {
    await expectInert(page, ran);
    await page.locator("form button").first().click();
  }
  for (const payload of PAYLOADS) {
    await expectInert(page, ran);
    const answer = page.locator("[name=answer]").first();
    const isText = await answer.evaluate((field) => field instanceof HTMLTextAreaElement);
    if (isText) await answer.fill(payload);
    else await answer.check();
    await page.locator("button[value=answer]").click();
  }
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Done");
  await expectInert(page, ran);
}

test.afterEach(({ context }) => everybodyLeaves(context));

test("on the hosted page, in the feed and in the browser SDK", async ({
  context,
  page,
  request,
  baseURL,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "A shop that is tried");
  const hosted = await launch(api, project.id, { type: "external_survey" });
  const ran = watchScripts(page);
  const query = `?distinct_id=${encodeURIComponent(PAYLOADS[1])}&ref=${encodeURIComponent(PAYLOADS[3])}`;
  await page.goto(`/external_surveys/${hosted.id}/${query}`);
  await answerAll(page, ran);

  const popover = await launch(api, project.id, {
    name: `Popover ${PAYLOADS[2]}`,
    type: "popover",
  });
  const feed = await api("GET", `/api/surveys/?token=${project.api_token}`);
  const shown = feed.surveys.find(({ id }: { id: string }) => id === popover.id);
  // Values that are not texts are stored as sent; the SDK uses them as CSS, or not at all.
  const { fontFamily, backgroundColor, submitButtonColor, ...texts } = shown.appearance;
  for (const [at, asked] of shown.questions.entries()) delete asked[PAYLOADS[at] ?? ""];
  expect(await activeIn(page, textsOf([shown.questions, texts]))).toEqual([]);
  const site = await openSite();
  const visitor = await someone(context);
  const ranThere = watchScripts(visitor);
  await site.visit(visitor, { token: project.api_token, host: baseURL ?? "", id: "ada" });
  const send = visitor.getByRole("button", { name: "Submit survey" });
  for (let asked = 0; asked < 4; asked++) {
    // The texts push it out of the window.
    await send.dispatchEvent("click", undefined, { timeout: 20_000 });
    await expectInert(visitor, ranThere);
  }
  site.close();
});

test("in the dashboard: list, builder, preview and results", async ({ page, request }) => {
  test.setTimeout(180_000);
  const api = apiOf(request);
  const project = await newProject(api, `A shop <img src=x onerror=window.__xss=1>`);
  const hosted = await launch(api, project.id, {
    type: "external_survey",
    appearance: { ...appearance, ...intro },
  });
  const popover = await launch(api, project.id, { name: "Popover", type: "popover", conditions });
  const ran = watchScripts(page);
  await page.goto(`/external_surveys/${hosted.id}/?distinct_id=${encodeURIComponent(PAYLOADS[0])}`);
  await answerAll(page, ran);
  const root = `/project/${project.id}/surveys`;
  await signIn(page, root);
  const [{ uuid }] = (await api("GET", `/api/projects/${project.id}/surveys/${hosted.id}/responses/`))
    .results;
  for (const path of [
    root,
    `${root}/${hosted.id}/edit`,
    `${root}/${hosted.id}/edit?tab=flow`,
    `${root}/${hosted.id}/edit?tab=appearance`,
    `${root}/${popover.id}/edit?tab=audience`,
    `${root}/${hosted.id}`,
    `${root}/${hosted.id}?view=responses`,
    `${root}/${hosted.id}?view=flow`,
    `${root}/${hosted.id}?view=setup`,
    `${root}/${hosted.id}?view=history`,
    `${root}/${hosted.id}/responses/${uuid}`,
  ]) {
    await page.goto(path);
    await expect(page.getByRole("main")).toContainText("__xss", { timeout: 30_000 });
    await expectInert(page, ran);
  }
});
