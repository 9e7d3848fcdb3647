import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import AxeBuilder from "@axe-core/playwright";
import { type APIRequestContext, expect, type Locator, type Page, test } from "@playwright/test";
import type { AxeResults, RunOptions } from "axe-core";
import { PERSONAL_API_KEY } from "./playwright.config.ts";

/** What the journeys are seen in: both themes, a desktop and a phone. */
export const VIEWS = [
  { name: "light, 1440 px", colorScheme: "light", viewport: { width: 1440, height: 900 } },
  { name: "dark, 390 px", colorScheme: "dark", viewport: { width: 390, height: 844 } },
] as const;

type View = (typeof VIEWS)[number];

type Project = { id: number; api_token: string };

/** The management API with the key of the journeys, or another. */
export function apiOf(request: APIRequestContext, key = PERSONAL_API_KEY) {
  // biome-ignore lint/suspicious/noExplicitAny: journeys look into answers of every shape
  return async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await request.fetch(path, {
      method,
      headers: { authorization: `Bearer ${key}` },
      ...(body !== undefined && { data: body }),
    });
    if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
    return response.json();
  };
}

export type Api = ReturnType<typeof apiOf>;

/** A project of one's own, so that journeys do not disturb one another. */
export const newProject = (api: Api, name: string): Promise<Project> =>
  api("POST", "/api/projects/", { name });

type Cookies = Awaited<ReturnType<ReturnType<Page["context"]>["cookies"]>>;

/** What signing in left in the browser, by key: once is enough to see that it works. */
const signedIn = new Map<string, Cookies>();

async function signInByForm(page: Page, path: string, key: string): Promise<void> {
  await page.goto(`/sign-in?next=${encodeURIComponent(path)}`);
  await page.getByLabel("Personal API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => url.pathname !== "/sign-in");
  signedIn.set(key, await page.context().cookies());
}

/**
 * Whether all that is on the page has arrived and answers: until then, React may put a field's first value back. It has
 * no part in pages that Next does not render, nor in the fields that name a form's action.
 */
const isReady = () =>
  !("__next_f" in window) ||
  (document.querySelector('div[hidden][id^="S:"], template[id^="B:"]') === null &&
    [...document.querySelectorAll("main :is(input:not([type=hidden]), textarea, select, button)")].every(
      (control) => Object.keys(control).some((name) => name.startsWith("__reactProps")),
    ));

const nextFrame = () =>
  new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))));

async function whenReady(page: Page): Promise<void> {
  // What leads on from here, and pages that React has no part in, have nothing to wait for.
  await page.waitForFunction(isReady, undefined, { polling: "raf", timeout: 10_000 }).catch(() => undefined);
  // Effects of the last part that arrived run before the frame after the next.
  await page.evaluate(nextFrame).catch(() => undefined);
}

const patient = new WeakSet<Page>();

/** From now on, visits of this page end when it can be used. */
function makePatient(page: Page): void {
  if (patient.has(page)) return;
  patient.add(page);
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)];
  page.goto = async (...args) => {
    const response = await goto(...args);
    await whenReady(page);
    return response;
  };
  page.reload = async (...args) => {
    const response = await reload(...args);
    await whenReady(page);
    return response;
  };
}

/** Signs in as people do, once with each key, and arrives at `path`. */
export async function signIn(page: Page, path: string, key = PERSONAL_API_KEY): Promise<void> {
  makePatient(page);
  const cookies = signedIn.get(key);
  if (cookies) await page.context().addCookies(cookies);
  else await signInByForm(page, path, key);
  await page.goto(path);
}

/** Half as long as the one with comments, which a browser takes a third of a second to read. */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** From the thirteenth sibling on: rows that are like those before them. Axe takes ten seconds for a table of 300 rows. */
const REPEATED = "body > * *:nth-child(n + 13)";

