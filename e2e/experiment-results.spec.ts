import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { type Page, expect as quick, test } from "@playwright/test";
import { runningExperiment } from "./experiment-data.ts";
import { apiOf, expectAccessible, expectAccessibleInEveryView, newProject, signIn } from "./service.ts";

// Results are computed on request.
const expect = quick.configure({ timeout: 30_000 });

test.describe.configure({ mode: "serial", timeout: 120_000 });

const SPLIT = { control: { people: 300, everyNthPays: 6 }, test: { people: 300, everyNthPays: 3 } };

let project: { id: number; api_token: string };
let sound: { id: number };
let skewed: { id: number };

test.beforeAll(async ({ request }) => {
  const api = apiOf(request);
  project = await newProject(api, "Results journeys");
  const common = { days: 6, sample: 5000 };
  sound = await runningExperiment(api, request, project, { ...common, name: "Fewer steps", variants: SPLIT });
  const variants = { control: SPLIT.control, test: { people: 180, everyNthPays: 4 } };
  skewed = await runningExperiment(api, request, project, { ...common, name: "Broken redirect", variants });
});

const home = (id: number) => `/project/${project.id}/experiments/${id}`;

const row = (page: Page, metric: string, variant: string) =>
  page.getByRole("row").filter({ hasText: metric }).locator("~ tr").filter({ hasText: variant }).first();

/** The file that the results page offers. */
async function downloadReport(page: Page, to: string): Promise<string> {
  const started = page.waitForEvent("download");
  await page.getByRole("button", { name: "Sealed report" }).click();
  await (await started).saveAs(to);
  return to;
}

