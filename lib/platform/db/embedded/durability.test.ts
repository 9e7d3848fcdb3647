import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, inject, it } from "vitest";
import { openDatabase } from "#lib/platform/db/connect.ts";
import { COMPILED } from "#testing/processes.ts";

const dataDir = mkdtempSync(join(tmpdir(), "durability-"));
const { runtimeDir } = inject("server");
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** Twenty starts and recoveries, also on a machine that has other things to do. */
const PATIENCE = 300_000;

/** Ids acknowledged so far, over all writers. */
const acknowledged = new Set<number>();

function startWriter(round: number): ChildProcess {
  const program = join(import.meta.dirname, "writer.fixture.ts");
  const args = [program, dataDir, runtimeDir, String(round * 1_000_000)];
  const writer = spawn(process.execPath, args, {
    env: { ...process.env, ...COMPILED },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let rest = "";
  writer.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) acknowledged.add(Number(line));
  });
  return writer;
}

const ended = (child: ChildProcess) => new Promise((resolve) => child.once("close", resolve));

async function until(what: string, done: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 60_000; !done(); await delay(5)) {
    if (Date.now() > deadline) throw new Error(`Waited too long for ${what}.`);
  }
}

const acknowledges = (more: number) => {
  const target = acknowledged.size + more;
  return until("the writer to go on", () => acknowledged.size >= target);
};

async function expectEverythingThere(): Promise<void> {
  const database = await openDatabase({ dataDir, runtimeDir });
  const { rows } = await database.pool.query<{ id: number }>("select id from written");
  const there = new Set(rows.map(({ id }) => id));
  expect([...acknowledged].filter((id) => !there.has(id))).toEqual([]);
  const bare = await database.pool.query(
    "set enable_seqscan = off; select count(*) from written where id >= 0",
  );
  expect(Array.isArray(bare) && bare[1].rows[0].count).toBe(rows.length);
  await database.close();
}

it(
  "keeps every acknowledged row when the application is killed in the middle of writing, ten times",
  async () => {
    for (let round = 0; round < 10; round++) {
      const writer = startWriter(round);
      await acknowledges(40 + round * 17);
      writer.kill("SIGKILL");
      await ended(writer);
    }
    await expectEverythingThere();
  },
  PATIENCE,
);

it(
  "goes on by itself, with every acknowledged row, when the server is killed in the middle, ten times",
  async () => {
    const writer = startWriter(100);
    const postmaster = () => {
      try {
        return Number(readFileSync(join(dataDir, "postgres/18/postmaster.pid"), "utf8").split("\n")[0]);
      } catch {
        return 0;
      }
    };
    for (let round = 0; round < 10; round++) {
      await acknowledges(40 + round * 17);
      const killed = postmaster();
      process.kill(killed, "SIGKILL");
      await until("another server", () => ![0, killed].includes(postmaster()));
    }
    writer.kill("SIGTERM");
    await ended(writer);
    await expectEverythingThere();
  },
  PATIENCE,
);
