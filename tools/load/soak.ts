/**
 * `npm run soak [-- options]`: measures how many requests of every kind a server can answer, then makes 70 % as many from
 * the same machine, again and again for ten minutes, and checks that none fails, that flags are answered in time, that
 * memory does not grow and that the event loops are never late. Then floods a server with one project's requests, far more
 * than it can answer, and checks how long another project waits. Fails if anything is not as it has to be.
 *
 * The command in package.json gives this process a large heap from the start, and lets it grow. With a small one, V8 runs
 * a full garbage collection every second or two, and that time would be counted as the server's.
 *
 *   --minutes N   how many minutes: 10; 0: the floods only
 *   --share N     per cent of what was measured: 70
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { verify } from "#lib/app/rollups.ts";
import { openDatabase } from "#lib/platform/db/connect.ts";
import { Answers, answersOf, createClient, loadFully, loadSteadily, print, rateOf } from "./client.ts";
import { overloadServer } from "./overload.ts";
import { createProject, everything, loopDelays, memoryOf, servingProcesses, startServer } from "./service.ts";

const FLAGS = 200;
const CONNECTIONS = 50;
/** Steady requests come from many clients: none waits for another one's answer. */
const STEADY_CONNECTIONS = 200;
const WARM_SECONDS = 15;
/**
 * Capacity is measured again after each part of a minute: it changes with what else runs on the hardware. How long requests
 * took counts only where it changed by less than this share; other parts were under another load than was meant.
 */
const MEASURED_SECONDS = 3;
const STEADY = 0.15;
const PARTS = 4;
/** At most this many times as many parts are made as have to count. */
const MOST_TRIED = 2;
const PART_SECONDS = 60 / PARTS;
/** How often memory is measured: several times in each part. */
const SAMPLE_MS = 4_000;

const FLAGS_P99_MS = 50;
const LOOP_DELAY_MS = 20;
const FLOOD_SECONDS = 15;
const BYSTANDER_P99_MS = 100;
/** The last quarter's memory as compared with the second quarter's: garbage is collected when there is some. */
const GROWTH = 1.15;

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, share: { type: "string", default: "70" } },
});

/** Everything that a project asks for, steadily. @returns what was not as it has to be */
async function soak(): Promise<string[]> {
  const problems: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), "switchyard-soak-"));
  try {
    const server = await startServer(folder);
    const client = createClient(server.address, STEADY_CONNECTIONS);
    const project = await createProject(server, "Soak", FLAGS);
    const kinds = everything(project);
    await loadFully(client, kinds, CONNECTIONS, WARM_SECONDS);
    const pids = servingProcesses(server);
    const answers = answersOf(kinds);
    const memory: number[] = [];
    const judged = { flags: new Answers(), late: [] as number[], parts: 0 };
    const wanted = Number(values.minutes) * PARTS;
    let before = rateOf(await loadFully(client, kinds, CONNECTIONS, MEASURED_SECONDS), MEASURED_SECONDS);
    for (let part = 0; judged.parts < wanted && part < wanted * MOST_TRIED; part++) {
      await loopDelays(server, pids);
      const sampling = setInterval(() => memory.push(memoryOf(pids)), SAMPLE_MS);
      const own = await loadSteadily(client, kinds, (before * Number(values.share)) / 100, PART_SECONDS);
      clearInterval(sampling);
      const late = Math.max(...(await loopDelays(server, pids)));
      const after = rateOf(await loadFully(client, kinds, CONNECTIONS, MEASURED_SECONDS), MEASURED_SECONDS);
      for (const [name, each] of own) answers.get(name)?.include(each);
      const flags = own.get("flags") ?? new Answers();
      const isJudged = Math.abs(after / before - 1) <= STEADY;
      if (isJudged) {
        judged.flags.include(flags);
        judged.late.push(late);
        judged.parts++;
      }
      console.info(
        `${pids.length} processes answer ${before.toFixed(0)} requests/s at most; at ${values.share} % of it, 99 % of flags within ${flags.within(0.99).toFixed(1)} ms, 99 % of loop delays within ${late.toFixed(1)} ms; then at most ${after.toFixed(0)}${isJudged ? "" : ": not judged"}.`,
      );
      before = after;
    }
    console.info(
      `In ${judged.parts} parts of steady capacity: 99 % of flags within ${judged.flags.within(0.99).toFixed(1)} ms, loop delays ${Math.min(...judged.late).toFixed(1)} to ${Math.max(...judged.late).toFixed(1)} ms. In all parts:`,
    );
    if (judged.parts < wanted) problems.push(`only ${judged.parts} of ${wanted} parts could be judged`);
    print(answers);

    for (const [name, each] of answers)
      if (each.failed + each.refused > 0)
        problems.push(`${name}: ${[...each.statuses].map(([status, n]) => `${n} x ${status}`)}`);
    const p99 = judged.flags.within(0.99);
    if (!(p99 < FLAGS_P99_MS))
      problems.push(`99 % of flags within ${p99.toFixed(1)} ms, not ${FLAGS_P99_MS}`);
    const mean = (part: number[]) => part.reduce((sum, mb) => sum + mb, 0) / part.length;
    const quarter = Math.floor(memory.length / 4);
    const [early, late] = [mean(memory.slice(quarter, 2 * quarter)), mean(memory.slice(-quarter))];
    console.info(`Memory ${early.toFixed(0)} MB, at the end ${late.toFixed(0)} MB.`);
    if (!(late < early * GROWTH))
      problems.push(`memory grew from ${early.toFixed(0)} to ${late.toFixed(0)} MB`);
    for (const delay of judged.late)
      if (delay >= LOOP_DELAY_MS) problems.push(`an event loop was ${delay} ms late`);
    const ended = servingProcesses(server).filter((pid) => !pids.includes(pid));
    if (ended.length > 0) problems.push("a process ended and was started again");
    client.close();
    const status = await server.end("SIGTERM");
    if (status !== 0) problems.push(`it ended with status ${status}: ${server.output().slice(-500)}`);
    const database = await openDatabase({ dataDir: folder });
    for (const { rollup, differences } of await verify(database.db))
      if (differences > 0) problems.push(`${rollup} differs in ${differences} rows`);
    await database.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return problems;
}

/** One project asks for far more than can be answered. @returns how another one had to wait too long */
async function flood(): Promise<string[]> {
  const outcomes = await overloadServer(FLOOD_SECONDS);
  for (const { flood: name, p99 } of outcomes)
    console.info(`flood of ${name}: 99 % of the other project's requests within ${p99.toFixed(1)} ms`);
  return outcomes.flatMap(({ flood: name, p99, turned_away, problems }) => [
    ...problems,
    ...(turned_away > 0
      ? [`flood of ${name}: ${(turned_away * 100).toFixed(1)}% of another project's requests were refused`]
      : []),
    ...(p99 < BYSTANDER_P99_MS
      ? []
      : [
          `flood of ${name}: 99 % of another project's requests within ${p99.toFixed(1)} ms, not ${BYSTANDER_P99_MS}`,
        ]),
  ]);
}

const problems = [...(Number(values.minutes) > 0 ? await soak() : []), ...(await flood())];
for (const problem of problems) console.error(`PROBLEM ${problem}`);
console.info(problems.length === 0 ? "Passed." : "Failed.");
process.exitCode = problems.length === 0 ? 0 : 1;
