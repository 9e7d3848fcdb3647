import { readFile } from "node:fs/promises";
import { expect, type Page, test } from "@playwright/test";
import {
  type Api,
  apiOf,
  expectAccessible,
  expectAccessibleInEveryView,
  newProject,
  signIn,
  tabTo,
} from "./service.ts";

const questions = [
  {
    id: "score",
    type: "rating",
    display: "number",
    scale: 10,
    question: "How likely are you to recommend us?",
    lowerBoundLabel: "Not at all",
    upperBoundLabel: "Extremely",
    branching: { type: "response_based", responseValues: { detractors: 1, passives: 2, promoters: 2 } },
  },
  { id: "wrong", type: "open", question: "What went wrong?", description: "Be as frank as you like." },
  {
    id: "why",
    type: "multiple_choice",
    question: "What do you come for?",
    choices: ["Coffee", "Quiet", "Something else"],
    hasOpenChoice: true,
  },
  {
    id: "service",
    type: "rating",
    display: "emoji",
    scale: 5,
    question: "How was the service?",
    optional: true,
  },
  {
    id: "again",
    type: "rating",
    display: "emoji",
    scale: 2,
    question: "Will you come again?",
    skipSubmitButton: true,
  },
];

const launch = (api: Api, projectId: number, fields: Record<string, unknown> = {}) =>
  api("POST", `/api/projects/${projectId}/surveys/`, {
    name: "Harbour Coffee",
    type: "external_survey",
    start_date: "2026-01-01T00:00:00Z",
    questions,
    appearance: { allowGoBack: true, thankYouMessageHeader: "Thank you for coming" },
    ...fields,
  });

const heading = (page: Page, name: string) =>
  expect(page.getByRole("heading", { level: 1 })).toHaveText(name);

test.describe("without a script", () => {
  test.use({ javaScriptEnabled: false });

  test("a survey is answered with the keyboard alone, and counted", async ({ page, request }) => {
    const api = apiOf(request);
    const project = await newProject(api, "A shop with a poster");
    const survey = await launch(api, project.id);
    await page.goto(`/external_surveys/${survey.id}/?distinct_id=ada&table=7`);
    await heading(page, "How likely are you to recommend us?");
    await page.getByRole("button", { name: "Next" }).press("Enter");
    await expect(page.getByRole("alert")).toContainText("Please choose an answer.");
    await page.getByRole("alert").getByRole("link").press("Enter");
    await page.keyboard.press("Space");
    for (let step = 0; step < 3; step++) await page.keyboard.press("ArrowRight");
    await expect(page.getByRole("radio", { name: "3 of 10" })).toBeChecked();
    await page.keyboard.press("Enter");
    await heading(page, "What went wrong?");
    await expect(page.getByLabel("What went wrong?")).toBeFocused();
    await page.keyboard.type("The queue");
    await page.getByRole("button", { name: "Back" }).press("Enter");
    await page.getByRole("radio", { name: "9 of 10" }).press("Space");
    await page.keyboard.press("Enter");
    await heading(page, "What do you come for?");
    await page.getByRole("checkbox", { name: "Coffee" }).press("Space");
    await page.getByRole("checkbox", { name: "Something else" }).press("Space");
    await page.getByRole("textbox", { name: "Something else: your own answer" }).fill("The view");
    await page.keyboard.press("Enter");
    await heading(page, "How was the service?");
    await page.getByRole("button", { name: "Next" }).press("Enter");
    await heading(page, "Will you come again?");
    // Sending a page again by reloading it changes nothing.
    await page.reload();
    await page.getByRole("button", { name: "Thumbs up" }).press("Enter");
    await heading(page, "Thank you for coming");
    await page.reload();
    await heading(page, "Thank you for coming");

    const root = `/api/projects/${project.id}`;
    const [{ properties, distinct_id }, ...others] = (await api("GET", `${root}/events/?event=survey%20sent`))
      .results;
    expect(others).toEqual([]);
    expect(distinct_id).toBe("ada");
    expect(properties).toMatchObject({
      table: 7,
      $survey_completed: true,
      $survey_response_score: 9,
      $survey_response_why: ["Coffee", "The view"],
      $survey_response_service: null,
      $survey_response_again: 1,
    });
    expect(properties).not.toHaveProperty("$survey_response_wrong");
    const { stats, rates } = await api("GET", `${root}/surveys/${survey.id}/stats/`);
    expect(stats["survey shown"]).toMatchObject({ total_count: 1, unique_persons: 1 });
    expect(stats["survey sent"]).toMatchObject({ total_count: 1, unique_persons: 1 });
    expect(rates.response_rate).toBe(100);
    await api("PATCH", `${root}/surveys/${survey.id}/`, { end_date: new Date().toISOString() });
    await page.goto(`/external_surveys/${survey.id}/`);
    await heading(page, "This survey is closed");
  });
});

test("every page of a survey is accessible", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "A shop for everybody");
  const survey = await launch(api, project.id);
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  await page.goto(`/external_surveys/${survey.id}/?q0=2`);
  await expectAccessibleInEveryView(page);
  const next = page.getByRole("button", { name: "Next" });
  await next.click();
  await next.click();
  await expect(page.getByRole("alert")).toBeFocused();
  await expectAccessibleInEveryView(page);
  await page.getByRole("textbox").fill("The queue");
  await next.click();
  await expectAccessibleInEveryView(page);
  await page.getByRole("checkbox", { name: "Quiet" }).check();
  await next.click();
  await tabTo(page, page.getByRole("radio").first());
  await expectAccessibleInEveryView(page);
  await next.click();
  await expectAccessibleInEveryView(page);
  await page.getByRole("button", { name: "Thumbs down" }).click();
  await expectAccessibleInEveryView(page);
  // An answer that is missing is answered with a status that says so.
  expect(complaints.filter((text) => !text.includes("422"))).toEqual([]);
});

