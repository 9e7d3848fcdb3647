import { readFile } from "node:fs/promises";
import { type APIRequestContext, expect, type Locator, type Page, request, test } from "@playwright/test";
import { type Api, apiOf, expectAccessibleInEveryView, newProject, signIn } from "./service.ts";
import { answerSurvey, launchedSurvey, QUESTIONS } from "./survey-answers.ts";
import { expectFiguresToOpenTheirRows } from "./survey-figures.ts";

type Seeded = { project: { id: number; api_token: string }; survey: string; api: Api };

// On a development server, the first visit of a page compiles it.
test.describe.configure({ timeout: 240_000 });

let seeded: Seeded;
let caller: APIRequestContext;

test.beforeAll(async ({ baseURL }) => {
  caller = await request.newContext({ baseURL });
  const api = apiOf(caller);
  const project = await newProject(api, `Results ${Date.now()}`);
  const survey = await launchedSurvey(api, project.id, "Product pulse");
  await answerSurvey(caller, project.api_token, survey);
  seeded = { project, survey, api };
});

test.afterAll(() => caller.dispose());

const path = (rest = "") => `/project/${seeded.project.id}/surveys/${seeded.survey}${rest}`;
const apiPath = (rest = "") => `/api/projects/${seeded.project.id}/surveys/${seeded.survey}/${rest}`;
const rows = (page: Page) => page.getByRole("dialog");

test("every figure opens exactly its rows, with and without a filter", async ({ page }) => {
  test.setTimeout(180_000);
  await signIn(page, path());
  await expectFiguresToOpenTheirRows(page, seeded.api, apiPath(), 150);
  const answers = JSON.stringify([{ question_id: "score", operator: "bucket", value: ["promoters"] }]);
  const properties = JSON.stringify([{ key: "plan", type: "person", operator: "exact", value: ["pro"] }]);
  await page.goto(path(`?answers=${encodeURIComponent(answers)}`));
  await expectFiguresToOpenTheirRows(page, seeded.api, apiPath(), 40);
  await page.goto(path(`?properties=${encodeURIComponent(properties)}`));
  await expectFiguresToOpenTheirRows(page, seeded.api, apiPath(), 100);
});

test("a researcher opens the rows of a figure, exports them, and they are the figure", async ({ page }) => {
  await signIn(page, path());
  const results = await seeded.api("GET", apiPath("results/"));
  const critics = results.questions[0].rating.buckets[0];
  const bar = page.getByRole("link", { name: /^Detractors: / });
  await expect(bar).toHaveAccessibleName(new RegExp(`, ${critics.count}$`), { timeout: 60_000 });
  await bar.click();
  await expect(rows(page).getByRole("heading", { name: /^Detractors: / })).toBeVisible();
  await expect(rows(page).getByTestId("rows-count")).toHaveText(`${critics.count} responses`);
  await expect(page).toHaveURL(/open=/);

  await rows(page).getByRole("button", { name: "Export" }).click();
  const [csv] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: /^CSV(?! for)/ }).click(),
  ]);
  const lines = (await readFile(await csv.path(), "utf8")).trim().split(/\r\n(?=[0-9a-f]{8}-)/);
  expect(lines.length - 1).toBe(critics.count);
  await rows(page).getByRole("button", { name: "Export" }).click();
  const [json] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "JSON" }).click(),
  ]);
  expect(JSON.parse(await readFile(await json.path(), "utf8"))).toHaveLength(critics.count);

  await rows(page).getByRole("button", { name: "Filter the page by this" }).click();
  await expect(page.getByTestId("filter-line")).toContainText(
    `${critics.count} of ${results.matched} responses`,
    { timeout: 60_000 },
  );
  await expect(page.getByTestId("filter-line")).toContainText("is among detractors");
  await page.goBack();
  await expect(rows(page)).toBeVisible({ timeout: 60_000 });
  await page.keyboard.press("Escape");
  await expect(rows(page)).toBeHidden();
});

