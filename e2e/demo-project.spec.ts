import { expect, test } from "@playwright/test";
import { beginDemo } from "./demo-project.ts";
import { apiOf } from "./service.ts";

test("the demo project is loaded once, however often it is asked for, and nobody waits for it", async ({
  request,
}) => {
  const api = apiOf(request);
  const first = await beginDemo(api);
  expect(["running", "done"]).toContain(first.state);
  const again = await beginDemo(api);
  expect(again.project_id).toBe(first.project_id);
  expect(again.percent).toBeGreaterThanOrEqual(first.percent);
});
