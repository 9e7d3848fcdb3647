/** Runs one job: the given test file under the runner beside this file, with instrumented sources. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startVitest } from "vitest/node";
import { JOB_VARIABLE, jobSchema } from "./protocol.ts";

const job = jobSchema.parse(JSON.parse(readFileSync(process.env[JOB_VARIABLE] ?? "", "utf8")));
const sources = new Map(Object.entries(job.sources));

const vitest = await startVitest(
  "test",
  [job.testFile],
  {
    config: join(import.meta.dirname, "..", "..", "vitest.config.ts"),
    watch: false,
    runner: join(import.meta.dirname, "runner.ts"),
    pool: "forks",
    maxWorkers: 1,
    reporters: [{}],
    silent: true,
    dangerouslyIgnoreUnhandledErrors: true,
    // Instrumented sources come from a plugin, and the test file is loaded again for each mutant.
    experimental: { viteModuleRunner: true },
    execArgv: [],
    ...(!job.usesDatabase && { globalSetup: [] }),
  },
  {
    plugins: [
      { name: "mutants", enforce: "pre", load: (id: string) => sources.get(id.replace(/\?.*$/, "")) ?? null },
    ],
  },
);
// Reporters are silent: this shows why a worker did not even start.
const errors = [
  ...vitest.state.getUnhandledErrors(),
  ...vitest.state.getTestModules().flatMap((module) => module.errors()),
];
for (const error of errors) console.error(error instanceof Error ? error.stack : JSON.stringify(error));
await vitest.close();
