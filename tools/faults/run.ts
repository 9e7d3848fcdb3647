/**
 * `npm run faults [-- options]`: disturbs a Switchyard in every way that operations know, and checks that SDKs are
 * served, that nothing accepted is lost or stored twice or by halves, that figures agree with what is stored, and that
 * it goes on without anybody's help. Fails if anything is not as it has to be.
 *
 *   --only KINDS   some of them, separated by commas: kill (processes, the embedded database), shared (a process or the
 *                  database of several processes, jobs half-way), migrate (a migration half-way), disk (no space left),
 *                  cut (connections of clients), clock (jumps of an hour), slow (a database that answers late), upgrade (processes
 *                  of the commit before are replaced by those of the next), away (a database that does not answer)
 *   --rounds N     of each kind, at most: as many as there is time for
 *   --seconds N    how long each kind may take: 60
 *   --away N       for how many seconds the database is away: 10
 *   --seed S       decides what happens in the first round, and the next number in the next: the time
 *
 * A round that fails prints its seed: `--only KIND --seed S --rounds 1` repeats it, as far as the machine does.
 */
import { parseArgs } from "node:util";
import { away } from "./away.ts";
import { clock } from "./clock.ts";
import { cut } from "./cut.ts";
import { disk } from "./disk.ts";
import { killEmbedded, killMigrating, killShared } from "./kill.ts";
import { play } from "./rounds.ts";
import { slow } from "./slow.ts";
import { serverOnDemand } from "./stage.ts";
import { upgrade } from "./upgrade.ts";

const P99_MS = 50;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    rounds: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "60" },
    away: { type: "string", default: "10" },
    seed: { type: "string", default: String(Math.floor(Date.now() / 1_000) % 1_000_000) },
  },
});

const all = [
  killEmbedded,
  killShared,
  killMigrating,
  disk,
  cut,
  clock,
  slow,
  upgrade,
  away(Number(values.away), P99_MS),
];
const wanted = values.only?.split(",") ?? all.map(({ name }) => name);
const unknown = wanted.filter((name) => !all.some((kind) => kind.name === name));
if (unknown.length > 0)
  throw new Error(`--only knows ${all.map(({ name }) => name).join(", ")}, and not ${unknown.join(", ")}.`);

// With it end the processes that it started.
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit(1));
const { server, close } = serverOnDemand();
const summaries: Awaited<ReturnType<typeof play>>[] = [];
for (const kind of all.filter(({ name }) => wanted.includes(name)))
  summaries.push(
    await play(kind, server, {
      rounds: Number(values.rounds),
      seed: Number(values.seed),
      seconds: Number(values.seconds),
      onRound(seed, { what, recovered_after, problems, details = [] }) {
        const verdict = problems.length === 0 ? "passed" : "FAILED";
        console.info(
          `${verdict}  ${kind.name}, seed ${seed}: ${what}; back after ${Math.round(recovered_after)} ms`,
        );
        for (const detail of details) console.info(`        ${detail}`);
        for (const problem of problems) console.error(`        PROBLEM ${problem}`);
      },
    }),
  );
await close();

console.info("");
for (const { name, left_out, rounds, seconds, failed, slowest_recovery, faults } of summaries) {
  if (left_out !== null) {
    console.info(`${name.padEnd(8)}  LEFT OUT: ${left_out}`);
    continue;
  }
  const figures = `${String(rounds).padStart(5)} rounds in ${seconds.toFixed(0).padStart(5)} s, back within ${String(slowest_recovery).padStart(5)} ms`;
  console.info(`${name.padEnd(8)} ${figures}, ${failed.length} failed`);
  for (const [fault, count] of faults) console.info(`${String(count).padStart(14)}  ${fault}`);
}
const failed = summaries.flatMap((summary) => summary.failed.map(({ seed }) => `${summary.name} ${seed}`));
if (failed.length > 0) console.info(`\nFailed, by seed: ${failed.join(", ")}`);
// A round that was broken off may have left something that keeps this process going.
process.exit(failed.length === 0 ? 0 : 1);
