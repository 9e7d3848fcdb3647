import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { type Process, startProcess } from "#testing/processes.ts";
import { PERSONAL_API_KEY } from "./playwright.config.ts";
import { apiOf, newProject } from "./service.ts";

/** The dashboard of a second Switchyard, whose operator lets people use the journeys' API in it. */
let dashboard: Process;
let dataDir = "";

/** An address that no operator has listed, and all that ever came to it. */
let outsider: Server;
const arrived: string[] = [];
/** One that is listed, and sends whoever comes on to the one that is not. */
let redirecting: Server;

async function listen(answer: RequestListener): Promise<Server> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const hostOf = (server: Server) => `127.0.0.1:${(server.address() as AddressInfo).port}`;

test.beforeAll(async ({ baseURL }) => {
  dataDir = mkdtempSync(join(tmpdir(), "remote-dashboard-"));
  outsider = await listen((_, response) => response.end("{}"));
  outsider.on("connection", () => arrived.push("a connection"));
  redirecting = await listen((request, response) =>
    response.writeHead(307, { location: `http://${hostOf(outsider)}${request.url}` }).end(),
  );
  const API_BASE_URLS = `${baseURL},http://${hostOf(redirecting)}`;
  dashboard = await startProcess({ DATA_DIR: dataDir, API_BASE_URLS }, []);
});

test.afterAll(async () => {
  await dashboard.end("SIGTERM");
  for (const server of [outsider, redirecting]) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(dataDir, { recursive: true, force: true });
});

async function signIn(page: Page, path: string): Promise<void> {
  await page.getByLabel("Personal API key").fill(PERSONAL_API_KEY);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => url.pathname === path);
}

test("the dashboard of another Switchyard works the same", async ({ page, request, baseURL }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Seen from afar");
  const flags = `/api/projects/${project.id}/feature_flags/`;
  const filters = { groups: [{ properties: [], rollout_percentage: 100 }] };
  await api("POST", flags, { key: "made-there", active: true, filters });
  const origins = new Set<string>();
  page.on("request", (one) => {
    if (one.url().startsWith("http")) origins.add(new URL(one.url()).origin);
  });

  const list = `/project/${project.id}/feature_flags`;
  await page.goto(`${dashboard.address}/sign-in?next=${list}`);
  await page.getByLabel("API", { exact: true }).selectOption({ label: new URL(baseURL ?? "").host });
  await signIn(page, list);
  await expect(page.getByRole("link", { name: "made-there" })).toBeVisible();

  await page.getByRole("switch", { name: "made-there is on" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Turn off" }).click();
  await expect(page.getByRole("switch", { name: "made-there is off" })).toBeVisible();
  await expect
    .poll(async () => (await api("GET", flags)).results)
    .toMatchObject([{ key: "made-there", active: false }]);

  await page.goto(`${dashboard.address}${list}/new`);
  await page.getByRole("textbox", { name: "Key", exact: true }).fill("made-here");
  await page.getByRole("button", { name: "Create flag" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Create flag" }).click();
  await expect(page.getByRole("heading", { name: "made-here", level: 1 })).toBeVisible();
  expect((await api("GET", flags)).results).toMatchObject([{ key: "made-here" }, { key: "made-there" }]);

  await page.goto(`${dashboard.address}${list}`);
  await page.getByRole("searchbox", { name: /Search flags/ }).fill("here");
  await expect(page.getByRole("link", { name: "made-here" })).toBeVisible();

  // The browser has spoken to the dashboard alone, and nothing that it holds tells the key.
  expect([...origins]).toEqual([dashboard.address]);
  expect(await page.content()).not.toContain(PERSONAL_API_KEY);
  expect(JSON.stringify(await page.context().storageState())).not.toContain(PERSONAL_API_KEY);
  const own = await dashboard.call("GET", "/api/projects/1/feature_flags/");
  expect(own.json.results).toEqual([]);
});

/** Signs in with an address that the page does not offer. */
async function signInAt(page: Page, address: string): Promise<void> {
  await page.goto(`${dashboard.address}/sign-in`);
  await page.getByLabel("Personal API key").fill(PERSONAL_API_KEY);
  await page.locator("option[value=own]").evaluate((option: HTMLOptionElement, value) => {
    option.value = value;
  }, address);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test("no request leaves for an address that the operator has not listed", async ({ page, baseURL }) => {
  const host = hostOf(outsider);
  const listed = new URL(baseURL ?? "");
  for (const address of [
    `http://${host}`,
    `http://${host}/#${baseURL}`,
    `http://${listed.host}@${host}`,
    `${baseURL}/../../${host}`,
    `//${host}`,
  ]) {
    await signInAt(page, address);
    await expect(page.getByText("This address is not among the allowed ones.")).toBeVisible();
  }
  expect(arrived).toEqual([]);
});

test("nor where a listed address redirects to, nor for a path of the dashboard's own", async ({
  page,
  baseURL,
}) => {
  const host = hostOf(outsider);
  await signInAt(page, `http://${hostOf(redirecting)}`);
  await expect(page.getByText("The API did not respond. Try again in a moment.")).toBeVisible();

  await page.goto(`${dashboard.address}/sign-in`);
  await page.getByLabel("API", { exact: true }).selectOption({ label: new URL(baseURL ?? "").host });
  await page.getByLabel("Personal API key").fill(PERSONAL_API_KEY);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => url.pathname !== "/sign-in");
  for (const path of [
    `/bff//${host}/api/projects`,
    `/bff/api/..%2f..%2f@${host}/`,
    `/bff/http:%2f%2f${host}/`,
  ]) {
    const answer = await page.request.get(dashboard.address + path, { maxRedirects: 0 });
    expect(answer.ok(), path).toBe(false);
  }
  expect(arrived).toEqual([]);
  // The outsider does listen: what it saw means something.
  await page.request.get(`http://${host}`);
  expect(arrived).toEqual(["a connection"]);
});
