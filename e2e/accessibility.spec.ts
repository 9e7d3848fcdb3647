import { expect, type Page, test } from "@playwright/test";
import { DEMO_LOADED_WITHIN_MS, loadDemo } from "./demo-project.ts";
import { apiOf, expectAccessible, expectAccessibleInEveryView, showIn, signIn, VIEWS } from "./service.ts";

// The parts take long: workers share them.
test.describe.configure({ mode: "parallel" });

/** Pages that look alike: ids are any, and of a query only what chooses a view counts. */
function kindOf(url: URL): string {
  const path = url.pathname.replace(/\/(\d+|[0-9a-f-]{36})(?=\/|$)/g, "/:id");
  const view =
    url.searchParams.get("view") ?? url.searchParams.get("tab") ?? url.searchParams.get("template");
  return view === null ? path : `${path}?${view}`;
}

/** Addresses on a page that lead to a page of the same project. */
async function linksOf(page: Page, project: number): Promise<URL[]> {
  const hrefs = await page
    .locator("a[href]")
    .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
  const here = new URL(page.url());
  return hrefs
    .map((href) => new URL(href))
    .filter((url) => url.origin === here.origin && url.pathname.startsWith(`/project/${project}/`))
    .filter((url) => !/\/(export|report)$/.test(url.pathname));
}

/** What opens a dialog, a menu or a list, by its name without numbers: one of each kind is enough. */
const OPENERS = '[aria-haspopup="dialog"]:visible, [aria-haspopup="menu"]:visible';

const BOXES = '[role="dialog"]:visible, [role="alertdialog"]:visible, [role="menu"]:visible';

/** Opens everything on a page that opens, once for each kind, and looks at it. */
async function expectOpenedAccessible(page: Page, seen: Set<string>): Promise<void> {
  const openers = page.locator("main").locator(OPENERS);
  const count = Math.min(await openers.count(), 40);
  for (let place = 0; place < count; place++) {
    const opener = openers.nth(place);
    const name = (await opener.getAttribute("aria-label", { timeout: 1_000 }).catch(() => null)) ?? "";
    const text = await opener.textContent({ timeout: 1_000 }).catch(() => "");
    const kind = `${kindOf(new URL(page.url()))} ${(name || (text ?? "")).split(" ").slice(0, 2).join(" ")}`;
    if (seen.has(kind) || !(await opener.isEnabled().catch(() => false))) continue;
    seen.add(kind);
    await opener.click({ timeout: 5_000 });
    const box = page.locator(BOXES).last();
    await expect(box, kind).toBeVisible();
    await test.step(kind, () => expectAccessible(page, BOXES));
    await page.keyboard.press("Escape");
    await expect(box).toBeHidden();
  }
}

async function expectToFit(page: Page, width: number): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize({ width, height: 800 });
  const excess = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await expect
    .poll(excess, { message: `${page.url()} at ${width} px: pixels wider than the window` })
    .toBeLessThanOrEqual(0);
  if (before) await page.setViewportSize(before);
}

test("signing in is accessible", async ({ page }) => {
  await page.goto("/sign-in");
  await expectAccessibleInEveryView(page);
  await expectToFit(page, 320);
});

test("a change of the theme moves nothing for whoever prefers less motion", async ({ page }) => {
  await showIn(page, VIEWS[0]);
  await page.goto("/sign-in");
  await page.evaluate(() => {
    const counted = window as unknown as { transitions: number };
    counted.transitions = 0;
    window.addEventListener("transitionrun", () => counted.transitions++, true);
  });
  const color = () => page.evaluate(() => getComputedStyle(document.body).color);
  const light = await color();
  await showIn(page, VIEWS[1]);
  expect(await color()).not.toBe(light);
  expect(await page.evaluate(() => (window as unknown as { transitions: number }).transitions)).toBe(0);
});

/**
 * The parts that workers share, the longest first, with the page that each begins at and the kinds of pages that it has
 * more of: links to other parts are not followed.
 */
const PARTS = {
  feature_flags: ["feature_flags", 6],
  "everything else": ["activity", 8],
  surveys: ["surveys", 10],
  experiments: ["experiments", 5],
} as const;

function partOf({ pathname }: URL): string {
  const [, , , area = ""] = pathname.split("/");
  return area in PARTS ? area : "everything else";
}

for (const [part, [start, kinds]] of Object.entries(PARTS))
  test(`every kind of page of ${part}, and what opens on it, is accessible`, async ({ page, request }) => {
    test.setTimeout(DEMO_LOADED_WITHIN_MS * 2);
    const project = await loadDemo(apiOf(request));
    // Each page is loaded as the one before was left: every other one on a phone.
    let views: readonly (typeof VIEWS)[number][] = VIEWS;
    await showIn(page, VIEWS[0]);
    await signIn(page, `/project/${project}/${start}`);
    const waiting = [new URL(page.url())];
    const known = new Set(waiting.map(kindOf));
    const opened = new Map(VIEWS.map(({ name }) => [name, new Set<string>()]));
    for (let url = waiting.shift(); url; url = waiting.shift()) {
      await test.step(kindOf(url), async () => {
        await page.goto(url.href);
        // The preview of a hosted page has a heading of its own.
        await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
        await page.waitForLoadState("networkidle");
        for (const view of views)
          await test.step(view.name, async () => {
            await showIn(page, view);
            await expectAccessible(page);
            for (const link of await linksOf(page, project)) {
              if (known.has(kindOf(link)) || partOf(link) !== part) continue;
              known.add(kindOf(link));
              waiting.push(link);
            }
            await expectOpenedAccessible(page, opened.get(view.name) ?? new Set());
          });
        await expectToFit(page, 320);
      });
      views = views.toReversed();
    }
    expect(known.size).toBeGreaterThan(kinds);
    for (const [view, seen] of opened) expect(seen.size, view).toBeGreaterThan(5);
  });
