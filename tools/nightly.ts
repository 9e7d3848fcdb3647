/**
 * `npm run nightly [-- --rounds 5]`: the checks that take too long for every change, one after the other. Fails if
 * one of them does.
 *
 *   mutation      every target of `npm run mutate -- --all`
 *   simulation    the actual error rates of the statistical methods
 *   fuzzing       every test file with generated input, several rounds, each with new input
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");

/** Runs a program of this project; how it ended and how long it took. */
async function run(name: string, args: readonly string[]) {
  const began = Date.now();
  console.info(`\n${name}: node ${args.join(" ")}`);
  const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit" });
  const [status] = await once(child, "close");
  return { name, passed: status === 0, minutes: (Date.now() - began) / 60_000 };
}

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const generated = globSync("{lib,components,tools}/**/*.test.ts", { cwd: root }).filter((file) =>
  readFileSync(join(root, file), "utf8").includes('from "fast-check"'),
);
const vitest = ["node_modules/vitest/vitest.mjs", "run"];

const results = [
  await run("simulation", ["tools/simulate.ts"]),
  await run("mutation", ["tools/mutation/run.ts", "--all"]),
];
for (let round = 1; round <= Number(values.rounds); round++)
  results.push(await run(`fuzzing, round ${round}`, [...vitest, ...generated]));

console.info("");
for (const { name, passed, minutes } of results)
  console.info(`${passed ? "passed" : "FAILED"}  ${name.padEnd(20)} ${minutes.toFixed(1).padStart(6)} min`);
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
