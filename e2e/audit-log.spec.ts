import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { apiOf, expectAccessibleInEveryView, newProject, signIn } from "./service.ts";

const CHECKER = join(import.meta.dirname, "..", "tools", "check-audit-log.mjs");

/** What the script that needs nothing of Switchyard says of an export. */
function check(file: string): { isAsSealed: boolean; text: string } {
  try {
    const text = execFileSync(process.execPath, [CHECKER, file], { encoding: "utf8" });
    return { isAsSealed: true, text };
  } catch (error) {
    return { isAsSealed: false, text: String((error as { stdout?: string }).stdout) };
  }
}

test("an auditor verifies the log, and checks an export of it elsewhere", async ({ page, request }, info) => {
  const api = apiOf(request);
  const project = await newProject(api, "Audited");
  const root = `/api/projects/${project.id}`;
  const flag = await api("POST", `${root}/feature_flags/`, { key: "audited" });
  await api("PATCH", `${root}/feature_flags/${flag.id}/`, { name: "Changed once" });

  await signIn(page, `/project/${project.id}/activity`);
  const strip = page.getByRole("region", { name: "Audit log" });
  // Entries are sealed a moment after they are written.
  await expect(async () => {
    await page.reload();
    await expect(strip).toContainText(/Sealed up to entry [\d,]+/, { timeout: 2_000 });
    await expect(strip).not.toContainText("still to be sealed", { timeout: 2_000 });
  }).toPass();
  await strip.getByRole("button", { name: "Verify now" }).click();
  await expect(strip).toContainText("· verified");
  await expectAccessibleInEveryView(page);

  const downloading = page.waitForEvent("download");
  await strip.getByRole("link", { name: "Export with proof" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(
    new RegExp(`^audit-log-${project.id}-\\d{4}-\\d\\d-\\d\\d\\.jsonl$`),
  );
  const file = info.outputPath("audit-log.jsonl");
  await download.saveAs(file);
  const exported = readFileSync(file, "utf8");
  expect(exported).toContain("Changed once");
  expect(check(file), exported).toMatchObject({ isAsSealed: true });

  // A copy in which somebody says otherwise is found out.
  const forged = info.outputPath("forged.jsonl");
  writeFileSync(forged, exported.replace("Changed once", "Changed twice"));
  expect(check(forged).isAsSealed).toBe(false);
  appendFileSync(file, exported.split("\n")[1] ?? "");
  expect(check(file).isAsSealed).toBe(false);

  // For administrators of the installation, the same is on the page of its health.
  await page.goto(`/project/${project.id}/settings/status`);
  await expect(page.getByText("all as they were sealed")).toBeVisible();
});
