import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errorCode } from "#lib/platform/db/errors.ts";
import { keepReading } from "./reads.ts";
import type { Kind, Report, Seeded } from "./rounds.ts";
import { type Stage, stageEmbedded } from "./stage.ts";
import { checkWrites, startWriting, wordsOfTrouble } from "./writes.ts";

const SIZE_MB = 320;
/** The database server may have to recover first. */
const BACK_WITHIN_MS = 30_000;

const run = (program: string, ...args: string[]) =>
  spawnSync(program, args, { encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] });

/** A small file system in memory; null where this user may not mount one. */
function mountSmall(): string | null {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-faults-disk-"));
  const { status } = run("mount", "-t", "tmpfs", "-o", `size=${SIZE_MB}m,mode=755`, "tmpfs", folder);
  if (status === 0) return folder;
  rmSync(folder, { recursive: true });
  return null;
}

function unmount(folder: string): void {
  run("umount", "-l", folder);
  rmSync(folder, { recursive: true, force: true });
}

/** Writes until nothing goes in any more. */
function fill(file: string): void {
  const handle = openSync(file, "a");
  for (let bytes = 1024 * 1024; bytes >= 512; ) {
    try {
      if (writeSync(handle, Buffer.alloc(bytes)) < bytes) bytes /= 8;
    } catch (error) {
      if (errorCode(error) !== "ENOSPC") throw error;
      bytes /= 8;
    }
  }
  closeSync(handle);
}

/** What the database server wrote to its log last, as far as there was space for it. */
const serverLog = ({ dataDir }: Stage) =>
  readFileSync(join(dataDir, "logs/postgres.log"), "utf8").slice(-3_000);

/** The error of a server that has not come back, with the server's own words. */
const explained = (stage: Stage) => (error: unknown) => {
  throw new Error(`${error}; the database server says: ${serverLog(stage)}`, { cause: error });
};

async function round(stage: Stage, { turn, random }: Seeded): Promise<Report> {
  const what = turn(["disk full", "disk full and log used up"] as const);
  const seconds = 0.5 + random() * 2.5;
  const moment = 10 + Math.floor(random() * 60);
  const writing = startWriting(stage, random);
  const reading = keepReading(stage);
  await Promise.all([writing.more(moment), reading.served]);
  const filler = join(stage.dataDir, "..", "filler");
  const until = performance.now() + seconds * 1_000;
  // What the database gives back is taken again.
  for (; performance.now() < until; await delay(50)) {
    fill(filler);
    // The server has log files in stock; without any left it has to end, and cannot start while there is no space.
    if (what !== "disk full")
      await stage.database.pool.query("select pg_switch_wal()").catch(() => undefined);
  }
  rmSync(filler);
  const began = performance.now();
  await writing.more(3, "changed").catch(explained(stage));
  const recovered = performance.now() - began;
  const problems = await reading.stop();
  await writing.more(20);
  await writing.stop();
  problems.push(
    ...(await checkWrites(stage.database, writing.ledger, {
      encryptionKey: stage.encryptionKey,
      dataDirs: [stage.dataDir],
    })),
  );
  if (recovered > BACK_WITHIN_MS)
    problems.push(`it took ${Math.round(recovered)} ms until changes succeeded`);
  for (const each of stage.processes) {
    if (each.child.exitCode !== null) problems.push(`a process has ended: ${each.output().slice(-500)}`);
    problems.push(...wordsOfTrouble(each.output()));
  }
  const { refused } = writing.ledger;
  return {
    what: `${what}, for ${seconds.toFixed(1)} s, ${refused} refused`,
    recovered_after: recovered,
    problems,
  };
}

/** A disk without space: the embedded database's, which also holds the spool and the snapshot. */
export const disk: Kind = {
  name: "disk",
  leftOut() {
    const folder = mountSmall();
    if (folder === null) return "a file system of a few megabytes needs a user that may mount one";
    unmount(folder);
    return null;
  },
  async open() {
    const folder = mountSmall();
    if (folder === null) throw new Error("No file system can be mounted.");
    const stage = await stageEmbedded(folder);
    return {
      round: (seeded) => round(stage, seeded),
      async close() {
        await stage.close();
        unmount(folder);
      },
    };
  },
};
