import { readFile } from "node:fs/promises";
import { type Browser, expect, type Locator, type Page, test } from "@playwright/test";
import {
  type Api,
  apiOf,
  comeBack,
  expectAccessible,
  expectAccessibleInEveryView,
  newProject,
  signIn,
} from "./service.ts";

type Project = { id: number };

const listOf = (project: Project) => `/project/${project.id}/surveys`;
const surveysOf = (project: Project) => `/api/projects/${project.id}/surveys/`;
const toast = (page: Page, text: string) =>
  page.getByRole("listitem").filter({ hasText: text }).filter({ visible: true });

const storedOf = async (api: Api, project: Project) => (await api("GET", surveysOf(project))).results[0];

const part = (page: Page, name: string) =>
  page.getByRole("tab", { name: new RegExp(`^(has an error )?${name}`) });
const questions = (page: Page) => page.getByRole("region", { name: "Questions", exact: true });
const preview = (page: Page) => page.getByRole("region", { name: "Preview" }).filter({ visible: true });

async function choose(page: Page, select: Locator, option: string | RegExp): Promise<void> {
  await select.click();
  await page.getByRole("option", { name: option }).click();
}

async function addQuestion(page: Page, kind: string, text: string): Promise<void> {
  await page.getByRole("button", { name: "Add a question" }).click();
  await page.getByRole("menuitem", { name: kind }).click();
  await page.getByRole("textbox", { name: "Question", exact: true }).fill(text);
}

/** Drags from the dot of an answer onto a box of the graph. */
async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  await expect(to).toBeInViewport({ ratio: 0.9 });
  const [start, end] = [await from.boundingBox(), await to.boundingBox()];
  if (!start || !end) throw new Error("Nothing to drag");
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
  await page.mouse.down();
  // Anywhere on the box will do.
  await page.mouse.move(end.x + end.width / 2, end.y + end.height / 2, { steps: 18 });
  await page.mouse.up();
}

// Measure colours when nothing moves.
test.use({ contextOptions: { reducedMotion: "reduce" } });

/** Answers the hosted page in another browser: the rating, then the texts or choices that follow. */
async function answer(browser: Browser, id: string, mark: number, then: string[]): Promise<void> {
  const context = await browser.newContext();
  const visitor = await context.newPage();
  await visitor.goto(`/external_surveys/${id}/`);
  const submit = visitor.getByRole("button").last();
  await visitor.getByRole("radio", { name: `${mark} of 10` }).press("Space");
  await submit.press("Enter");
  for (const words of then) {
    const choice = visitor.getByRole("radio", { name: words });
    const text = visitor.getByRole("textbox");
    await expect(choice.or(text)).toBeVisible();
    if (await choice.isVisible()) await choice.press("Space");
    else await text.fill(words);
    await submit.press("Enter");
  }
  await expect(visitor.getByText(/Thank you/)).toBeVisible();
  await context.close();
}

