import { type Browser, expect, type Page, test } from "@playwright/test";
import {
  type Api,
  apiOf,
  expectAccessible,
  expectAccessibleInEveryView,
  newProject,
  signIn,
} from "./service.ts";

const PEOPLE = 20;

type Member = { api: Api; key: string };

/** A member of the organization with a key that may do everything. */
async function addMember(
  admin: Api,
  key: (value: string) => Api,
  name: string,
  project: number,
): Promise<Member> {
  const { id } = await admin("GET", "/api/organizations/@current/");
  const email = `${name.toLowerCase()}-${project}@example.com`;
  await admin("POST", `/api/organizations/${id}/members/`, { email, first_name: name });
  const { value } = await admin("POST", "/api/personal_api_keys/", {
    label: name,
    scopes: ["*"],
    user: email,
  });
  return { api: key(value), key: value };
}

async function addPeople(api: Api, token: string, plan: string, from: number, count: number): Promise<void> {
  const batch = Array.from({ length: count }, (_, at) => ({
    event: "$identify",
    distinct_id: `person-${from + at}`,
    properties: { $set: { plan } },
  }));
  await api("POST", "/batch/", { api_key: token, batch });
}

/** A page of somebody else, on the same request. */
async function openAs(browser: Browser, { key }: Member, path: string): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const page = await context.newPage();
  await signIn(page, path, key);
  return page;
}

async function approve(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Approve…" }).click();
  const asked = page.getByRole("alertdialog");
  await expect(asked).toBeVisible();
  await asked.getByRole("button", { name: "Approve", exact: true }).click();
  await expect(asked).toHaveCount(0);
}

const rollout = (rollout_percentage: number, properties: unknown[] = []) => ({
  groups: [{ properties, rollout_percentage }],
});