test("the median time to answer is that of the exported responses, and opens those in the middle", async ({
  page,
}) => {
  await signIn(page, path());
  const exported = await seeded.api("GET", apiPath("export/?format=json&event=completed"));
  const seconds: number[] = exported
    .flatMap((row: { seconds: number | null }) => row.seconds ?? [])
    .sort((a: number, b: number) => a - b);
  const [low = 0, high = 0] = [
    seconds[Math.ceil(seconds.length / 2) - 1],
    seconds[Math.floor(seconds.length / 2)],
  ];
  const { durations } = await seeded.api("GET", apiPath("results/"));
  expect(durations.median_seconds).toBeCloseTo((low + high) / 2, 9);
  const middle = seconds.filter((one) => one >= low && one <= high).length;
  const tile = page.getByRole("term").filter({ hasText: "Median time to answer" }).locator("..");
  const median = tile.getByRole("link", { name: /^Open the \d+ responses? at / });
  await expect(median).toHaveText(/^(\d+ min( \d+ s)?|[\d.]+ s)$/);
  await median.click();
  await expect(rows(page).getByTestId("rows-count")).toHaveText(
    `${middle} ${middle === 1 ? "response" : "responses"}`,
  );
  await expect(
    rows(page)
      .getByText(/^took /)
      .first(),
  ).toHaveText(/^took (\d+ min( \d+ s)?|[\d.]+ s)$/);
});

test("columns keep their labels where there is no room for all of them", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signIn(page, path());
  const figure = page.getByRole("figure", { name: "Time to answer" });
  const labels = figure.locator(".recharts-xAxis-tick-labels .recharts-cartesian-axis-tick-value");
  await expect(labels.nth(1)).toBeAttached();
  const texts = await labels.allTextContents();
  const { durations } = await seeded.api("GET", apiPath("results/"));
  expect(texts.length).toBeLessThan(durations.buckets.length);
  const middleOf = async (part: Locator) => {
    const box = await part.boundingBox();
    return (box?.x ?? 0) + (box?.width ?? 0) / 2;
  };
  for (const [place, text] of texts.entries()) {
    const column = figure.locator(`[data-point][aria-label^="${text}: "] rect`).first();
    expect(Math.abs((await middleOf(column)) - (await middleOf(labels.nth(place))))).toBeLessThan(15);
  }
});

test("filters are in the URL, are described in words, and apply to every figure", async ({ page }) => {
  await signIn(page, path());
  const opener = page.getByRole("button", { name: "Answers", exact: true });
  const form = page.getByRole("form", { name: "Filter by answers" });
  await opener.click();
  await form.getByRole("combobox", { name: /^Question of condition 1/ }).focus();
  await page.keyboard.press("Escape");
  await expect(form).toBeHidden();
  await expect(opener).toBeFocused();
  await opener.press("Enter");
  await form.getByRole("combobox", { name: /^Comparison of condition 1/ }).click();
  await page.getByRole("option", { name: "is at least" }).click();
  await form.getByRole("textbox", { name: "Value of condition 1" }).fill("9");
  await form.getByRole("button", { name: "Show these responses" }).click();
  await expect(opener).toBeFocused();
  await expect(page).toHaveURL(/answers=/);
  const answers = JSON.stringify([{ question_id: "score", operator: "gte", value: ["9"] }]);
  const found = await seeded.api("GET", apiPath(`results/?answers=${encodeURIComponent(answers)}`));
  await expect(page.getByTestId("filter-line")).toContainText(`${found.matched} of ${found.total} responses`);
  await expect(page.getByRole("link", { name: /^Answered: / }).first()).toHaveAccessibleName(
    new RegExp(`^Answered: ${found.matched},`),
  );

  await page.getByRole("button", { name: "All time" }).click();
  await page.getByRole("button", { name: "Last 30 days" }).click();
  await expect(page).toHaveURL(/date_from=/);
  await expect(page.getByTestId("filter-line")).toContainText("since");
  await page.getByRole("button", { name: "Clear all" }).click();
  await expect(page.getByTestId("filter-line")).toContainText("no filters");
  await expect(page).not.toHaveURL(/answers=/);
});

test("a chart is read with the arrow keys, as a table, and in files", async ({ page }) => {
  await signIn(page, path());
  const figure = page.getByRole("figure", { name: "Over time" });
  const first = figure.locator("[data-point]").first();
  await first.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  const words = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
  expect(await words()).toMatch(/^\d+ \w+ \d{4}, Dismissed: \d+$/);
  await page.keyboard.press("End");
  const last = await words();
  await page.keyboard.press("Home");
  expect(await words()).not.toBe(last);

  for (const [kind, holds] of [
    ["Table (CSV)", "Day,Shown,Dismissed,Answered,Completed"],
    ["Vector (SVG)", "<title>Over time</title>"],
    ["Image (PNG)", "PNG"],
  ] as const) {
    const file = await downloaded(page, kind);
    expect(file.name).toMatch(/^over-time\.(csv|svg|png)$/);
    expect(file.text).toContain(holds);
  }
  await figure.getByRole("button", { name: "Show Over time as a table" }).click();
  const { over_time } = await seeded.api("GET", apiPath("results/"));
  await expect(figure.getByRole("row")).toHaveCount(over_time.length + 1);
});

