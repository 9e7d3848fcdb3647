import { type APIRequestContext, expect, type Page, test } from "@playwright/test";
import { apiOf, expectAccessible, newProject, signIn } from "./service.ts";

const COOKIE = "switchyard_session";

const cookieOf = async (page: Page) =>
  (await page.context().cookies()).find((cookie) => cookie.name === COOKIE)?.value;

/** What a request with a cookie is answered; redirects are not followed. */
const answerTo = (request: APIRequestContext, path: string, cookie: string, headers = {}) =>
  request.get(path, { maxRedirects: 0, headers: { cookie: `${COOKIE}=${cookie}`, ...headers } });

test("signing out ends the session for every copy of its cookie", async ({ page, request, baseURL }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Sessions");
  // A key of this journey's own: others go on with their sessions.
  const key = await api("POST", "/api/personal_api_keys/", { label: "Sessions", scopes: ["*"] });
  const list = `/project/${project.id}/feature_flags`;
  const bff = `/bff/api/projects/${project.id}/feature_flags/`;
  await signIn(page, list, key.value);
  const stolen = (await cookieOf(page)) ?? "";
  expect((await answerTo(request, list, stolen)).status()).toBe(200);
  expect((await answerTo(request, bff, stolen)).status()).toBe(200);

  // The call by which the page turns a flag off, to be sent again with the stolen cookie.
  await api("POST", `/api/projects/${project.id}/feature_flags/`, { key: "mine", active: true });
  await page.reload();
  const sent = page.waitForRequest(
    (one) => one.method() === "POST" && one.headers()["next-action"] !== undefined,
  );
  await page.getByRole("switch", { name: "mine is on" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Turn off" }).click();
  const action = await sent;
  await expect(page.getByRole("switch", { name: "mine is off" })).toBeVisible();
  const flagOf = async () => (await api("GET", `/api/projects/${project.id}/feature_flags/`)).results[0];
  await expect.poll(async () => (await flagOf()).active).toBe(false);
  const { version } = await flagOf();

  await page.getByRole("button", { name: /Account of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL(/\/sign-in$/);
  expect(await cookieOf(page)).toBeUndefined();

  const refused = await answerTo(request, list, stolen);
  expect(refused.status()).toBe(307);
  expect(refused.headers().location).toContain("/sign-in");
  const rsc = await answerTo(request, `${list}?_rsc=1`, stolen, { rsc: "1" });
  expect(await rsc.text()).not.toContain("mine");
  expect((await answerTo(request, bff, stolen)).status()).toBe(401);
  const again = await request.post(action.url(), {
    maxRedirects: 0,
    data: action.postDataBuffer() ?? "",
    headers: {
      cookie: `${COOKIE}=${stolen}`,
      origin: baseURL ?? "",
      "content-type": action.headers()["content-type"] ?? "",
      "next-action": action.headers()["next-action"] ?? "",
      accept: action.headers().accept ?? "",
    },
  });
  expect(again.status()).toBeLessThan(500);
  expect((await flagOf()).version).toBe(version);

  // The browser of whoever holds the copy is asked to sign in, and is rid of the copy.
  await page.context().addCookies([{ name: COOKIE, value: stolen, url: baseURL ?? "" }]);
  await page.goto(list);
  await page.waitForURL((url) => url.pathname === "/sign-in" && url.searchParams.get("next") === list);
  expect(await cookieOf(page)).toBeUndefined();
});

test("what needs a body is read for our own pages only, and nothing is written that way", async ({
  page,
  request,
  baseURL,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "Reads with a body");
  const flags = `/api/projects/${project.id}/feature_flags/`;
  await signIn(page, `/project/${project.id}/feature_flags`);
  const cookie = `${COOKIE}=${await cookieOf(page)}`;
  const send = async (path: string, origin?: string) => {
    const headers = { cookie, ...(origin !== undefined && { origin }) };
    const data = { key: "sneaked-in", condition: { properties: [] } };
    return (await request.post(`/bff${flags}${path}`, { headers, data })).status();
  };
  expect(await send("user_blast_radius/", baseURL)).toBe(200);
  expect(await send("user_blast_radius/", "http://pages.example")).toBe(401);
  expect(await send("user_blast_radius/")).toBe(401);
  expect(await send("", baseURL)).toBe(404);
  expect((await api("GET", flags)).count).toBe(0);
});

for (const [name, value] of [
  ["a malformed expiry", "Fe26.2*1*aa*bb*cc*dd*ee*ff~2"],
  ["another seal", "Fe26.1*1*aa*bb*cc*1*ee*ff~2"],
  ["garbage", "%00%ff;garbage"],
  ["too much", "x".repeat(3_000)],
] as const)
  test(`a session cookie with ${name} asks to sign in again`, async ({ page, request, baseURL }) => {
    const project = await newProject(apiOf(request), "Malformed cookies");
    const list = `/project/${project.id}/feature_flags`;
    const cookie = encodeURIComponent(value);
    expect((await answerTo(request, "/sign-in", cookie)).status()).toBe(200);
    expect((await answerTo(request, "/bff/api/projects/", cookie)).status()).toBe(401);
    await page.context().addCookies([{ name: COOKIE, value: cookie, url: baseURL ?? "" }]);
    await page.goto(list);
    await page.waitForURL((url) => url.pathname === "/sign-in");
    expect(await cookieOf(page)).toBeUndefined();
    await expectAccessible(page);
    await signIn(page, list);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  });
