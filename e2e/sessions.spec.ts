import { type APIRequestContext, expect, type Page, type Route, test } from "@playwright/test";
import { PERSONAL_API_KEY } from "./playwright.config.ts";
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

test("a session in another browser is listed with it, and ended from here", async ({
  browser,
  page,
  request,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "Two browsers");
  const key = await api("POST", "/api/personal_api_keys/", { label: "Two browsers", scopes: ["*"] });
  const list = `/project/${project.id}/feature_flags`;
  await signIn(page, list, key.value);
  const userAgent =
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15";
  const elsewhere = await browser.newContext({ userAgent, baseURL: test.info().project.use.baseURL ?? "" });
  const other = await elsewhere.newPage();
  await other.goto(`/sign-in?next=${encodeURIComponent(list)}`);
  await other.getByLabel("Personal API key").fill(key.value);
  await other.getByRole("button", { name: "Sign in" }).click();
  await other.waitForURL((url) => url.pathname === list);

  await page.getByRole("button", { name: /Account of/ }).click();
  await page.getByRole("menuitem", { name: "Sessions" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Sessions" })).toBeVisible();
  await expectAccessible(page);
  await expect(page.getByRole("row").filter({ hasText: "This browser" })).toHaveCount(1);
  const safari = page.getByRole("row").filter({ hasText: "Safari on macOS" });
  await expect(safari).not.toHaveCount(0);
  // The one used last comes first; earlier runs on the same server may have left others.
  const before = await safari.count();
  await safari
    .first()
    .getByRole("button", { name: /End the session/ })
    .click();
  await expect(safari).toHaveCount(before - 1);
  await other.goto(list);
  await other.waitForURL((url) => url.pathname === "/sign-in");
  await elsewhere.close();
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
  expect(await send("user_blast_radius/", "http://pages.example")).toBe(403);
  expect(await send("user_blast_radius/")).toBe(403);
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

const signInAgain = async (page: Page, key: string) => {
  const asked = page.getByRole("dialog", { name: "Sign in to continue" });
  await asked.getByLabel("Personal API key").fill(key);
  await asked.getByRole("button", { name: "Sign in" }).click();
};

test("what is typed survives a session that ends, and a reload", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Drafts");
  const flags = `/api/projects/${project.id}/feature_flags/`;
  const flag = await api("POST", flags, { key: "typed", name: "Before", active: true });
  const path = `/project/${project.id}/feature_flags/${flag.id}/targeting`;
  const stored = () => api("GET", `${flags}${flag.id}/`);
  const description = page.getByLabel("Description").first();
  const draft = page.getByRole("status").filter({ hasText: "You have unsaved changes" });
  const askToSave = () => page.getByRole("button", { name: "Save changes…" }).click();
  const confirmSave = () =>
    page.getByRole("alertdialog").getByRole("button", { name: "Save changes" }).click();
  await signIn(page, path);
  await expect(page.getByText("No people stored yet")).toBeVisible();
  await description.fill("Typed before the session ended");
  await askToSave();
  await expect(page.getByRole("alertdialog")).toContainText("Typed before the session ended");
  await page.context().clearCookies({ name: COOKIE });
  await confirmSave();
  await signInAgain(page, "phx_not-a-key-of-anybody");
  await expect(page.getByRole("dialog")).toContainText("This key is not valid here.");
  await expectAccessible(page);
  await signInAgain(page, PERSONAL_API_KEY);
  // What was being saved goes through by itself.
  await expect(page.getByText("Changes saved")).toBeVisible();
  expect((await stored()).name).toBe("Typed before the session ended");
  await page.reload();
  await expect(description).toHaveValue("Typed before the session ended");
  await expect(draft).toHaveCount(0);

  // A page that reads after the session has ended says so, and goes on after signing in.
  await page.context().clearCookies({ name: COOKIE });
  await page.getByRole("textbox", { name: "Key", exact: true }).fill("typed-2");
  await description.fill("Typed afterwards");
  const ended = page.getByRole("status").filter({ hasText: "Your session has ended" });
  await expectAccessible(page);
  await ended.getByRole("button", { name: "Sign in" }).click();
  await signInAgain(page, PERSONAL_API_KEY);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(ended).toHaveCount(0);
  await askToSave();
  await confirmSave();
  await expect(page.getByRole("alertdialog")).toHaveCount(0);
  expect((await stored()).name).toBe("Typed afterwards");

  // The browser asks before it reloads a page with changes, and the page offers them afterwards.
  await description.fill("Typed before the reload");
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await expect(draft).toContainText("just now");
  await expect(description).toHaveValue("Typed afterwards");
  await expectAccessible(page);
  // Meanwhile somebody else has saved the same field: nothing of either is lost.
  await api("PATCH", `${flags}${flag.id}/`, { name: "Theirs" });
  await draft.getByRole("button", { name: "Restore" }).click();
  await expect(description).toHaveValue("Typed before the reload");
  await expect(draft).toHaveCount(0);
  await askToSave();
  await confirmSave();
  await expect(page.getByRole("dialog", { name: /changed this flag/ })).toContainText("Theirs");
  expect((await stored()).name).toBe("Theirs");
  await page.getByRole("button", { name: "Save mine over theirs" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect.poll(async () => (await stored()).name).toBe("Typed before the reload");
  await expect(page.getByText("No changes")).toBeVisible();

  // What was discarded, or left behind on purpose, is not offered again.
  await description.fill("Discarded");
  await page.getByRole("button", { name: "Discard…" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Discard changes" }).click();
  await expect(description).toHaveValue("Typed before the reload");
  await description.fill("Left behind");
  await page.getByRole("main").getByRole("link", { name: "Feature flags" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Discard changes" }).click();
  await expect(page.getByRole("heading", { name: "Feature flags", level: 1 })).toBeVisible();
  await page.goto(path);
  await expect(description).toHaveValue("Typed before the reload");
  await expect(page.getByText("No changes")).toBeVisible();
  await expect(draft).toHaveCount(0);
});

/** Holds back what the page is answered to its writes until it is let go. */
async function holdSaves(page: Page): Promise<() => Promise<void>> {
  const held: Route[] = [];
  const isSave = ({ pathname }: URL) => pathname.startsWith("/project/");
  await page.route(isSave, async (route) => {
    if (route.request().method() === "POST") held.push(route);
    else await route.fallback();
  });
  return async () => {
    await expect.poll(() => held.length).toBe(1);
    await held[0]?.continue();
    await page.unroute(isSave);
  };
}

test("what is typed while a save is under way stays", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Typed during a save");
  const surveys = `/api/projects/${project.id}/surveys/`;
  const survey = await api("POST", surveys, {
    name: "Poll",
    type: "popover",
    questions: [{ type: "open", question: "First?" }],
  });
  await signIn(page, `/project/${project.id}/surveys/${survey.id}/edit`);
  await page.getByRole("button", { name: "Add a question" }).click();
  await page.getByRole("menuitem", { name: "Open text" }).click();
  const question = page.getByRole("textbox", { name: "Question", exact: true });
  await question.fill("Second");
  const saveSurvey = page.getByRole("button", { name: "Save changes" });
  let letGo = await holdSaves(page);
  await saveSurvey.click();
  await question.click();
  await page.keyboard.press("End");
  await page.keyboard.type(", or");
  await letGo();
  await expect(page.getByText("Changes saved")).toBeVisible();
  await page.keyboard.type(" not?");
  await expect(question).toBeFocused();
  await expect(question).toHaveValue("Second, or not?");
  await saveSurvey.click();
  await expect
    .poll(async () => (await api("GET", `${surveys}${survey.id}/`)).questions[1].question)
    .toBe("Second, or not?");
  await expect(page.getByText("No changes")).toBeVisible();

  const experiments = `/api/projects/${project.id}/experiments/`;
  const experiment = await api("POST", experiments, { name: "Button", feature_flag_key: "button" });
  await page.goto(`/project/${project.id}/experiments/${experiment.id}/edit?step=hypothesis`);
  const name = page.getByRole("textbox", { name: "Name", exact: true });
  await name.fill("Buttons");
  letGo = await holdSaves(page);
  await page.getByRole("button", { name: "Save and continue" }).click();
  await name.fill("Round buttons");
  await letGo();
  await expect.poll(async () => (await api("GET", `${experiments}${experiment.id}/`)).name).toBe("Buttons");
  await expect(page.getByRole("heading", { name: "Variants", level: 2 })).toBeVisible();
  await page
    .getByRole("navigation", { name: "Steps" })
    .getByRole("button", { name: /Hypothesis/ })
    .click();
  await expect(name).toHaveValue("Round buttons");
  await page.getByRole("button", { name: "Save and continue" }).click();
  await expect
    .poll(async () => (await api("GET", `${experiments}${experiment.id}/`)).name)
    .toBe("Round buttons");
});

test("what is typed before the page's scripts have arrived stays", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "A slow line");
  await api("POST", `/api/projects/${project.id}/feature_flags/`, { key: "checkout" });
  await signIn(page, `/project/${project.id}/feature_flags`);
  const isScript = /\/_next\/static\/.*\.js/;
  const pages = [
    ["cohorts/new", page.getByLabel("Name"), "Paying teams"],
    ["feature_flags", page.getByRole("searchbox", { name: /Search flags/ }), "checkout"],
  ] as const;
  for (const [path, field, text] of pages) {
    const { promise: typed, resolve: letScriptsArrive } = Promise.withResolvers<void>();
    const hold = (route: Route) => typed.then(() => route.continue());
    await page.route(isScript, hold);
    const visited = page.goto(`/project/${project.id}/${path}`, { waitUntil: "commit" });
    await page.waitForURL(`**/${path}`, { waitUntil: "commit" });
    await field.click();
    await page.keyboard.type(text);
    letScriptsArrive();
    await visited;
    // React writes the value that its form has into the attribute.
    await expect(field).toHaveAttribute("value", text);
    await expect(field).toHaveValue(text);
    await page.unroute(isScript, hold);
  }
});

test("a draft is offered to whoever typed it, and to nobody else", async ({ page, request }) => {
  const api = apiOf(request);
  const project = await newProject(api, "Drafts of two people");
  const email = `grace-${project.id}@example.com`;
  await api("POST", "/api/organizations/@current/members/", { email });
  const grace = { label: "Grace", scopes: ["*"], user: email };
  const { value: key } = await api("POST", "/api/personal_api_keys/", grace);
  const path = `/project/${project.id}/cohorts/new`;
  const draft = page.getByRole("status").filter({ hasText: "You have unsaved changes" });
  const name = page.getByLabel("Name");
  await signIn(page, path);
  await name.fill("Paying teams");
  const isKept = () => page.evaluate(() => JSON.stringify(localStorage).includes("Paying teams"));
  await expect.poll(isKept).toBe(true);

  // Somebody else cannot go on in the place of whoever typed it.
  await page.context().clearCookies({ name: COOKIE });
  await page.getByRole("button", { name: "Property", exact: true }).click();
  await page.getByRole("button", { name: /Remove row 2/ }).click();
  await page.getByRole("button", { name: /Remove row 1/ }).click();
  await page.getByText("A list of people").click();
  await page.getByRole("button", { name: "Create cohort" }).click();
  await signInAgain(page, key);
  await expect(page.getByRole("dialog")).toContainText("This key belongs to somebody else.");

  page.once("dialog", (dialog) => void dialog.accept());
  await signIn(page, path, key);
  await expect(name).toHaveValue("");
  await expect(draft).toHaveCount(0);
  await page.context().clearCookies({ name: COOKIE });
  await signIn(page, path);
  await draft.getByRole("button", { name: "Restore" }).click();
  await expect(name).toHaveValue("Paying teams");
  await page.getByRole("button", { name: "Create cohort" }).click();
  await expect(page.getByRole("heading", { name: "Paying teams" })).toBeVisible();
  await page.goto(path);
  await expect(name).toHaveValue("");
  await expect(draft).toHaveCount(0);
});

test("pages run the scripts that carry their nonce, and no others", async ({ page }) => {
  const policyOf = async () =>
    (await page.goto("/sign-in"))?.headers()["content-security-policy"]?.split("; ") ?? [];
  const scriptsOf = (policy: string[]) => policy.find((each) => each.startsWith("script-src"));
  const first = await policyOf();
  expect(scriptsOf(first)).toMatch(/^script-src 'nonce-[\w+/]+={0,2}' 'strict-dynamic'$/);
  expect(first).toEqual(expect.arrayContaining(["object-src 'none'", "frame-ancestors 'none'"]));
  expect(scriptsOf(await policyOf())).not.toBe(scriptsOf(first));
  await page.evaluate(() =>
    document.body.insertAdjacentHTML(
      "beforeend",
      `<img src="data:," alt="" onerror="document.documentElement.dataset.injected = 'yes'">`,
    ),
  );
  await expect.poll(() => page.evaluate(() => document.querySelector("img")?.complete)).toBe(true);
  await expect(page.locator("html")).not.toHaveAttribute("data-injected");
});
