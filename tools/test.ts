/**
 * `npm test`: unit and API tests, then the browser tests, and the sum of both on the last line. --unit runs the
 * first half only and --e2e the second. Further arguments go to the runner of that half (to vitest without either).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { ensureBuild } from "#lib/app/server/build.ts";
import { childEnvironment } from "#lib/platform/config.ts";
import { ensureChromium } from "../e2e/chromium.ts";

type Sum = { passed: number; failed: number };

const root = join(import.meta.dirname, "..");
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
  const args = [program, "run", ...reporters, ...filters];
  return run(args, {}, report, vitestReport, (result) => ({
    passed: result.numPassedTests,
    failed: result.numFailedTests,
  }));
}

const playwrightReport = z.object({
  stats: z.object({ expected: z.number(), flaky: z.number(), unexpected: z.number() }),
});

async function browser(filters: string[]): Promise<Sum> {
  try {
    ensureChromium();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return { passed: 0, failed: 1 };
  }
  const report = join(reports, "browser.json");
  const program = join(root, "node_modules", "@playwright", "test", "cli.js");
  const args = [program, "test", "--config", "e2e/playwright.config.ts", "--reporter=list,json", ...filters];
  return run(args, { PLAYWRIGHT_JSON_OUTPUT_NAME: report }, report, playwrightReport, ({ stats }) => ({
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
  }));
}

const args = process.argv.slice(2);
const filters = args.filter((argument) => argument !== "--unit" && argument !== "--e2e");
const isBrowserOnly = args.includes("--e2e");
const needsBrowser = isBrowserOnly || args.length === 0;
// The browser tests need the dashboard; a build that fails is reported, and tried again, when they start.
const built = needsBrowser ? ensureBuild(root).catch(() => false) : undefined;
const parts: Sum[] = [];
if (!isBrowserOnly) parts.push(await unit(filters));
await built;
if (needsBrowser) parts.push(await browser(isBrowserOnly ? filters : []));
rmSync(reports, { recursive: true });
const passed = parts.reduce((sum, part) => sum + part.passed, 0);
const failed = parts.reduce((sum, part) => sum + part.failed, 0);
console.info(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
