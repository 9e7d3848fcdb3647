/**
 * `npm run nightly [-- options]`: the checks that take too long for every change, one after the other, each with a time
 * limit. Fails if one of them does, misses its floor or is not done in time.
 *
 *   simulation    the actual error rates of the statistical methods, and the power of plans
 *   mutation      every target of `npm run mutate`, another sample each night
 *   recipes       builds and serves a copy with a field and kinds added as docs/recipes.md says
 *   faults        rounds of each kind of `npm run faults`: what is killed, full, cut, late or away
 *   requests      100,000 generated requests to a process, as its OpenAPI document describes them and otherwise
 *   soak          ten minutes of everything, at 70 % of what a server can answer; then floods of one project
 *   proofs        claims about random flags, held against a million random people
 *   fuzzing       every test file with generated input, several rounds, each with new input
 *
 *   --hours H         how long all of it may take at most: 6
 *   --experiments N   simulated experiments of each kind: as many as `npm run simulate` takes
 *   --sample N        mutants of each target: as many as `npm run mutate` takes, but 300 where it takes all
 *   --seed S          chooses the mutants, the requests and the generated input: the number of today's date
 *   --rounds N        rounds of fuzzing: 3
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { childEnvironment } from "#lib/platform/config.ts";
import manifest from "../package.json" with { type: "json" };
import { TARGETS } from "./mutation/targets.ts";

const root = join(import.meta.dirname, "..");
const DAY_MS = 86_400_000;
/** Mutants of a target of which all are tried otherwise: another part of them each night. */
const PART = 300;

const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "6" },
    experiments: { type: "string" },
    sample: { type: "string" },
    seed: { type: "string", default: String(Math.floor(Date.now() / DAY_MS)) },
    rounds: { type: "string", default: "3" },
  },
});

type Step = {
  name: string;
  /** Its part of the time, as compared with the others. */
  weight: number;
  args: readonly string[];
  env?: Record<string, string>;
};

const generated = globSync("{lib,components,tools}/**/*.test.ts", { cwd: root }).filter((file) =>
  readFileSync(join(root, file), "utf8").includes('from "fast-check"'),
);
const steps: readonly Step[] = [
  {
    name: "simulation",
    weight: 3,
    args: ["tools/simulate.ts", ...(values.experiments ? ["--experiments", values.experiments] : [])],
  },
  ...TARGETS.map(({ name, sample }) => ({
    name: `mutation of ${name}`,
    weight: 2,
    args: [
      "tools/mutation/run.ts",
      name,
      ...["--sample", values.sample ?? String(sample ?? PART)],
      ...["--seed", values.seed],
    ],
  })),
  {
    name: "recipes",
    weight: 1,
    args: ["node_modules/vitest/vitest.mjs", "run", "tools/boundaries/recipes.test.ts"],
    env: { RECIPES_WITH_PAGES: "1" },
  },
  {
    name: "faults",
    weight: 4,
    args: ["tools/faults/run.ts", "--seconds", "180", "--seed", values.seed],
  },
  { name: "requests", weight: 1, args: ["tools/fuzz/run.ts", "--requests", "100000", "--seed", values.seed] },
  { name: "soak", weight: 1, args: manifest.scripts.soak.split(" ").slice(1) },
  {
    name: "proofs",
    weight: 1,
    args: ["node_modules/vitest/vitest.mjs", "run", "lib/engines/evaluation/proofs/claims.test.ts"],
    env: { PROOF_PEOPLE: "1000000", FUZZING_SEED: values.seed },
  },
  {
    name: "approvals",
    weight: 1,
    args: ["node_modules/vitest/vitest.mjs", "run", "lib/approvals/gate/gate.test.ts"],
    env: { GATE_SEQUENCES: "200", FUZZING_SEED: values.seed },
  },
  ...Array.from({ length: Number(values.rounds) }, (_, i) => ({
    name: `fuzzing, round ${i + 1}`,
    weight: 1,
    args: ["node_modules/vitest/vitest.mjs", "run", ...generated],
    env: { FUZZING_SEED: `${values.seed}${i}` },
  })),
];

/** Runs a program of this project; how it ended and how long it took. */
async function run({ name, args, env = {} }: Step, minutes: number) {
  const began = Date.now();
  console.info(`\n${name}, ${minutes.toFixed(1)} min at most: node ${args.join(" ")}`);
  const child = spawn(process.execPath, args, { cwd: root, env: childEnvironment(env), stdio: "inherit" });
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    child.kill("SIGTERM");
  }, minutes * 60_000);
  const [status] = await once(child, "close");
  clearTimeout(limit);
  const verdict = isLate ? "TOO LONG" : status === 0 ? "passed" : "FAILED";
  return { name, verdict, minutes: (Date.now() - began) / 60_000 };
}

/** What a step leaves of its time is shared by those after it. */
const ends = Date.now() + Number(values.hours) * 3_600_000;
const results: Awaited<ReturnType<typeof run>>[] = [];
for (const [i, step] of steps.entries()) {
  const weights = steps.slice(i).reduce((sum, { weight }) => sum + weight, 0);
  const minutes = ((ends - Date.now()) / 60_000) * (step.weight / weights);
  results.push(await run(step, minutes));
}

console.info("");
for (const { name, verdict, minutes } of results)
  console.info(`${verdict.padEnd(8)}  ${name.padEnd(38)} ${minutes.toFixed(1).padStart(6)} min`);
process.exitCode = results.every(({ verdict }) => verdict === "passed") ? 0 : 1;