test("a product manager reads who leads, and opens the people behind a figure", async ({ page }) => {
  await signIn(page, home(sound.id));
  await expect(page.getByText("Healthy")).toBeVisible();
  await expect(page.getByText(/test is 100\.0% above control \(95% credible interval/)).toBeVisible();
  const paid = row(page, "Paid order", "test");
  await expect(paid).toContainText("33.33%");
  await expect(paid).toContainText("+100.0%");
  await paid.getByRole("link", { name: "100", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Paid order: counted in test" })).toBeVisible();
  await expect(page.getByText("100 rows: exactly those the figure counts")).toBeVisible();
  await expect(page.getByRole("row")).toHaveCount(51);
  await page.goBack();
  await page.getByRole("link", { name: "300", exact: true }).first().click();
  await expect(page.getByText("300 rows: exactly those the figure counts")).toBeVisible();
  await page.goBack();
  // Every third of 300 waited 30 to 69 seconds.
  const seconds = Array.from({ length: 100 }, (_, i) => 30 + ((3 * i) % 40)).reduce((a, b) => a + b, 0);
  const figure = seconds.toLocaleString("en");
  await row(page, "Waiting time", "test").getByRole("link", { name: figure, exact: true }).click();
  await expect(page.getByText(`100 people add up to exactly ${figure}`)).toBeVisible();
  const values = async () => {
    const rows = await page
      .getByRole("row")
      .filter({ has: page.getByRole("link") })
      .all();
    const texts = rows.map((one) => one.getByRole("cell").last().textContent());
    // Beside the number stands the column's name, for phones.
    return (await Promise.all(texts)).map((text) => Number(/[\d.]+$/.exec(text ?? "")?.[0]));
  };
  const first = await values();
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page).toHaveURL(/offset=50/);
  await expect(page.getByText("51–100 of 100 rows")).toBeVisible();
  expect([...first, ...(await values())].reduce((a, b) => a + b, 0)).toBe(seconds);
  await expect(page.getByRole("row", { name: /Total/ })).toContainText(figure);
});

test("lower is better if the goal says so", async ({ page }) => {
  await signIn(page, home(sound.id));
  const waiting = row(page, "Waiting time", "test");
  await expect(page.getByText("lower is better")).toBeVisible();
  await expect(waiting).toContainText(/< 0\.1%|0\.\d %/);
  await expect(page.getByText(/Worse · Waiting time · test is .* above control/)).toBeVisible();
});

test("many metrics share a scale or have their own, are jumped to, and show money as money", async ({
  page,
  request,
}) => {
  const source = { kind: "EventsNode", event: "order_paid", math: "sum", math_property: "seconds" };
  const metric = (name: string, fields: object) => ({ kind: "ExperimentMetric", name, ...fields });
  const paid = [{ kind: "EventsNode", event: "order_paid" }];
  const seen = [{ kind: "EventsNode", event: "$feature_flag_called" }];
  const many = await runningExperiment(apiOf(request), request, project, {
    days: 6,
    sample: 5000,
    name: "Many metrics",
    variants: { control: { people: 300, everyNthPays: 6 }, test: { people: 300, everyNthPays: 3 } },
    metrics: [
      metric("Revenue", { metric_type: "mean", source, currency: "EUR" }),
      metric("Paid", { metric_type: "funnel", series: paid }),
      metric("Revenue per order", {
        metric_type: "ratio",
        numerator: source,
        denominator: paid[0],
        currency: "EUR",
      }),
    ],
    metrics_secondary: [1, 2, 3, 4].map((n) =>
      metric(`Count ${n}`, { metric_type: "mean", source: (n === 1 ? seen : paid)[0] }),
    ),
  });
  await signIn(page, home(many.id));
  const revenue = row(page, "Revenue", "test");
  await expect(revenue).toContainText("€4,890 from 300");
  await expect(revenue).toContainText("€16.30");
  await expect(page.getByRole("columnheader", { name: /^−\d+% to \+\d+%$/ })).toHaveCount(2);
  await page.getByRole("radio", { name: "Scale per metric" }).click();
  await expect(page.getByRole("columnheader", { name: "Interval" })).toHaveCount(2);
  await expect(row(page, "Revenue", "control").getByText(/^\+\d+%$/)).toBeVisible();
  await expectAccessible(page);
  const jumps = page.getByRole("navigation", { name: "Metrics" });
  await expect(jumps.getByRole("link")).toHaveCount(7);
  await expect(jumps.getByRole("link", { name: /Better Paid/ })).toBeVisible();
  await jumps.getByRole("link", { name: "Count 4" }).click();
  await expect(page.getByRole("rowheader", { name: /Count 4/ })).toBeInViewport();
});

test("days are in a chart that is also a table", async ({ page }) => {
  await signIn(page, home(sound.id));
  await expect(page.getByRole("figure", { name: "Paid order" })).toBeVisible();
  await page.getByRole("button", { name: "Show Paid order as a table" }).click();
  await expect(page.getByRole("table", { name: "Paid order" }).getByRole("row")).not.toHaveCount(1);
});

test("a wrong split is reported first", async ({ page }) => {
  await signIn(page, home(skewed.id));
  await expect(page.getByText(/People were not split as configured/)).toBeVisible();
  await expect(page.getByText(/Do not act on these/)).toBeVisible();
  await expect(page.getByText("Healthy")).toHaveCount(0);
});

test("looks are recorded, and metrics can be hidden until the planned sample", async ({ page }) => {
  await signIn(page, home(skewed.id));
  await expect(async () => {
    await page.reload();
    await expect(page.getByText(/^Read once: if there were no effect at all/)).toBeVisible({ timeout: 3000 });
  }).toPass();
  await page.getByRole("link", { name: "Read with sequential intervals" }).click();
  await page.waitForURL(/peek_safe=1/);
  await expect(page.getByText(/Paid order · test is .* \(95% confidence sequence/)).toBeVisible();
  await page.getByRole("link", { name: "Back to the experiment's own method" }).click();
  await expect(page.getByText(/Paid order · test is .* \(95% credible interval/)).toBeVisible();
  await page.getByRole("switch", { name: /Hide the metrics/ }).click();
  await expect(page.getByRole("heading", { name: "Hidden until the planned sample" })).toBeVisible();
  await expect(page.getByRole("table", { name: "Primary metrics" })).toHaveCount(0);
  await expect(page.getByRole("table", { name: "Exposures by variant" })).toBeVisible();
  await page.getByRole("link", { name: "Show once" }).click();
  await expect(page.getByRole("table", { name: "Primary metrics" })).toBeVisible();
});

test("the sealed report verifies itself offline; altered copies do not", async ({ page, browser }, info) => {
  await signIn(page, home(sound.id));
  const file = await downloadReport(page, info.outputPath("report.html"));
  const whole = await readFile(file, "utf8");
  const offline = await browser.newContext({ offline: true });
  const reader = await offline.newPage();
  const open = async (name: string, text: string) => {
    const path = info.outputPath(name);
    await writeFile(path, text);
    await reader.goto(pathToFileURL(path).href);
    return reader.getByRole("status").first();
  };

  await expect(await open("whole.html", whole)).toContainText(/Verified.*numbers were recomputed from/s);
  await expect(reader.getByText(/test is 100\.0% above control/)).toBeVisible();

  const shown = whole.replace("<td>+100.0%</td>", "<td>+150.0%</td>");
  expect(shown).not.toBe(whole);
  const first = await open("shown.html", shown);
  await expect(first).toContainText("Not verified");
  await expect(first).toContainText(/says \+150\.0%; recomputed: \+100\.0%/);

  const data = whole.replace('"exposures":{"control":300', '"exposures":{"control":301');
  expect(data).not.toBe(whole);
  await expect(await open("data.html", data)).toContainText("Not verified");

  const claimed = whole.replace('"effect":1,', '"effect":1.5,');
  expect(claimed).not.toBe(whole);
  await expect(await open("claimed.html", claimed)).toContainText(
    /Paid order, variant test: estimate effect/,
  );

  // A modified script does not run at all.
  const engine = whole.replace('id="engine">', 'id="engine">;');
  await expect(await open("engine.html", engine)).toContainText("Not verified yet");
  await offline.close();

  // The service knows its own reports, whatever a copy says of itself.
  await page.getByRole("button", { name: "Check a report…" }).click();
  const dialog = page.getByRole("dialog", { name: "Check a sealed report" });
  await dialog.getByLabel("Report file").setInputFiles(info.outputPath("whole.html"));
  await expect(
    dialog.getByText("Made by this Switchyard for this project, and not changed since."),
  ).toBeVisible();
  await expect(dialog.getByText("Every number follows from the data in the file")).toBeVisible();
  await expectAccessible(page);
  await dialog.getByLabel("Report file").setInputFiles(info.outputPath("shown.html"));
  await expect(dialog.getByText(/\+150\.0% instead of \+100\.0%/)).toBeVisible();
  await dialog.getByLabel("Report file").setInputFiles(info.outputPath("data.html"));
  await expect(dialog.getByText("Not signed by this Switchyard")).toBeVisible();
});

test("two reports say what changed between them", async ({ page, browser }, info) => {
  await signIn(page, home(sound.id));
  const mine = await downloadReport(page, info.outputPath("mine.html"));
  await page.goto(home(skewed.id));
  await page.getByRole("link", { name: "Show once" }).click();
  const other = await downloadReport(page, info.outputPath("other.html"));
  const offline = await browser.newContext({ offline: true });
  const reader = await offline.newPage();
  await reader.goto(pathToFileURL(mine).href);
  await reader.getByLabel(/Another sealed report/).setInputFiles(other);
  const table = reader.getByRole("table", { name: /This report and other\.html/ });
  await expect(table.getByRole("row", { name: /^engine/ })).toContainText("unchanged");
  await expect(table.getByRole("row", { name: /^data/ })).toContainText("changed");
  await expect(table.getByRole("row", { name: /^definitions/ })).toContainText("experiment › id");
  await offline.close();
});

test("results, their people and the report are accessible", async ({ page }, info) => {
  await signIn(page, home(sound.id));
  await expect(page.getByRole("figure", { name: "Paid order" })).toBeVisible();
  await expectAccessibleInEveryView(page);
  const file = await downloadReport(page, info.outputPath("axe.html"));
  await page.goto(`${home(sound.id)}/people?kind=exposed&variant=test`);
  await expect(page.getByRole("heading", { name: "Exposed in test" })).toBeVisible();
  await expectAccessibleInEveryView(page);
  await page.goto(pathToFileURL(file).href);
  await expect(page.getByRole("status").first()).toContainText("Verified");
  await expectAccessibleInEveryView(page);
});