test("a researcher builds a survey, fixes the loop that the path check found, launches it, and reads the answers", async ({
  page,
  request,
  browser,
}) => {
  test.slow();
  const api = apiOf(request);
  const project = await newProject(api, "Builder");
  await page.setViewportSize({ width: 1440, height: 1000 });
  await signIn(page, listOf(project));
  await page.getByRole("link", { name: "Start from scratch" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Checkout pulse");
  await choose(page, page.getByRole("combobox", { name: "Shown as" }), /Hosted page/);

  await page
    .getByRole("textbox", { name: "Question", exact: true })
    .fill("How likely are you to recommend us?");
  await choose(page, page.getByRole("combobox", { name: /Question type/ }), /Rating/);
  await addQuestion(page, "Single choice", "What is the main reason?");
  await page.getByRole("textbox", { name: "Choice 1", exact: true }).fill("The price");
  await page.getByRole("textbox", { name: "Choice 2", exact: true }).fill("The speed");
  await addQuestion(page, "Open text", "What should we change first?");

  // The last question leads back to the first one.
  await choose(page, page.getByRole("combobox", { name: /Where answers lead/ }), /To one question/);
  await choose(page, page.getByRole("combobox", { name: /^Lead to/ }), /^1\. How likely/);
  await questions(page)
    .getByRole("button", { name: /How likely are you/ })
    .click();
  await choose(page, page.getByRole("combobox", { name: /Where answers lead/ }), /Depends on the answer/);
  await choose(page, page.getByRole("combobox", { name: /Passives.* leads to/ }), /^3\. What should/);

  await part(page, "Flow").click();
  await expect(
    page.getByText("Some paths never end.").or(page.getByText("No path through")).first(),
  ).toBeVisible();
  await page
    .getByRole("button", { name: /Play this path/ })
    .first()
    .click();
  await expect(preview(page).getByRole("navigation", { name: "Path taken" })).toContainText("1");

  const graph = page.getByRole("application", { name: "Flow of the survey" });
  const boxOf = (text: string | RegExp) => graph.locator(".react-flow__node").filter({ hasText: text });
  await expect(boxOf("How likely are you")).toBeVisible();
  await expectAccessible(page);
  // Ways are named by the questions and answers, those that lead back too.
  const way = (from: string, to: string) =>
    graph.locator(`[aria-label^="${from}"][aria-label$=": leads to ${to}"]`);
  await expect(way("Question 3, every answer", "question 1")).toHaveCount(1);
  await expect(way("Question 1, Passives", "question 3")).toHaveCount(1);
  await drag(page, boxOf("What should we change").locator(".react-flow__handle.source"), boxOf(/^End$/));
  await expect(way("Question 3, every answer", "the end")).toHaveCount(1);
  await expect(page.getByText("Every path ends.")).toBeVisible();
  await expect(boxOf(/^End$/)).toBeInViewport({ ratio: 0.9 });
  await drag(page, boxOf("How likely are you").locator(".react-flow__handle.source").nth(2), boxOf(/^End$/));
  await boxOf("How likely are you").getByRole("button").click();
  await expect(page.getByRole("combobox", { name: /Promoters.* leads to: End/ })).toBeVisible();

  await page.getByRole("button", { name: "Save as a draft" }).click();
  await expect(page).toHaveURL(/\/surveys\/[0-9a-f-]{36}\/edit\?tab=flow/);
  const [nps, reason, change] = (await storedOf(api, project)).questions;
  expect(nps.branching).toEqual({
    type: "response_based",
    responseValues: { passives: 2, promoters: "end" },
  });
  expect(reason).toMatchObject({ choices: ["The price", "The speed"] });
  expect(change.branching).toEqual({ type: "end" });

  await page.getByRole("button", { name: "Launch…" }).click();
  const dialog = page.getByRole("dialog", { name: /Launch “Checkout pulse”/ });
  await expect(dialog.getByText("Every path ends")).toBeVisible();
  await expect(dialog.getByText("Anyone with the address")).toBeVisible();
  await expect(dialog.getByText("It has no end")).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Launch survey" }).click();
  await expect(toast(page, "Checkout pulse is running")).toBeVisible();
  expect((await storedOf(api, project)).start_date).not.toBeNull();
  const launched = page.getByRole("dialog", { name: "Checkout pulse is running" });
  await expect(launched.getByRole("textbox", { name: "Address" })).toHaveValue(/\/external_surveys\//);
  await launched.getByRole("button", { name: "Done" }).click();

  const { id } = await storedOf(api, project);
  await answer(browser, id, 10, []);
  await answer(browser, id, 8, ["Fewer fields"]);
  await answer(browser, id, 2, ["The price", "The forms"]);
  await page.getByRole("link", { name: "Results" }).click();
  await expect(page.getByTestId("filter-line")).toContainText("3 responses");
  const critics = page.getByRole("link", { name: /^Detractors: 33\.3%, 1$/ });
  await critics.click();
  const rows = page.getByRole("dialog");
  await expect(rows.getByTestId("rows-count")).toHaveText("1 response");
  await rows.getByRole("button", { name: "Export" }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "JSON" }).click(),
  ]);
  const exported = JSON.parse(await readFile(await file.path(), "utf8"));
  expect(exported).toHaveLength(1);
  expect(JSON.stringify(exported)).toContain("The forms");
});