/** A file of the chart over time; the menu can be opened again the moment it is left. */
async function downloaded(page: Page, kind: string): Promise<{ name: string; text: string }> {
  await page.getByRole("button", { name: "Download Over time" }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: kind }).click(),
  ]);
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), "latin1") };
}

test("weeks add their days up, say which they are, and open exactly those", async ({ page }) => {
  await signIn(page, path());
  const figure = page.getByRole("figure", { name: "Over time" });
  await figure.getByRole("radio", { name: "Week" }).click();
  const { over_time } = await seeded.api("GET", apiPath("results/"));
  const sum = (days: { shown: { count: number } }[]) => days.reduce((all, { shown }) => all + shown.count, 0);
  const points = figure.getByRole("link", { name: /, Shown: \d+/ });
  const figures = await points.evaluateAll((links) =>
    links.map((link) => ({
      words: link.getAttribute("aria-label") ?? "",
      open: new URL(link.getAttribute("href") ?? "", location.href).searchParams.get("open") ?? "",
    })),
  );
  expect(figures.length).toBeLessThanOrEqual(Math.ceil(over_time.length / 7) + 1);
  for (const { words, open } of figures) {
    const { day, day_to } = Object.fromEntries(new URLSearchParams(open)) as Record<string, string>;
    const days = over_time.filter(({ date }: { date: string }) => date >= `${day}` && date <= `${day_to}`);
    expect(words).toContain(`Shown: ${sum(days)}`);
    expect(words.includes(" of 7 days")).toBe(days.length < 7);
    const { count } = await seeded.api("GET", apiPath(`responses/?${open}&limit=1`));
    expect([words, count]).toEqual([words, sum(days)]);
  }
  const { text } = await downloaded(page, "Table (CSV)");
  const [head, ...lines] = text.trim().split("\r\n");
  expect(head).toBe("From,To,Days,Shown,Dismissed,Answered,Completed");
  const column = (place: number) => lines.reduce((all, line) => all + Number(line.split(",")[place]), 0);
  expect([column(2), column(3)]).toEqual([over_time.length, sum(over_time)]);
  // The first and the last week may have a single day.
  await figure
    .getByRole("link", { name: /, Shown: \d+$/ })
    .first()
    .click();
  await expect(rows(page).getByRole("heading").first()).toHaveText(
    /^Shown, \d+ \w+ (\d{4} )?to \d+ \w+ \d{4}$/,
  );
});

test("the pointer takes the point it is on, however close another is", async ({ page }) => {
  await signIn(page, path());
  const figure = page.getByRole("figure", { name: "Over time" });
  await figure.getByRole("radio", { name: "Day" }).click();
  await figure
    .getByRole("link", { name: /, Completed: \d+/ })
    .first()
    .scrollIntoViewIfNeeded();
  const taken = await figure.locator("a[data-point]").evaluateAll((points) => {
    const centerOf = (point: Element | null | undefined) => {
      const { x, y, width, height } =
        point?.querySelector("circle")?.getBoundingClientRect() ?? new DOMRect();
      return [x + width / 2, y + height / 2] as const;
    };
    return points.map((point) => {
      const center = centerOf(point);
      return [center, centerOf(document.elementFromPoint(...center)?.closest("a[data-point]"))];
    });
  });
  expect(taken.length).toBeGreaterThan(100);
  for (const [center, found] of taken) expect(found).toEqual(center);
});

