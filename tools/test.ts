/**
 * `npm test`: unit and API tests, then the browser tests, and the sum of both on the last line. --unit runs the
 * first half only and --e2e the second. Further arguments go to the runner of that half (to vitest without either).
 * The failed tests are named once more before the sum, with the beginning of what each reported; so are journeys that
 * passed only when they were repeated.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { ensureBuild } from "#lib/app/server/build.ts";
import { childEnvironment } from "#lib/platform/config.ts";
import { ensureChromium } from "../e2e/chromium.ts";

type Outcome = { passed: number; failures: string[]; flaky?: string[] };

const root = join(import.meta.dirname, "..");
const reports = mkdtempSync(join(tmpdir(), "switchyard-tests-"));

/** A test on one line, with what it reported. */
function lineOf(test: string, reports: string[]): string {
  const report = stripVTControlCharacters(reports.join(" ")).replace(/\s+/g, " ");
  return report ? `${test}: ${report.slice(0, 600)}` : test;
}

/** Runs one of the runners; one that fails without naming a failed test counts as a failure too. */
async function run<T>(
  name: string,
  args: string[],
  env: Record<string, string>,
  report: string,
  schema: z.ZodType<T>,
  outcomeOf: (report: T) => Outcome,
): Promise<Outcome> {
  const child = spawn(process.execPath, args, { cwd: root, env: childEnvironment(env), stdio: "inherit" });
  const [status] = await once(child, "close");
  if (!existsSync(report)) return { passed: 0, failures: [`${name} wrote no report`] };
  const outcome = outcomeOf(schema.parse(JSON.parse(readFileSync(report, "utf8"))));
  if (outcome.failures.length > 0) return outcome;
  if (status !== 0)
    return { ...outcome, failures: [`${name} ended with status ${status}, although no test failed`] };
  if (outcome.passed === 0) return { ...outcome, failures: [`${name} found no tests`] };
  return outcome;
}

const vitestReport = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

function unit(filters: string[]): Promise<Outcome> {
  const report = join(reports, "unit.json");
  const program = join(root, "node_modules", "vitest", "vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const args = [program, "run", ...reporters, ...filters];
  return run("vitest", args, {}, report, vitestReport, ({ numPassedTests, testResults }) => ({
    passed: numPassedTests,
    failures: testResults
      .filter((file) => file.status === "failed")
      .flatMap((file) => {
        const path = relative(root, file.name);
        const tests = file.assertionResults.filter((test) => test.status === "failed");
        // A file that cannot be loaded has no tests.
        if (tests.length === 0) return [lineOf(path, [file.message])];
        return tests.map((test) => lineOf(`${path}: ${test.fullName}`, test.failureMessages));
      }),
  }));
}

const errors = z.array(z.object({ message: z.string().default("") }));
const spec = z.object({
  title: z.string(),
  file: z.string(),
  ok: z.boolean(),
  tests: z.array(z.object({ status: z.string(), results: z.array(z.object({ errors })) })),
});
type Suite = { specs: z.infer<typeof spec>[]; suites?: Suite[] };
const suite: z.ZodType<Suite> = z.lazy(() =>
  z.object({
    specs: z.array(spec),
    suites: z.array(suite).optional(),
  }),
);
const playwrightReport = z.object({
  suites: z.array(suite),
  stats: z.object({ expected: z.number(), flaky: z.number() }),
});

const hasFailed = ({ ok }: z.infer<typeof spec>) => !ok;
const isFlaky = ({ tests }: z.infer<typeof spec>) => tests.some(({ status }) => status === "flaky");

/** The journeys of a kind, each with what it reported. */
function journeysThat(
  is: (journey: z.infer<typeof spec>) => boolean,
  { specs, suites = [] }: Suite,
): string[] {
  const reportsOf = ({ tests }: z.infer<typeof spec>) =>
    tests.flatMap(({ results }) => results.flatMap(({ errors }) => errors.map(({ message }) => message)));
  return [
    ...specs.filter(is).map((spec) => lineOf(`e2e/${spec.file}: ${spec.title}`, reportsOf(spec))),
    ...suites.flatMap((inner) => journeysThat(is, inner)),
  ];
}

async function browser(filters: string[]): Promise<Outcome> {
  try {
    ensureChromium();
  } catch (error) {
    return { passed: 0, failures: [error instanceof Error ? error.message : String(error)] };
  }
  const report = join(reports, "browser.json");
  const program = join(root, "node_modules", "@playwright", "test", "cli.js");
  const args = [program, "test", "--config", "e2e/playwright.config.ts", "--reporter=list,json", ...filters];
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: report };
  return run("playwright", args, env, report, playwrightReport, ({ suites, stats }) => ({
    passed: stats.expected + stats.flaky,
    failures: suites.flatMap((inner) => journeysThat(hasFailed, inner)),
    flaky: suites.flatMap((inner) => journeysThat(isFlaky, inner)),
  }));
}

const args = process.argv.slice(2);
const filters = args.filter((argument) => argument !== "--unit" && argument !== "--e2e");
const isBrowserOnly = args.includes("--e2e");
const needsBrowser = isBrowserOnly || args.length === 0;
// The browser tests need the dashboard; a build that fails is reported, and tried again, when they start. It comes first,
// since tests that measure time need the machine for themselves.
if (needsBrowser) await ensureBuild(root).catch(() => false);
const parts: Outcome[] = [];
if (!isBrowserOnly) parts.push(await unit(filters));
if (needsBrowser) parts.push(await browser(isBrowserOnly ? filters : []));
rmSync(reports, { recursive: true });
const passed = parts.reduce((sum, part) => sum + part.passed, 0);
const failures = parts.flatMap((part) => part.failures);
for (const journey of parts.flatMap(({ flaky = [] }) => flaky)) console.info(`REPEATED: ${journey}`);
for (const failure of failures) console.info(`FAILED: ${failure}`);
console.info(`\n${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