test("the preview follows the branching and the appearance as they are edited", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Preview");
  await page.setViewportSize({ width: 1440, height: 1000 });
  await signIn(page, `${listOf(project)}/new?template=nps`);
  const path = preview(page).getByRole("navigation", { name: "Path taken" });
  await preview(page).getByRole("radio", { name: "3 of 10" }).check();
  await preview(page).getByRole("button", { name: "Submit" }).click();
  await expect(preview(page)).toContainText("What is the main thing that let you down?");
  await preview(page).getByRole("textbox").fill("Too slow");
  await preview(page).getByRole("button", { name: "Submit" }).click();
  await expect(path).toContainText("End");
  await expect(preview(page)).toContainText("Thank you!");

  // Lead critics elsewhere: the answer to the question they no longer see is dropped.
  await choose(page, page.getByRole("combobox", { name: /Detractors.* leads to/ }), /^4\. What do you like/);
  await expect(preview(page)).toContainText("What do you like most?");
  await path.getByRole("button").first().click();
  await expect(preview(page)).toContainText("How likely are you to recommend us");

  // The welcome page, and going back.
  await part(page, "Appearance").click();
  await page.getByRole("checkbox", { name: "Show a welcome page" }).click();
  await page.getByRole("textbox", { name: "Welcome headline" }).fill("Two minutes for us");
  await expect(preview(page)).toContainText("Two minutes for us");
  await preview(page).getByRole("button", { name: "Start", exact: true }).click();
  await page.getByRole("checkbox", { name: "Let people go back" }).click();
  await preview(page).getByRole("radio", { name: "10 of 10" }).check();
  await preview(page).getByRole("button", { name: "Submit" }).click();
  await preview(page).getByRole("button", { name: "Back" }).click();
  await expect(preview(page)).toContainText("How likely are you to recommend us");
  await choose(page, page.getByRole("combobox", { name: "Corners" }), "Square");

  // Only some events of a name, and never on phones.
  await part(page, "Audience").click();
  await page.getByRole("checkbox", { name: "Mobile" }).click();
  await page.getByRole("radio", { name: "Not on" }).click();
  await page.getByRole("combobox", { name: /^After an event/ }).fill("order completed");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Add a condition to order completed" }).click();
  await page.getByRole("textbox", { name: "Property of order completed" }).fill("amount");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Enter a value for “amount”.")).toBeVisible();
  await choose(page, page.getByRole("combobox", { name: /^How amount/ }), "is more than");
  await page.getByRole("combobox", { name: /^What amount/ }).fill("100");
  await page.keyboard.press("Enter");
  await expect(page.getByText("after order completed where amount is more than 100")).toBeVisible();
  await page.getByRole("button", { name: "Save as a draft" }).click();
  await expect(toast(page, "was saved as a draft")).toBeVisible();
  expect(await storedOf(api, project)).toMatchObject({
    appearance: {
      displayIntroScreen: true,
      introScreenHeader: "Two minutes for us",
      allowGoBack: true,
      borderRadius: "0px",
    },
    conditions: {
      deviceTypes: ["Mobile"],
      deviceTypesMatchType: "not_icontains",
      events: {
        values: [
          { name: "order completed", propertyFilters: { amount: { operator: "gt", values: ["100"] } } },
        ],
      },
    },
  });
});

test("a hosted page is previewed as on a phone and on a desktop, in colours that can be read", async ({
  page,
  request,
}) => {
  const project = await newProject(apiOf(request), "Screens");
  await page.setViewportSize({ width: 1440, height: 1000 });
  await signIn(page, `${listOf(project)}/new?template=nps`);
  const desktop = preview(page).getByRole("radio", { name: "Desktop" });
  await expect(preview(page).getByRole("radio", { name: "3 of 10" })).toBeVisible();
  await expect(desktop).toHaveCount(0);
  await choose(page, page.getByRole("combobox", { name: "Shown as" }), /Hosted page/);
  // Eleven values need two rows on a phone.
  const isOneRow = async () => {
    const boxes = [/^0 of 10/, /^10 of 10/].map((name) => preview(page).getByRole("radio", { name }));
    const [first, last] = await Promise.all(boxes.map((box) => box.boundingBox()));
    return Math.abs((first?.y ?? 0) - (last?.y ?? 99)) < 2;
  };
  await expect.poll(isOneRow).toBe(false);
  await desktop.click();
  await expect.poll(isOneRow).toBe(true);
  await preview(page).getByRole("radio", { name: "Phone" }).click();
  await expect.poll(isOneRow).toBe(false);

  await part(page, "Appearance").click();
  const contrast = page.getByRole("region", { name: "Contrast" });
  await expect(contrast).toContainText("All texts are readable.");
  await page.getByRole("textbox", { name: "Question", exact: true }).fill("#dddddd");
  await expect(contrast).toContainText("The page replaces a text colour with less contrast than 4.5 to 1.");
  await expectAccessible(page);
  await choose(page, page.getByRole("combobox", { name: "Shown as" }), /Popover/);
  await expect(contrast).toContainText("Question on the background1.4 : 1too low");
});

