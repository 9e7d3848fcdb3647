import { type Browser, expect, test } from "@playwright/test";
import { DEMO_LOADED_WITHIN_MS, loadDemo, pagesOf } from "./demo-project.ts";
import { apiOf, newProject, signIn } from "./service.ts";

/** Kilobytes of JavaScript that a page may transfer before its load event, by kind. */
const LIMITS = { "sign-in": 152, lists: 212, results: 260, editors: 300 } as const;

type Kind = keyof typeof LIMITS;
type Weighed = { kind: Kind; path: string; kilobytes: number };

/** The scripts, as transferred, of a first visit: with nothing in the browser's cache. */
async function weigh(
  browser: Browser,
  state: object | undefined,
  path: string,
  baseURL: string,
): Promise<number> {
  const context = await browser.newContext({ baseURL, ...(state && { storageState: state as never }) });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  const sentAt = new Map<string, number>();
  const bytes = new Map<string, number>();
  const underWay = new Set<string>();
  devtools.on("Network.requestWillBeSent", ({ requestId, type, wallTime }) => {
    if (type !== "Script") return;
    sentAt.set(requestId, wallTime * 1000);
    underWay.add(requestId);
  });
  devtools.on("Network.dataReceived", ({ requestId, encodedDataLength }) => {
    bytes.set(requestId, (bytes.get(requestId) ?? 0) + encodedDataLength);
  });
  for (const end of ["Network.loadingFinished", "Network.loadingFailed"] as const)
    devtools.on(end, ({ requestId }) => underWay.delete(requestId));
  await page.goto(path);
  // By the clock of the browser: messages about requests and about the page come in no certain order.
  const loadedAt = await page.evaluate(() => {
    const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    return performance.timeOrigin + (navigation?.loadEventStart ?? 0);
  });
  await expect.poll(() => underWay.size).toBe(0);
  await context.close();
  const before = [...sentAt].filter(([, at]) => at < loadedAt).map(([id]) => bytes.get(id) ?? 0);
  return Math.round(before.reduce((sum, each) => sum + each, 0) / 1000);
}

test("no page transfers more JavaScript than its kind may", async ({ browser, page, request, baseURL }) => {
  test.setTimeout(DEMO_LOADED_WITHIN_MS * 2);
  const api = apiOf(request);
  const pages = await pagesOf(api, await loadDemo(api));
  const weighed: Weighed[] = [
    {
      kind: "sign-in",
      path: "/sign-in",
      kilobytes: await weigh(browser, undefined, "/sign-in", baseURL ?? ""),
    },
  ];
  await signIn(page, pages.lists[0] ?? "/");
  const state = await page.context().storageState();
  for (const kind of ["lists", "results", "editors"] as const)
    for (const path of pages[kind])
      weighed.push({ kind, path, kilobytes: await weigh(browser, state, path, baseURL ?? "") });
  const row = ({ kind, path, kilobytes }: Weighed) => `${kilobytes} of ${LIMITS[kind]} kB  ${path}`;
  console.info(weighed.map(row).join("\n"));
  expect(weighed.filter(({ kind, kilobytes }) => kilobytes > LIMITS[kind])).toEqual([]);
});

test("a page is prefetched once somebody points at a link to it, or focuses it", async ({
  page,
  request,
}) => {
  const project = await newProject(apiOf(request), "Links");
  const prefetched: string[] = [];
  page.on("request", (request) => {
    const isPrefetch = request.headers()["next-router-prefetch"] !== undefined;
    if (isPrefetch) prefetched.push(new URL(request.url()).pathname);
  });
  await signIn(page, `/project/${project.id}/feature_flags`);
  await page.waitForLoadState("networkidle");
  expect(prefetched).toEqual([]);
  const link = (name: string) => page.getByRole("navigation", { name: "Main" }).getByRole("link", { name });
  await link("Surveys").hover();
  await expect.poll(() => prefetched).toContain(`/project/${project.id}/surveys`);
  await link("Experiments").focus();
  await expect.poll(() => prefetched).toContain(`/project/${project.id}/experiments`);
  expect(new Set(prefetched).size).toBe(2);
});
