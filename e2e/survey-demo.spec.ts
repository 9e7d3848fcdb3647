import { expect, test } from "@playwright/test";
import { apiOf, signIn } from "./service.ts";
import { expectFiguresToOpenTheirRows } from "./survey-figures.ts";

const DEMO = "/api/organizations/@current/demo_project/";
const LOADED_WITHIN_MS = 300_000;

test("every figure of the demo project's surveys opens exactly its rows", async ({ page, request }) => {
  test.setTimeout(LOADED_WITHIN_MS * 2);
  const api = apiOf(request);
  await api("POST", DEMO);
  await expect
    .poll(async () => (await api("GET", DEMO)).state, { timeout: LOADED_WITHIN_MS, intervals: [1_000] })
    .toBe("done");
  const { project_id } = await api("GET", DEMO);
  const surveys = `/api/projects/${project_id}/surveys/`;
  const { results } = await api("GET", `${surveys}?limit=100`);
  expect(results.length).toBeGreaterThanOrEqual(12);
  await signIn(page, `/project/${project_id}/surveys`);
  let answered = 0;
  for (const { id, name } of results) {
    const { total } = await api("GET", `${surveys}${id}/results/`);
    await page.goto(`/project/${project_id}/surveys/${id}`);
    await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    if (total === 0) continue;
    answered += 1;
    await test.step(name, () => expectFiguresToOpenTheirRows(page, api, `${surveys}${id}/responses/`, 20));
  }
  expect(answered).toBeGreaterThan(5);
});