test("branching follows questions that are moved by keyboard, duplicated and deleted", async ({
  page,
  request,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "Branching");
  await page.setViewportSize({ width: 1440, height: 1000 });
  await signIn(page, `${listOf(project)}/new?template=nps`);
  await page.getByRole("button", { name: "Save as a draft" }).click();
  await expect(page).toHaveURL(/\/edit/);
  const branching = async () => {
    const { questions: stored } = await storedOf(api, project);
    return {
      order: stored.map((each: { question: string }) => each.question[8]),
      first: stored[0].branching,
    };
  };

  // Move the last question to place 2 with the keyboard alone.
  const rows = questions(page).getByRole("listitem");
  await page.getByRole("button", { name: "Move question 4" }).focus();
  // Wait for each announcement before the next key.
  const heard = (text: string) => expect(page.getByText(text)).toBeAttached();
  await page.keyboard.press("Space");
  await heard("It would move to position 4 of 4.");
  for (const place of [3, 2]) {
    // The list takes keys a moment after it has announced the pick-up.
    await expect(async () => {
      await page.keyboard.press("ArrowUp");
      await expect(page.getByText(`It would move to position ${place} of 4.`)).toBeAttached({
        timeout: 5_000,
      });
    }).toPass();
  }
  await page.keyboard.press("Space");
  await expect(rows.nth(1)).toContainText("What do you like most?");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(toast(page, "Changes saved")).toBeVisible();
  expect((await branching()).first.responseValues).toEqual({ detractors: 2, passives: 3, promoters: 1 });

  await page.getByRole("button", { name: "More for question 3" }).click();
  await page.getByRole("menuitem", { name: "Duplicate" }).click();
  await expect(rows).toHaveCount(5);

  // Deleting a question that answers lead to asks for their new target, and can be undone.
  const remove = async () => {
    await page.getByRole("button", { name: "More for question 2" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const asked = page.getByRole("alertdialog");
    await expect(asked).toContainText("1 answer leads here");
    await expect(asked).toContainText("Promoters, 9–10");
    await choose(page, asked.getByRole("combobox", { name: /Lead them to/ }), "End of the survey");
    await asked.getByRole("button", { name: "Delete question" }).click();
    await expect(rows).toHaveCount(4);
  };
  await remove();
  await toast(page, "Question 2 was removed").getByRole("button", { name: "Undo" }).click();
  await expect(rows).toHaveCount(5);
  await expect(rows.first()).toContainText(/Promoters\s*→\s*leads to\s*2/);
  await remove();
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect
    .poll(async () => (await branching()).first.responseValues)
    .toEqual({ detractors: 1, passives: 3, promoters: "end" });
});

test("everything since the last save is undone and redone, step by step, wherever the focus is", async ({
  page,
  request,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "Undo");
  const survey = await api("POST", surveysOf(project), {
    name: "Pulse",
    type: "popover",
    questions: [
      { type: "open", question: "Why?" },
      { type: "single_choice", question: "How?", choices: ["By bus", "By train"] },
    ],
  });
  await page.setViewportSize({ width: 1440, height: 1000 });
  await signIn(page, `${listOf(project)}/${survey.id}/edit`);
  const name = page.getByRole("textbox", { name: "Name" });
  const question = page.getByRole("textbox", { name: "Question", exact: true });
  const rows = questions(page).getByRole("listitem");
  const undo = page.getByLabel("Undo", { exact: true });
  const redo = page.getByLabel("Redo", { exact: true });
  await expect(undo).toBeDisabled();

  await name.fill("Pulse of May");
  await question.press("End");
  await question.pressSequentially(" And since when?");
  await rows.nth(1).getByRole("button", { name: /How/ }).click();
  await page.getByRole("button", { name: "Remove choice 2" }).click();
  await part(page, "Schedule").click();
  await page.getByRole("radio", { name: /Repeatedly/ }).click();
  await part(page, "Audience").click();

  // Each step is shown where it was made.
  await page.keyboard.press("Control+z");
  await expect(page.getByRole("radio", { name: /^Once/ })).toBeChecked();
  await page.keyboard.press("Control+z");
  await expect(page.getByRole("textbox", { name: "Choice 2", exact: true })).toHaveValue("By train");
  await page.getByRole("textbox", { name: "Choice 2", exact: true }).focus();
  await page.keyboard.press("Control+z");
  await expect(question).toHaveValue("Why?");
  await expect(name).toHaveValue("Pulse of May");
  await undo.click();
  await expect(name).toHaveValue("Pulse");
  await expect(undo).toBeDisabled();
  await expect(page.getByText("No changes")).toBeVisible();

  await page.keyboard.press("Control+Shift+z");
  await expect(name).toHaveValue("Pulse of May");
  await redo.click();
  await expect(question).toHaveValue("Why? And since when?");
  await part(page, "JSON").click();
  const json = page.getByRole("textbox", { name: "Survey as JSON" });
  await expect(json).toContainText("And since when?", { timeout: 30_000 });
  await undo.click();
  await expect(json).not.toContainText("And since when?");
  await part(page, "Questions").click();

  // A save is where undo ends; to discard is asked first.
  await page.keyboard.press("Control+s");
  await expect(toast(page, "Changes saved")).toBeVisible();
  await expect(undo).toBeDisabled();
  await question.fill("Whence?");
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Keep editing" }).click();
  await expect(question).toHaveValue("Whence?");
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Discard changes" }).click();
  await expect(question).toHaveValue("Why?");
  expect((await storedOf(api, project)).name).toBe("Pulse of May");
});

test("unsaved changes survive a reload, and an earlier version can be restored", async ({
  page,
  request,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "Kept");
  const survey = await api("POST", surveysOf(project), {
    name: "Pulse",
    type: "popover",
    questions: [{ type: "open", question: "Why?" }],
  });
  await page.setViewportSize({ width: 1440, height: 1000 });
  await signIn(page, `${listOf(project)}/${survey.id}/edit`);
  const question = page.getByRole("textbox", { name: "Question", exact: true });

  // What is typed after adding a question is its text.
  await page.getByRole("button", { name: "Add a question" }).press("Enter");
  await page.getByRole("menuitem", { name: "Single choice" }).press("Enter");
  await expect(question).toBeFocused();
  await page.keyboard.type("Which one?");
  for (const [place, text] of ["The first", "The second"].entries())
    await page.getByRole("textbox", { name: `Choice ${place + 1}`, exact: true }).fill(text);
  await expect(page.getByText("Unsaved changes")).toBeVisible();
  page.on("dialog", (asked) => void asked.accept());
  await page.reload();
  await expect(questions(page).getByRole("listitem")).toHaveCount(1);
  await page.getByRole("button", { name: "Restore" }).click();
  await expect(questions(page).getByRole("listitem")).toHaveCount(2);
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(toast(page, "Changes saved")).toBeVisible();
  expect((await storedOf(api, project)).questions[1]).toMatchObject({
    question: "Which one?",
    choices: ["The first", "The second"],
  });

  await page.goto(`${listOf(project)}/${survey.id}?view=history`);
  await expect(page.getByText("Single choice: Which one?").first()).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Open this version in the builder" }).click();
  await expect(page.getByText("Save to restore this version.")).toBeVisible();
  await expect(questions(page).getByRole("listitem")).toHaveCount(1);
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(toast(page, "Changes saved")).toBeVisible();
  expect((await storedOf(api, project)).questions).toHaveLength(1);
});

const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;

test("script in every text is inert, and HTML is shown as respondents get it", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Hostile");
  const survey = await api("POST", surveysOf(project), {
    name: `Hostile ${HOSTILE}`,
    description: HOSTILE,
    type: "popover",
    questions: [
      {
        type: "single_choice",
        question: `Why? ${HOSTILE}`,
        description: `<p>Read <b>this</b>${HOSTILE}</p>`,
        descriptionContentType: "html",
        choices: [`A ${HOSTILE}`, "B"],
        buttonText: HOSTILE,
      },
    ],
    appearance: {
      thankYouMessageHeader: HOSTILE,
      thankYouMessageDescription: HOSTILE,
      thankYouMessageDescriptionContentType: "html",
      backgroundColor: "red;background:url(javascript:alert(1))",
      fontFamily: "x;} body{display:none",
    },
  });
  await page.setViewportSize({ width: 1440, height: 1000 });
  await signIn(page, listOf(project));
  await expect(page.getByRole("link", { name: /Hostile/ }).first()).toBeVisible();
  await page.goto(`${listOf(project)}/${survey.id}/edit`);
  await expect(preview(page).getByText("this", { exact: true })).toBeVisible();
  await page
    .getByRole("textbox", { name: /^Description/ })
    .last()
    .fill(`<p>Now <i>that</i></p>${HOSTILE}`);
  await expect(preview(page).getByText("that", { exact: true })).toBeVisible();
  for (const name of ["Flow", "Appearance", "JSON"]) await part(page, name).click();
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
});

test("two editors: nothing is overwritten unnoticed", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Conflict");
  const values = [{ id: 3, name: "Bought", steps: [{ event: "paid" }] }, { id: 4 }];
  const survey = await api("POST", surveysOf(project), {
    name: "Pulse",
    type: "popover",
    questions: [{ type: "open", question: "Why?" }],
    conditions: { actions: { values } },
  });
  await signIn(page, `${listOf(project)}/${survey.id}/edit?tab=audience`);
  const actions = page.getByRole("list", { name: "Linked actions" });
  await expect(actions).toContainText("It has no trigger.");
  await actions.getByRole("button", { name: "Remove the action Action 4" }).click();
  await part(page, "Schedule").click();
  await page.getByRole("textbox", { name: /A number of responses/ }).fill("50");
  await api("PATCH", `${surveysOf(project)}${survey.id}/`, { name: "Pulse of the week" });
  await comeBack(page);
  await expect(page.getByText("Someone else changed this survey")).toBeVisible();
  await page.getByRole("button", { name: "Save changes" }).click();
  const dialog = page.getByRole("dialog", { name: "Somebody else changed this survey" });
  await expect(dialog).toContainText("Pulse of the week");
  await expectAccessible(page);
  // They changed other fields: both are kept.
  await dialog.getByRole("button", { name: "Save mine too" }).click();
  await expect
    .poll(() => storedOf(api, project))
    .toMatchObject({
      name: "Pulse of the week",
      responses_limit: 50,
      conditions: { actions: { values: values.slice(0, 1) } },
    });
  const isSaved = () => expect(page.getByText("No changes")).toBeVisible();
  await isSaved();

  // A later version that differs in nothing that is edited here asks nothing.
  await page.getByRole("textbox", { name: /A number of responses/ }).fill("60");
  await api("PATCH", `${surveysOf(project)}${survey.id}/`, { archived: false });
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect.poll(() => storedOf(api, project)).toMatchObject({ responses_limit: 60, version: 5 });
  // It is stored before the page has learned of it; until then, nothing can be undone.
  await isSaved();
  await api("PATCH", `${surveysOf(project)}${survey.id}/`, { description: "Theirs again" });
  await toast(page, "Changes saved").first().getByRole("button", { name: "Undo" }).click();
  await expect(toast(page, "Somebody else has changed this survey since. Nothing was undone.")).toBeVisible();
  expect(await storedOf(api, project)).toMatchObject({ responses_limit: 60, description: "Theirs again" });

  // A scheduled launch can still be changed.
  await api("PATCH", `${surveysOf(project)}${survey.id}/`, { start_date: "2999-01-02T12:00:00Z" });
  await page.reload();
  await page.getByRole("button", { name: "Change the launch…" }).click();
  const launch = page.getByRole("dialog", { name: "Launch of “Pulse of the week”" });
  await expect(launch.getByLabel("Date and time of the start")).toHaveValue(/^2999-01/);
  await launch.getByRole("radio", { name: "Now" }).click();
  await launch.getByRole("button", { name: "Launch survey" }).click();
  await expect(toast(page, "Pulse of the week is running")).toBeVisible();
  expect(Date.parse((await storedOf(api, project)).start_date)).toBeLessThanOrEqual(Date.now() + 60_000);
});