test("two people approve a change set; a request lapses when people drift past what was shown", async ({
  page,
  request,
  browser,
}) => {
  const api = apiOf(request);
  const project = await newProject(api, "Reviewed");
  const root = `/api/projects/${project.id}`;
  const pages = `/project/${project.id}`;
  const withKey = (value: string) => apiOf(request, value);
  const ada = await addMember(api, withKey, "Ada", project.id);
  const bob = await addMember(api, withKey, "Bob", project.id);
  await addPeople(api, project.api_token, "free", 0, PEOPLE);
  const [first, second, third] = await Promise.all(
    ["first", "second", "third"].map((key) =>
      api("POST", `${root}/feature_flags/`, { key, filters: rollout(0) }),
    ),
  );
  await api("POST", `${root}/feature_flags/${first.id}/test_cases/`, {
    name: "Nobody yet",
    distinct_id: "person-1",
    expected: false,
  });
  await signIn(page, `${pages}/change_requests`);
  const main = page.getByRole("navigation", { name: "Main" });
  await expect(main.getByRole("link", { name: "Activity" })).toBeVisible();
  await expect(main.getByRole("link", { name: "Change requests" })).toHaveCount(0);
  await api("POST", `${root}/approval_policies/`, {
    action_key: "change",
    conditions: { type: "impact", share_above: 1 },
    approver_config: { quorum: 2 },
  });

  // A save that the policy catches leads to the request.
  await page.goto(`${pages}/feature_flags/${first.id}/targeting`);
  await expect(main.getByRole("link", { name: "Change requests" })).toBeVisible();
  await page.getByRole("tab", { name: "JSON" }).click();
  await page.getByRole("textbox", { name: "Targeting as JSON" }).fill(JSON.stringify(rollout(60)));
  await page.getByRole("button", { name: "Save changes…" }).click();
  const saving = page.getByRole("alertdialog");
  await saving.getByRole("button", { name: "Save changes" }).click();
  await expect(page).toHaveURL(/\/change_requests\/[0-9a-f-]{36}$/);
  await expect(page.getByRole("heading", { name: "Change first", level: 1 })).toBeVisible();
  await expect(page.getByRole("main")).toContainText("2 more approvals needed.");
  await expect(page.getByRole("main")).toContainText(/of 20 people \(.*\) get a different value/);
  await expect(page.getByRole("region", { name: "Changes of first" })).toContainText("60%");
  await expect(page.getByRole("list", { name: "Test cases of first" })).toContainText("Nobody yet");
  await expect(page.getByRole("button", { name: "Approve…" })).toHaveCount(0);
  expect((await api("GET", `${root}/feature_flags/${first.id}/`)).filters.groups[0].rollout_percentage).toBe(
    0,
  );
  await expectAccessibleInEveryView(page);
  await page.getByRole("button", { name: "Cancel request…" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel request" }).click();
  await expect(page.getByRole("main")).toContainText("Rejected");

  // What was edited is in the request; the form begins again with what is stored, and can propose as well.
  await page.goto(`${pages}/feature_flags/${second.id}/targeting`);
  await page.getByRole("tab", { name: "JSON" }).click();
  await page.getByRole("textbox", { name: "Targeting as JSON" }).fill(JSON.stringify(rollout(40)));
  await page.getByRole("button", { name: "Propose…" }).click();
  const proposing = page.getByRole("alertdialog");
  await proposing.getByRole("textbox", { name: /Why/ }).fill("Half of everybody is too many.");
  await expectAccessible(page);
  await proposing.getByRole("button", { name: "Propose change" }).click();
  await expect(page).toHaveURL(/\/change_requests\/[0-9a-f-]{36}$/);
  await expect(page.getByRole("main")).toContainText("Half of everybody is too many.");

  const change = (id: number, filters: object) => ({
    method: "PATCH",
    path: `${root}/feature_flags/${id}/`,
    body: { filters },
  });
  const both = await api("POST", `${root}/change_requests/`, {
    title: "Both at once",
    changes: [change(first.id, rollout(50)), change(second.id, rollout(70))],
  });
  const asAda = await openAs(browser, ada, `${pages}/change_requests`);
  await expectAccessibleInEveryView(asAda);
  await asAda.getByRole("link", { name: "Both at once" }).click();
  await expect(asAda.getByRole("region", { name: "Who changes: second" })).toBeVisible();
  await asAda.getByRole("textbox", { name: "Comment" }).fill("Looks fine.");
  await asAda.getByRole("button", { name: "Comment" }).click();
  await expect(asAda.getByRole("list", { name: "Discussion" })).toContainText("Looks fine.");
  await approve(asAda);
  await expect(asAda.getByRole("main")).toContainText("1 more approval needed.");
  await expect(asAda.getByRole("main")).toContainText("You have already decided.");
  const asBob = await openAs(browser, bob, `${pages}/change_requests/${both.id}`);
  await expectAccessible(asBob);
  await approve(asBob);
  await expect(asBob.getByRole("main")).toContainText("This change is in effect");
  const shareOf = async (id: number) =>
    (await api("GET", `${root}/feature_flags/${id}/`)).filters.groups[0].rollout_percentage;
  expect([await shareOf(first.id), await shareOf(second.id)]).toEqual([50, 70]);

  // People who come to have the plan after the request was made are not covered by what was shown.
  const paid = [{ key: "plan", type: "person", operator: "exact", value: ["paid"] }];
  await addPeople(api, project.api_token, "paid", 100, 5);
  const narrow = await api("POST", `${root}/change_requests/`, {
    title: "Only who pays",
    changes: [change(third.id, rollout(100, paid))],
  });
  await addPeople(api, project.api_token, "paid", 200, 30);
  await asAda.goto(`${pages}/change_requests/${narrow.id}`);
  await approve(asAda);
  await expect(asAda.getByRole("main")).toContainText("This request has lapsed");
  await expectAccessible(asAda);
  expect(await shareOf(third.id)).toBe(0);

  // In an emergency an administrator applies one without approval, which stays on record.
  const urgent = await api("POST", `${root}/change_requests/`, {
    title: "Turn it off",
    changes: [change(first.id, rollout(0))],
  });
  await page.goto(`${pages}/change_requests/${urgent.id}`);
  await page.getByRole("button", { name: "Bypass…" }).click();
  const bypassing = page.getByRole("alertdialog");
  await expect(bypassing.getByRole("button", { name: "Apply without approval" })).toBeDisabled();
  await bypassing.getByRole("textbox", { name: "Reason" }).fill("Checkout is down.");
  await bypassing.getByRole("button", { name: "Apply without approval" }).click();
  await expect(page.getByRole("main")).toContainText("applied this without its approvals");
  await expect(page.getByRole("main")).toContainText("Checkout is down.");
  expect(await shareOf(first.id)).toBe(0);
  await asAda.context().close();
  await asBob.context().close();
});
