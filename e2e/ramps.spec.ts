import { type APIRequestContext, expect, test } from "@playwright/test";
import { hashValue } from "#lib/engines/evaluation/hash/hash.ts";
import { apiOf, expectAccessibleInEveryView, newProject, signIn } from "./service.ts";

const KEY = "one-page-checkout";
const HOUR_MS = 3_600_000;
const WEEKS_HOURS = 20 * 24;
/** A ramp is decided upon every 20 seconds. */
const DECIDED_WITHIN_MS = 60_000;

type Sent = { event: string; distinct_id: string; timestamp: string; properties: Record<string, unknown> };

/** Some people for whom the flag is asked, from one moment on; `fails` says who gets an error a second later. */
function visits(count: number, at: (n: number) => number, fails: (id: string, n: number) => boolean): Sent[] {
  return Array.from({ length: count }, (_, n): Sent[] => {
    const distinct_id = `shopper-${n}`;
    const event = (name: string, later: number, properties = {}) => ({
      event: name,
      distinct_id,
      timestamp: new Date(at(n) + later).toISOString(),
      properties,
    });
    const called = event("$feature_flag_called", 0, { $feature_flag: KEY, $feature_flag_response: false });
    return fails(distinct_id, n) ? [called, event("$exception", 1_000)] : [called];
  }).flat();
}

async function capture(request: APIRequestContext, api_key: string, batch: Sent[]): Promise<void> {
  const sent = await request.post("/batch/", { data: { api_key, historical_migration: true, batch } });
  expect(sent.ok()).toBe(true);
}

test("a product manager ramps a change that regresses and is stopped", async ({ page, request }) => {
  test.slow();
  const api = apiOf(request);
  const project = await newProject(api, "Ramps");
  const flags = `/api/projects/${project.id}/feature_flags/`;
  const filters = { groups: [{ properties: [], rollout_percentage: 0 }] };
  const flag = await api("POST", flags, { key: KEY, active: true, filters });
  const longAgo = Date.now() - WEEKS_HOURS * HOUR_MS;
  await capture(
    request,
    project.api_token,
    visits(
      400,
      (n) => longAgo + n * HOUR_MS,
      (_, n) => n % 5 === 0,
    ),
  );
  await signIn(page, `/project/${project.id}/feature_flags/${flag.id}`);
  const dialog = page.getByRole("dialog");
  const ramp = page.getByRole("main");

  await test.step("the plan is rehearsed on what people did", async () => {
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Ramp…" }).click();
    await expect(dialog.getByRole("listitem")).toHaveCount(5);
    await dialog.getByLabel("Share of step 1").fill("50");
    await dialog.getByLabel("Hours of step 1").fill("soon");
    await dialog.getByRole("button", { name: "Rehearse" }).click();
    await expect(dialog).toContainText("Step 1: hours and people are numbers.");
    await dialog.getByLabel("Hours of step 1").fill("12");
    for (const place of [2, 2, 2]) await dialog.getByRole("button", { name: `Remove step ${place}` }).click();
    await dialog.getByRole("button", { name: "Rehearse" }).click();
    await expect(dialog).toContainText("Replayed 200 times on 400 people");
    await expect(dialog).toContainText("The plan takes 12 h.");
    await expect(dialog.getByRole("row", { name: /People with \$exception/ })).toContainText("Caught in");
    await expectAccessibleInEveryView(page, "[role=dialog]");
    await dialog.getByRole("button", { name: "Start the ramp" }).click();
    await expect(dialog).toBeHidden();
  });

  const shareOf = async () => (await api("GET", `${flags}${flag.id}/`)).filters.groups[0].rollout_percentage;
  const steps = ramp.getByRole("list", { name: "Steps of the ramp" });
  await test.step("it runs, and is paused and resumed", async () => {
    await expect(steps.locator("[aria-current=step]")).toContainText("50% of condition set 1");
    expect(await shareOf()).toBe(50);
    await ramp.getByRole("button", { name: "Pause" }).click();
    await expect(ramp.getByText("Nothing happens until somebody resumes it.")).toBeVisible();
    await ramp.getByRole("button", { name: "Resume" }).click();
    await expect(ramp.getByText(/^Next: 100% of condition set 1/)).toBeVisible();
    await expectAccessibleInEveryView(page);
  });

  await test.step("errors among those who have the change roll it back", async () => {
    const now = Date.now();
    const fails = (id: string, n: number) => hashValue(KEY, id) <= 0.5 || n % 5 === 0;
    await capture(
      request,
      project.api_token,
      visits(400, () => now, fails),
    );
    await expect(ramp.getByText("Rolled back", { exact: true })).toBeVisible({ timeout: DECIDED_WITHIN_MS });
    await expect(ramp.getByRole("row", { name: /People with \$exception/ })).toContainText("Harm shown");
    await expect(ramp.getByRole("region", { name: "What it cost" })).toContainText(
      "more than without the change",
    );
    expect(await shareOf()).toBe(0);
    expect(await api("GET", `${flags}${flag.id}/`)).toMatchObject({ performed_rollback: true });
    await expectAccessibleInEveryView(page);
  });

  await test.step("the history keeps it", async () => {
    await page.getByRole("link", { name: "History" }).click();
    await expect(steps).toContainText("50% of condition set 1");
    await expect(ramp.getByRole("button", { name: "Resume" })).toBeHidden();
  });
});