test("a running survey is stopped and resumed, and the page offers the other at once", async ({
  page,
  request,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "Stop and go");
  const survey = await api("POST", surveysOf(project), {
    name: "Pulse",
    type: "popover",
    questions: [{ type: "open", question: "Why?" }],
    start_date: "2026-01-01T00:00:00Z",
  });
  await signIn(page, `${listOf(project)}/${survey.id}`);
  const header = page.getByRole("banner").or(page.locator("header")).filter({ hasText: "Pulse" });
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  for (const [now, next, words] of [
    ["Stop…", "Resume…", "Complete"],
    ["Resume…", "Stop…", "Running"],
  ] as const) {
    await button(now).click();
    await page
      .getByRole("alertdialog")
      .getByRole("button", { name: now.replace("…", " survey") })
      .click();
    await expect(button(next)).toBeVisible();
    await expect(button(now)).toHaveCount(0);
    await expect(header).toContainText(words);
    await button("More for Pulse").click();
    await expect(page.getByRole("menuitem", { name: next })).toBeVisible();
    await expect(page.getByRole("menuitem", { name: now })).toHaveCount(0);
    await page.keyboard.press("Escape");
  }
  expect(await storedOf(api, project)).toMatchObject({ end_date: null, version: 3 });
});

test("an error of the API is shown at its field, and at its line in the JSON", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Refused");
  await api("POST", surveysOf(project), { name: "Taken", type: "popover" });
  await signIn(page, `${listOf(project)}/new?template=csat`);
  await page.getByRole("textbox", { name: "Name" }).fill("Taken");
  await page.getByRole("button", { name: "Save as a draft" }).click();
  await expect(page.getByText("There is already a survey with this name.").first()).toBeVisible();
  await page.getByRole("textbox", { name: "Question", exact: true }).fill(" ");
  await page.getByRole("button", { name: "Save as a draft" }).click();
  await expect(page.getByText("Enter the question.").first()).toBeVisible();
  await part(page, "JSON").click();
  await expect(page.getByText(/questions › 0: Enter the question/)).toBeVisible();
  await expectAccessible(page);

  const json = page.getByRole("textbox", { name: "Survey as JSON" });
  await json.fill('{"name": "Half');
  await page.getByRole("button", { name: "Save as a draft" }).click();
  await expect(toast(page, "Fix the JSON before saving.")).toBeVisible();
  await part(page, "Questions").click();
  await expect(toast(page, "Fix the JSON first, so that nothing is lost.")).toBeVisible();
  await expect(json).toContainText('{"name": "Half');
});

