import { expect, test } from "@playwright/test";
import { DEMO_LOADED_WITHIN_MS, loadDemo } from "./demo-project.ts";
import { apiOf, signIn } from "./service.ts";
import { expectFiguresToOpenTheirRows } from "./survey-figures.ts";

test("every figure of the demo project's surveys opens exactly its rows", async ({ page, request }) => {
  test.setTimeout(DEMO_LOADED_WITHIN_MS * 2);
  const api = apiOf(request);
  const project_id = await loadDemo(api);
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
    await test.step(name, () => expectFiguresToOpenTheirRows(page, api, `${surveys}${id}/`, 20));
  }
  expect(answered).toBeGreaterThan(5);
});
