import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { JOBS_TOPIC } from "#lib/platform/jobs/queue.ts";
import { eventually, type Process } from "#testing/processes.ts";
import { keepReading } from "./reads.ts";
import type { Kind, Report, Seeded } from "./rounds.ts";
import type { Stage } from "./stage.ts";
import { checkWrites, startWriting, wordsOfTrouble } from "./writes.ts";

const HOUR_MS = 3_600_000;

async function jump(process: Process, file: string, shift: number): Promise<void> {
  const said = process.output().length;
  writeFileSync(file, String(shift));
  process.child.kill("SIGUSR2");
  await eventually(() => process.output().slice(said).includes("The clock jumped") || undefined);
}

/** What runs on a schedule has to run when it is due and then not before it is due again. */
async function scheduleProblems({ database: { pool } }: Stage): Promise<string[]> {
  const scheduled = "key = '' and name in ('surveys.sweep', 'experiments.days')";
  const runs = async () =>
    (
      await pool.query<{ name: string; at: Date | null }>(
        `select name, max(finished_at) as at from jobs where ${scheduled} group by name order by name`,
      )
    ).rows.map(({ name, at }) => `${name} ${at?.toISOString()}`);
  const before = await runs();
  await pool.query(`update jobs set run_at = now() where ${scheduled} and state = 'waiting'`);
  await pool.query("select pg_notify('switchyard', $1)", [JSON.stringify([JOBS_TOPIC, null])]);
  const after = await eventually(async () => {
    const now = await runs();
    return now.every((run, i) => run !== before[i]) ? now : undefined;
  });
  await delay(300);
  const later = await runs();
  return later.some((run, i) => run !== after[i]) ? [`a job ran again at once: ${after}; ${later}`] : [];
}

/** By how much, and whether at every process or at one. */
const JUMPS = [
  [-HOUR_MS, false],
  [HOUR_MS, true],
  [-HOUR_MS, true],
  [HOUR_MS, false],
] as const;

async function round(stage: Stage, file: string, { turn, random }: Seeded): Promise<Report> {
  const [shift, isEverywhere] = turn(JUMPS);
  const victims = isEverywhere ? stage.processes : stage.processes.slice(0, 1);
  const writing = startWriting(stage, random);
  const reading = keepReading(stage);
  await writing.more(20 + random() * 40);
  for (const each of victims) await jump(each, file, shift);
  const began = performance.now();
  await writing.more(5, "changed");
  const recovered = performance.now() - began;
  const problems = await scheduleProblems(stage);
  await writing.more(60);
  // And back, as when somebody corrects it.
  for (const each of victims) await jump(each, file, 0);
  await writing.more(60);
  await writing.stop();
  problems.push(...(await reading.stop()));
  if (writing.ledger.refused > 0) problems.push(`${writing.ledger.refused} writes were refused`);
  problems.push(
    ...(await checkWrites(stage.database, writing.ledger, {
      encryptionKey: stage.encryptionKey,
      dataDirs: [stage.dataDir],
    })),
  );
  for (const each of stage.processes) problems.push(...wordsOfTrouble(each.output()));
  const what = `clock ${shift < 0 ? "an hour back" : "an hour ahead"}, ${isEverywhere ? "everywhere" : "of one process"}`;
  return { what, recovered_after: recovered, problems };
}

/** The clock of processes jumps, while that of the database goes on. */
export const clock: Kind = {
  name: "clock",
  async open(server) {
    const folder = mkdtempSync(join(tmpdir(), "switchyard-faults-clock-"));
    const file = join(folder, "shift");
    const stage = await (await server()).stage(2, {
      // Limits that count, and that nobody reaches in an ordinary minute.
      env: { CLOCK_FILE: file, RATE_LIMIT_PER_MINUTE: "60000" },
      nodeOptions: ["--import", join(import.meta.dirname, "shifted-clock.fixture.ts")],
    });
    return {
      round: (seeded) => round(stage, file, seeded),
      async close() {
        await stage.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
};
