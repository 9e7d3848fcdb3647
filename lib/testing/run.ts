/**
 * `npm test`: unit and API tests, then the browser's, and the sum of both on the last line. With --unit the
 * first half only. Further arguments choose among the unit tests, as the runner's own do.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { childEnvironment } from "#lib/config.ts";
import { ensureBuild } from "#lib/server/build.ts";
import { ensureChromium } from "../../e2e/chromium.ts";

type Sum = { passed: number; failed: number };

const root = join(import.meta.dirname, "..", "..");
const reports = mkdtempSync(join(tmpdir(), "switchyard-tests-"));

/** Runs one of the runners; one that fails without naming a failed test counts as a failure too. */
async function run<T>(
  args: string[],
  env: Record<string, string>,
  report: string,
  schema: z.ZodType<T>,
  sum: (report: T) => Sum,
): Promise<Sum> {
  const child = spawn(process.execPath, args, { cwd: root, env: childEnvironment(env), stdio: "inherit" });
  const [status] = await once(child, "close");
  const found = existsSync(report)
    ? sum(schema.parse(JSON.parse(readFileSync(report, "utf8"))))
    : { passed: 0, failed: 0 };
  const isUnexplained = status !== 0 && found.failed === 0;
  const isEmpty = found.passed + found.failed === 0;
  return { ...found, failed: found.failed + (isUnexplained || isEmpty ? 1 : 0) };
}

const vitestReport = z.object({ numPassedTests: z.number(), numFailedTests: z.number() });

function unit(filters: string[]): Promise<Sum> {
  const report = join(reports, "unit.json");
  const program = join(root, "node_modules", "vitest", "vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const args = [program, "run", "--config", "lib/vitest.config.ts", ...reporters, ...filters];
  return run(args, {}, report, vitestReport, (result) => ({
    passed: result.numPassedTests,
    failed: result.numFailedTests,
  }));
}

const playwrightReport = z.object({
  stats: z.object({ expected: z.number(), flaky: z.number(), unexpected: z.number() }),
});

async function browser(): Promise<Sum> {
  try {
    ensureChromium();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return { passed: 0, failed: 1 };
  }
  const report = join(reports, "browser.json");
  const program = join(root, "node_modules", "@playwright", "test", "cli.js");
  const args = [program, "test", "--config", "e2e/playwright.config.ts", "--reporter=list,json"];
  return run(args, { PLAYWRIGHT_JSON_OUTPUT_NAME: report }, report, playwrightReport, ({ stats }) => ({
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
  }));
}

const args = process.argv.slice(2);
const filters = args.filter((argument) => argument !== "--unit");
const isWhole = filters.length === 0 && !args.includes("--unit");
// The browser's tests need the dashboard; a build that fails is told, and tried again, when they start.
const built = isWhole ? ensureBuild(root).catch(() => false) : undefined;
const parts = [await unit(filters)];
await built;
if (isWhole) parts.push(await browser());
rmSync(reports, { recursive: true });
const passed = parts.reduce((sum, part) => sum + part.passed, 0);
const failed = parts.reduce((sum, part) => sum + part.failed, 0);
console.info(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