test("a survey's colours and a language from right to left are accessible too", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "A shop with colours");
  const translations = { ar: { question: "ما رأيك؟", buttonText: "إرسال" } };
  const survey = await launch(api, project.id, {
    questions: [{ ...questions[3], translations }],
    // Neither text could be read as it is.
    appearance: {
      backgroundColor: "#1d3b53",
      textColor: "#22405a",
      submitButtonColor: "gold",
      submitButtonTextColor: "white",
    },
  });
  await page.goto(`/external_surveys/${survey.id}/?display_language=ar`);
  await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
  await heading(page, "ما رأيك؟");
  await expectAccessible(page);
});

test("the URL of a survey can be shared in every state", async ({ page, request, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const api = apiOf(request);
  const project = await newProject(api, "A shop with a poster");
  const survey = await launch(api, project.id, { start_date: null });
  const path = `/project/${project.id}/surveys/${survey.id}`;
  await signIn(page, path);
  const share = page.getByRole("button", { name: "Share", exact: true });
  const dialog = page.getByRole("dialog", { name: "Share Harbour Coffee" });
  const address = dialog.getByRole("textbox", { name: "Address" });
  const url = new URL(`/external_surveys/${survey.id}/`, page.url()).href;

  await share.press("Enter");
  await expect(dialog.getByRole("tab", { name: "Address" })).toBeFocused();
  await expect(address).toHaveValue(url);
  await expect(dialog).toContainText("Not open yet");
  await expect(dialog.getByRole("img", { name: "QR code of the survey's address" })).toBeVisible();
  await expect(dialog.getByRole("link", { name: "Open page in a new tab" })).toHaveAttribute("href", url);
  await expectAccessibleInEveryView(page);
  await dialog.getByText("Suggested answers and hidden fields").click();
  await dialog.getByRole("textbox", { name: "Hidden fields" }).fill("utm_source=poster");
  await expect(address).toHaveValue(`${url}?utm_source=poster`);
  await dialog.getByRole("tab", { name: "E-mail" }).click();
  await expect(dialog.getByRole("textbox", { name: "E-mail text" })).toHaveValue(/utm_source=poster/);
  await dialog.getByRole("tab", { name: "Embed" }).click();
  await expect(dialog.getByRole("textbox", { name: "HTML" })).toHaveValue(/utm_source=poster&amp;embed=true/);
  await expectAccessibleInEveryView(page);
  await dialog.getByRole("tab", { name: "Address" }).click();
  await dialog.getByRole("textbox", { name: "Hidden fields" }).fill("");

  // The preview shows the draft, and nobody is counted there.
  const preview = await dialog.getByRole("link", { name: /^Preview in a new tab/ }).getAttribute("href");
  const visitor = await context.newPage();
  await visitor.goto(new URL(preview ?? "", url).href);
  await expect(visitor.getByText("Preview: nothing is recorded here.")).toBeVisible();
  await expectAccessibleInEveryView(visitor);
  await visitor.close();
  const { stats } = await api("GET", `/api/projects/${project.id}/surveys/${survey.id}/stats/`);
  expect(stats["survey shown"].total_count).toBe(0);
  await dialog.getByRole("button", { name: "Copy address" }).press("Enter");
  await expect(dialog.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url);
  for (const [kind, start] of [
    ["SVG", "<svg "],
    ["PNG", "\u0089PNG"],
  ] as const) {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: `Download the QR code as ${kind}` }).click(),
    ]);
    expect(file.suggestedFilename()).toBe(`harbour-coffee-qr.${kind.toLowerCase()}`);
    expect((await readFile(await file.path(), "latin1")).slice(0, start.length)).toBe(start);
  }
  await page.keyboard.press("Escape");
  await expect(share).toBeFocused();

  await page.getByRole("button", { name: "Launch…" }).click();
  await page.getByRole("button", { name: "Launch survey" }).click();
  const launched = page.getByRole("dialog", { name: "Harbour Coffee is running" });
  await expect(launched.getByRole("textbox", { name: "Address" })).toHaveValue(url);
  await expect(launched).toContainText("Everyone with the address can answer");
  await expectAccessibleInEveryView(page);
  await launched.getByRole("button", { name: "Done" }).click();
  await expect(launched).toBeHidden();

  await api("PATCH", `/api/projects/${project.id}/surveys/${survey.id}/`, {
    end_date: new Date().toISOString(),
  });
  await page.goto(`/project/${project.id}/surveys`);
  await page.getByRole("button", { name: "More for Harbour Coffee" }).click();
  await page.getByRole("menuitem", { name: "Share…" }).click();
  await expect(dialog).toContainText("“This survey is closed”");
  await expect(address).toHaveValue(url);
  await page.goto(url);
  await heading(page, "This survey is closed");
});

test("only a survey with a page has an address to share", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "A shop without a poster");
  const survey = await launch(api, project.id, { type: "popover" });
  await signIn(page, `/project/${project.id}/surveys/${survey.id}`);
  await expect(page.getByRole("link", { name: "Edit" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Share", exact: true })).toHaveCount(0);
});