test("a key that only reads sees everything and changes nothing", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Read only");
  const body = { name: "Pulse", type: "popover", questions: [{ type: "open", question: "Why?" }] };
  const survey = await api("POST", surveysOf(project), body);
  const { value } = await api("POST", "/api/personal_api_keys/", {
    label: "reads",
    scopes: ["survey:read", "feature_flag:read", "project:read"],
  });
  await signIn(page, listOf(project), value);
  await expect(page.getByRole("note")).toContainText("survey:write");
  await expect(page.getByRole("link", { name: "New survey" })).toHaveCount(0);
  await page.goto(`${listOf(project)}/${survey.id}/edit`);
  await expect(page.getByRole("note")).toContainText("Read only");
  await expect(page.getByRole("button", { name: "Save changes" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Launch…" })).toHaveCount(0);
  await expect(page.getByRole("textbox", { name: "Question", exact: true })).not.toBeEditable();
  await expectAccessible(page);
});

const rich = {
  name: "Checkout pulse",
  type: "popover",
  questions: [
    {
      type: "rating",
      question: "How easy was it to pay?",
      display: "emoji",
      scale: 5,
      branching: { type: "response_based", responseValues: { negative: 1, positive: "end" } },
    },
    {
      type: "multiple_choice",
      question: "What got in your way?",
      choices: ["Form", "Price", "Other"],
      hasOpenChoice: true,
    },
    { type: "link", question: "Read what is new", link: "https://example.com" },
  ],
  appearance: {
    backgroundColor: "#ffffff",
    textSubtleColor: "#5b6068",
    displayIntroScreen: true,
    allowGoBack: true,
  },
  conditions: {
    url: "/checkout",
    deviceTypes: ["Mobile"],
    events: {
      values: [{ name: "order completed", propertyFilters: { amount: { operator: "gt", values: [] } } }],
    },
    actions: { values: [{ id: 1, name: "Paid" }] },
  },
  targeting_flag_filters: {
    groups: [
      {
        properties: [{ key: "plan", type: "person", operator: "exact", value: ["pro"] }],
        rollout_percentage: 100,
      },
    ],
  },
  iteration_count: 3,
  iteration_frequency_days: 30,
  response_sampling_limit: 140,
  response_sampling_interval: 2,
  response_sampling_interval_type: "week",
  response_sampling_start_date: "2999-01-01T00:00:00Z",
};

test("every part of the builder is accessible", async ({ page, request }) => {
  // Twenty looks by axe at large pages.
  test.slow();
  const api = apiOf(request);
  const project = await newProject(api, "Accessible");
  await signIn(page, listOf(project));
  await expect(page.getByRole("list", { name: "Templates" })).toBeVisible();
  await expectAccessibleInEveryView(page);
  const survey = await api("POST", surveysOf(project), rich);
  await page.reload();
  await expect(page.getByRole("link", { name: "Checkout pulse" })).toBeVisible();
  await expectAccessibleInEveryView(page);
  await page.goto(`${listOf(project)}/new`);
  await expectAccessibleInEveryView(page);
  await page.goto(`${listOf(project)}/${survey.id}/edit`);
  for (const name of ["Questions", "Flow", "Audience", "Schedule", "Appearance", "JSON"]) {
    await part(page, name).click();
    await expect(part(page, name)).toHaveAttribute("aria-selected", "true");
    if (name === "Flow")
      await expect(page.getByRole("application", { name: "Flow of the survey" })).toBeVisible();
    if (name === "JSON")
      await expect(page.getByRole("textbox", { name: "Survey as JSON" })).toBeVisible({ timeout: 30_000 });
    await expectAccessibleInEveryView(page);
  }
  await part(page, "Flow").click();
  await page.getByRole("radio", { name: "List" }).click();
  await expect(page.getByRole("list", { name: /where their answers lead/ })).toBeVisible();
  await expectAccessibleInEveryView(page);
});

test("a survey is found, archived and deleted, and each can be undone", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "List");
  for (const name of ["Onboarding", "Checkout", "Support"])
    await api("POST", surveysOf(project), { ...rich, name, start_date: "2026-01-01T00:00:00Z" });
  await signIn(page, listOf(project));
  await page.getByRole("searchbox", { name: /Search surveys/ }).fill("onb");
  await expect(page).toHaveURL(/search=onb/);
  await expect(page.getByRole("navigation", { name: "Pages" })).toHaveText("1 survey");
  await page.getByRole("button", { name: "More for Onboarding" }).click();
  await expectAccessibleInEveryView(page);
  await page.getByRole("menuitem", { name: "Archive…" }).click();
  await expectAccessibleInEveryView(page);
  await page.getByRole("alertdialog").getByRole("button", { name: "Archive survey" }).click();
  await expect(page.getByText("No survey matches")).toBeVisible();
  await toast(page, "Onboarding was archived").getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("link", { name: "Onboarding" })).toBeVisible();

  await page.getByRole("button", { name: "More for Onboarding" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("alertdialog").getByRole("textbox").fill("Onboarding");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete survey" }).click();
  await expect.poll(async () => (await api("GET", surveysOf(project))).count).toBe(2);
});
