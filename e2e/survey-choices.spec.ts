import { type APIRequestContext, expect, type Page, test } from "@playwright/test";
import { type Api, apiOf, expectAccessibleInEveryView, newProject, signIn } from "./service.ts";

const QUESTIONS = [
  {
    id: "heard",
    type: "single_choice",
    question: "How did you hear of us?",
    choices: ["Friend", "Search", "Press"],
  },
  { id: "likely", type: "rating", display: "number", scale: 10, question: "How likely are you to stay?" },
];
const ANSWERS = ["Friend", "Friend", "Friend", "Search", "Search", "Press"];

/** A running survey that six people have answered. */
async function answered(api: Api, request: APIRequestContext) {
  const project = await newProject(api, "Choices");
  const survey = await api("POST", `/api/projects/${project.id}/surveys/`, {
    name: "How they found us",
    type: "popover",
    questions: QUESTIONS,
    start_date: "2026-01-01T00:00:00Z",
  });
  const batch = ANSWERS.map((heard, i) => ({
    event: "survey sent",
    distinct_id: `respondent ${i}`,
    timestamp: new Date(Date.now() - 60_000).toISOString(),
    properties: {
      $survey_id: survey.id,
      $survey_completed: true,
      $survey_response_heard: heard,
      $survey_response_likely: i + 4,
    },
  }));
  const response = await request.post("/batch/", { data: { api_key: project.api_token, batch } });
  expect(response.ok()).toBe(true);
  return {
    path: `/project/${project.id}/surveys/${survey.id}`,
    results: () => api("GET", `/api/projects/${project.id}/surveys/${survey.id}/results/`),
  };
}

const choice = (page: Page, place: number) =>
  page.getByRole("textbox", { name: `Choice ${place}`, exact: true });
const decision = (page: Page, place: number) =>
  page.getByRole("radiogroup", { name: `What happens to the answers for choice ${place}` });
const saveBar = (page: Page, text: string) =>
  page.locator("form p[aria-live=polite]").filter({ hasText: text });

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Changes saved").filter({ visible: true }).first()).toBeVisible();
  await expect(saveBar(page, "No changes")).toBeVisible();
}

test.use({ contextOptions: { reducedMotion: "reduce" } });

test("a researcher corrects a choice, replaces another and removes a third, and no answer is lost", async ({
  page,
  request,
}) => {
  test.slow();
  const { path, results } = await answered(apiOf(request), request);
  await signIn(page, `${path}/edit`);

  await choice(page, 1).fill("A friend");
  await expect(page.getByText("3 answers are recorded for “Friend”.")).toBeVisible({ timeout: 60_000 });
  await expect(decision(page, 1).getByRole("radio", { name: "Correct the wording" })).toBeChecked();
  await expect(saveBar(page, "3 answers kept with 1 reworded choice")).toBeVisible();
  // Nothing stands half under the bar at the top.
  await page.evaluate(() => window.scrollTo(0, 0));
  await expectAccessibleInEveryView(page);
  await save(page);
  await expect(decision(page, 1)).toBeHidden();

  await choice(page, 2).fill("Advertising");
  await decision(page, 2).getByRole("radio", { name: "Replace the choice" }).check();
  await expect(saveBar(page, "2 answers listed under 1 former choice")).toBeVisible();
  await page.getByRole("button", { name: "Remove choice 3" }).click();
  await expect(page.getByText("“Press” is removed. Its answer stays in the results")).toBeVisible();
  await expect(saveBar(page, "3 answers listed under 2 former choices")).toBeVisible();
  await expectAccessibleInEveryView(page);
  await page.getByRole("button", { name: "Put back “Press”" }).click();
  await expect(choice(page, 3)).toHaveValue("Press");
  await save(page);

  const { choice: figures } = (await results()).questions[0];
  const counts = (list: { choice: string; count: number }[]) => list.map((one) => [one.choice, one.count]);
  expect(counts(figures.choices)).toEqual([
    ["A friend", 3],
    ["Advertising", 0],
    ["Press", 1],
  ]);
  expect(counts(figures.former)).toEqual([["Search", 2]]);
  await page.goto(path);
  const former = page.getByRole("link", { name: /^Search \(former choice\): / });
  await expect(former).toHaveAccessibleName(/, 2 answers,/, { timeout: 60_000 });
  await expectAccessibleInEveryView(page);
  await former.click();
  await expect(page.getByRole("dialog").getByTestId("rows-count")).toHaveText("2 responses");
});

test("a researcher sees which answers another scale or a deleted question affects", async ({
  page,
  request,
}) => {
  const { path } = await answered(apiOf(request), request);
  await signIn(page, `${path}/edit`);
  await page.getByRole("button", { name: /How likely are you to stay/ }).click();
  await page.getByRole("combobox", { name: "Scale" }).click();
  await page.getByRole("option", { name: "1 to 5" }).click();
  await expect(page.getByText("6 answers are recorded for this question on another scale.")).toContainText(
    "4 answers do not fit and will be left out of the figures.",
    { timeout: 60_000 },
  );
  await expect(saveBar(page, "4 answers not matching the new type or scale")).toBeVisible();
  await expectAccessibleInEveryView(page);
  await page.getByRole("button", { name: "More for question 2" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const dialog = page.getByRole("alertdialog");
  await expect(dialog).toContainText(
    "6 recorded answers to it will no longer be in the results once you save.",
  );
  await expectAccessibleInEveryView(page, "[role=alertdialog]");
  await dialog.getByRole("button", { name: "Delete question" }).click();
  await expect(saveBar(page, "6 answers removed from the results with 1 question")).toBeVisible();
});