test("a response is shown with its path, and is excluded from all figures once archived", async ({
  page,
}) => {
  const before = await seeded.api("GET", apiPath("results/"));
  await signIn(page, path("?view=responses"));
  await expect(page.getByTestId("responses-count")).toHaveText(`${before.matched} responses`);
  const search = page.getByRole("searchbox", { name: "Search answers" });
  await search.fill("spreadsheets");
  const wished = before.questions[3];
  expect(wished.type).toBe("open");
  await expect(page.getByTestId("responses-count")).not.toHaveText(`${before.matched} responses`);
  await page
    .getByRole("link", { name: /^Open the response of/ })
    .first()
    .click();
  await expect(page.getByRole("heading", { level: 1, name: /^Response of / })).toBeVisible();
  await expect(page.getByText("Better export to spreadsheets")).toBeVisible();
  await expect(page.getByRole("img", { name: /^Path: 1 → / })).toBeVisible();

  await page.getByRole("button", { name: "Archive" }).click();
  await expect(page.getByText("This response is archived")).toBeVisible();
  expect((await seeded.api("GET", apiPath("results/"))).matched).toBe(before.matched - 1);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("This response is archived")).toBeHidden();
  expect((await seeded.api("GET", apiPath("results/"))).matched).toBe(before.matched);
});

test("an answer on the hosted page is in the figures at once", async ({ page, browser }) => {
  const { id } = await seeded.api("POST", `/api/projects/${seeded.project.id}/surveys/`, {
    name: "By letter",
    type: "external_survey",
    questions: QUESTIONS.slice(0, 1).map(({ branching: _, ...question }) => question),
    start_date: new Date(Date.now() - 60_000).toISOString(),
  });
  const results = `/project/${seeded.project.id}/surveys/${id}`;
  await signIn(page, results);
  await expect(page.getByRole("heading", { name: "Nobody has seen it yet" })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Copy address of the survey http/ })).toBeVisible();

  const elsewhere = await browser.newContext();
  const visitor = await elsewhere.newPage();
  await visitor.goto(`/external_surveys/${id}/?utm_source=newsletter`);
  await visitor.getByRole("radio", { name: "9 of 10" }).press("Space");
  await visitor.getByRole("button").last().press("Enter");
  await expect(visitor.getByText(/Thank you/)).toBeVisible();
  await elsewhere.close();

  await page.goto(results);
  await expect(page.getByTestId("filter-line")).toContainText("1 response");
  await expect(page.getByRole("link", { name: /^Promoters: 100\.0%, 1$/ })).toBeVisible();
  await expect(page.getByText("too few to tell")).toBeVisible();

  // What the URL said filters the figures.
  await page.getByRole("button", { name: "Hidden fields" }).click();
  const form = page.getByRole("form", { name: "Filter by hidden fields" });
  await expect(form.getByRole("combobox", { name: /^Field of condition 1/ })).toContainText("utm_source");
  await form.getByRole("combobox", { name: "Value of condition 1" }).click();
  await page.getByRole("option", { name: "newsletter" }).click();
  await form.getByRole("button", { name: "Show these responses" }).click();
  const line = page.getByTestId("filter-line");
  await expect(line).toContainText("1 of 1 response where the hidden field utm_source is newsletter");
  await page.getByRole("button", { name: "Hidden fields" }).click();
  await form.getByRole("combobox", { name: /^Comparison of condition 1/ }).click();
  await page.getByRole("option", { name: "is not set" }).click();
  await form.getByRole("button", { name: "Show these responses" }).click();
  await expect(line).toContainText("0 of 1 response where the hidden field utm_source is not set");
  await page.getByRole("button", { name: "Remove: utm_source is not set" }).click();
  await expect(line).toContainText("no filters");
});

test("people who may only read see a note, and cannot archive a response", async ({ page }) => {
  const made = await seeded.api("POST", "/api/personal_api_keys/", {
    label: `Reader of results ${Date.now()}`,
    scopes: ["survey:read", "project:read"],
  });
  await signIn(page, path("?view=responses"), made.value);
  await expect(page.getByRole("note")).toContainText("survey:write");
  await expect(page.getByRole("button", { name: "Archive" }).first()).toHaveAttribute(
    "aria-disabled",
    "true",
  );
});

// The walk through the demo project sees the other views.
test("the summary, the answers and an opened figure are accessible", async ({ page }) => {
  await signIn(page, path());
  await expect(page.locator("figure svg").first()).toBeVisible();
  await expectAccessibleInEveryView(page);
  await page.getByRole("button", { name: "Answers", exact: true }).click();
  await expectAccessibleInEveryView(page);
  await page.goto(path("?open=event%3Dcompleted&of=Completed"));
  await expect(rows(page).getByRole("listitem").first()).toBeVisible();
  await expectAccessibleInEveryView(page);
});
