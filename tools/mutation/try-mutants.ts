import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { childEnvironment } from "#lib/platform/config.ts";
import { JOB_VARIABLE, type Job, type Progress, progressSchema } from "./protocol.ts";

export type Outcome = "killed" | "timed out" | "survived";

/** What a test file says about mutants. Mutants that it does not reach are absent. */
export type Verdicts = {
  outcomes: Map<string, Outcome>;
  /** Every mutant of the instrumented files that the test file reaches. */
  covered: Set<string>;
};

const CHECK_EVERY = 25;
/** Loading everything and starting the database, on a busy machine too. */
const START_LIMIT_MS = 300_000;
const PROGRAM = join(import.meta.dirname, "process.ts");

type Run = { events: Progress[]; timedOut: string | null };

/** Runs one process; a worker that makes no progress is ended. */
async function runProcess(job: Omit<Job, "log">): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-mutation-"));
  const [path, log] = [join(folder, "job.json"), join(folder, "progress.jsonl")];
  writeFileSync(path, JSON.stringify({ ...job, log }));
  const child = spawn(process.execPath, [PROGRAM], {
    env: childEnvironment({ [JOB_VARIABLE]: path }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const end = () => child.kill("SIGTERM");
  process.once("exit", end);
  let isOver = false;
  let ending = "";
  const exit = once(child, "close").then(([code, signal]) => {
    isOver = true;
    ending = signal === null ? `ended with status ${code}` : `was ended by ${signal}`;
  });
  let events: Progress[] = [];
  let timedOut: string | null = null;
  let seen = 0;
  let since = Date.now();
  while (!isOver) {
    await Promise.race([exit, delay(200)]);
    events = read(log);
    if (events.length > seen) [seen, since] = [events.length, Date.now()];
    const last = events.at(-1);
    const limit = last?.type === "begin" ? last.limit : START_LIMIT_MS;
    if (isOver || timedOut !== null || Date.now() - since < limit) continue;
    const ready = events.find((event) => event.type === "ready");
    if (last?.type === "begin" && ready) {
      timedOut = last.key;
      process.kill(ready.pid, "SIGKILL");
    } else end();
  }
  process.removeListener("exit", end);
  rmSync(folder, { recursive: true, force: true });
  if (events.length === 0) {
    const seconds = Math.round((Date.now() - since) / 1_000);
    throw new Error(
      `${job.testFile} could not be run: its process ${ending} after ${seconds} s.\n${output.slice(-4_000)}`,
    );
  }
  return { events, timedOut };
}

function read(log: string): Progress[] {
  if (!existsSync(log)) return [];
  const lines = readFileSync(log, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => progressSchema.parse(JSON.parse(line)));
}

/** Results that may be believed: those after which unchanged tests passed, or none ran any more. */
function settledOf({ events, timedOut }: Run, checkEvery: number): Map<string, Outcome> {
  const settled = new Map<string, Outcome>();
  let open: [string, Outcome][] = [];
  const settle = () => {
    for (const [key, outcome] of open) settled.set(key, outcome);
    open = [];
  };
  for (const event of events) {
    if (event.type === "end") open.push([event.key, event.outcome]);
    if (event.type === "clean") settle();
    // A mutant that was alone with its tests is judged rightly, whatever it left behind.
    if (event.type === "dirty" && checkEvery > 1) open = [];
  }
  settle();
  if (timedOut !== null) settled.set(timedOut, "timed out");
  return settled;
}

/** What a process that said too little means; the mutant that ended the whole process, if one did. */
function lostOf({ events, timedOut }: Run, settled: Map<string, Outcome>, testFile: string): string | null {
  const broken = events.find((event) => event.type === "broken");
  if (broken) throw new Error(`${testFile} fails without any change: ${broken.failed.join("; ")}`);
  const isExplained = timedOut !== null || settled.size > 0 || events.at(-1)?.type === "dirty";
  if (isExplained || events.at(-1)?.type === "done") return null;
  const begun = events.findLast((event) => event.type === "begin");
  if (!begun) throw new Error(`${testFile} ended before any mutant was tried.`);
  return begun.key;
}

/**
 * Tries mutants against one test file, in as many processes as it takes.
 *
 * @throws Error when the tests fail without any mutant
 */
export async function tryMutants(given: Omit<Job, "log" | "checkEvery">): Promise<Verdicts> {
  const verdicts: Verdicts = { outcomes: new Map(), covered: new Set() };
  const { outcomes, covered } = verdicts;
  let checkEvery = CHECK_EVERY;
  for (let left = given.mutants; left.length > 0; ) {
    const run = await runProcess({ ...given, mutants: left, checkEvery });
    for (const event of run.events) {
      if (event.type !== "ready") continue;
      for (const key of event.covered) covered.add(key);
      for (const name of event.unfit) console.info(`left out, as it fails without any change: ${name}`);
    }
    const settled = settledOf(run, checkEvery);
    for (const [key, outcome] of settled) outcomes.set(key, outcome);
    const lost = lostOf(run, settled, given.testFile);
    if (lost !== null) outcomes.set(lost, "killed");
    if (run.events.at(-1)?.type === "done") break;
    left = left.filter(({ key }) => covered.has(key) && !outcomes.has(key));
    checkEvery = run.events.at(-1)?.type === "dirty" ? 1 : CHECK_EVERY;
  }
  return verdicts;
}