/** What axe finds in the page as it is; its source is read into a page once. */
async function violationsIn(page: Page, part: string): Promise<AxeResults["violations"]> {
  const isThere = await page.evaluate(() => "axe" in window);
  if (!isThere) await page.evaluate(AXE);
  const options: RunOptions = { resultTypes: ["violations"], runOnly: { type: "tag", values: RULES } };
  return page
    .locator(part)
    .last()
    .evaluate(
      async (root, { options, repeated }) => {
        const { axe } = window as unknown as { axe: typeof import("axe-core") };
        const nameOf = ({ target }: { target: unknown[] }) => String(target[0]);
        const exclude = [...root.querySelectorAll(repeated)];
        const { violations } = await axe.run({ include: root, exclude }, options);
        /** Which controls are too small: one that is half under a bar has its whole size once it is scrolled into view. */
        const whichAreTooSmall = async (all: string[]) => {
          const found: string[] = [];
          for (let left = all; left.length > 0; ) {
            const [first = "", ...others] = left;
            document.querySelector(first)?.scrollIntoView({ block: "center" });
            // Each run looks at the whole page first: it tells of all that are in view by now.
            const again = await axe.run({ include: left }, { runOnly: ["target-size"] });
            const small = new Set(again.violations.flatMap(({ nodes }) => nodes.map(nameOf)));
            if (small.has(first)) found.push(first);
            left = others.filter((name) => small.has(name));
          }
          return found;
        };
        const found: typeof violations = [];
        for (const violation of violations) {
          if (violation.id !== "target-size") {
            found.push(violation);
            continue;
          }
          const small = await whichAreTooSmall(violation.nodes.map(nameOf));
          const nodes = violation.nodes.filter((node) => small.includes(nameOf(node)));
          if (nodes.length > 0) found.push({ ...violation, nodes });
        }
        return found;
      },
      { options, repeated: REPEATED },
    );
}

/** The same where frames are part of the page: each has to be looked into by itself. */
async function violationsWithFrames(page: Page): Promise<AxeResults["violations"]> {
  const builder = new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).withTags(RULES);
  return (await builder.analyze()).violations;
}

/**
 * Nothing that axe knows of stands in the way of anybody, and nothing is wider than the window.
 *
 * @param part selector of what is looked at, where the rest of the page has been
 */
export async function expectAccessible(page: Page, part = "html"): Promise<void> {
  // While one page gives way to the next, the document has no title for a moment.
  await expect(page).toHaveTitle(/\S/);
  const hasFrames = page.frames().length > 1;
  const violations = await (hasFrames ? violationsWithFrames(page) : violationsIn(page, part));
  const found = violations.map(({ id, nodes }) => ({
    id,
    where: nodes.map((node) => node.html.slice(0, 200)),
  }));
  expect(found).toEqual([]);
  const excess = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(excess, "px wider than the window").toBeLessThanOrEqual(0);
}

/** Shows a page in another view without loading it again, as when a window and the device's theme change. */
export async function showIn(page: Page, { colorScheme, viewport }: View): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(viewport);
  // What follows the size by script does so in the next frame.
  await page.evaluate(nextFrame);
}

/** The same in every view. It goes on in the last one, so that a journey with several looks is made in both. */
export async function expectAccessibleInEveryView(page: Page, part?: string): Promise<void> {
  const isOnPhone = page.viewportSize()?.width === VIEWS[1].viewport.width;
  for (const view of isOnPhone ? VIEWS.toReversed() : VIEWS)
    await test.step(view.name, async () => {
      await showIn(page, view);
      await expectAccessible(page, part);
    });
}

/** Comes back to a page from another window: it asks at once what it would ask now and then. */
export const comeBack = (page: Page): Promise<unknown> =>
  page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));

const FAR = 80;

/** Goes to a control with Tab alone. */
export async function tabTo(page: Page, control: Locator, backwards = false): Promise<void> {
  const hasFocus = (element: Element) => element === document.activeElement;
  for (let step = 0; step < FAR; step++) {
    if ((await control.count()) > 0 && (await control.first().evaluate(hasFocus))) return;
    await page.keyboard.press(backwards ? "Shift+Tab" : "Tab");
  }
  throw new Error(`Not reached with ${FAR} presses of Tab: ${control}`);
}
