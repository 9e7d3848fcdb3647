import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, inject, it } from "vitest";
import { type Database, DatabaseUnavailable, openDatabase } from "#lib/platform/db/connect.ts";
import { chooseAccount } from "./account.ts";

const folder = mkdtempSync(join(tmpdir(), "supervisor-"));
const { runtimeDir } = inject("server");
// The server's own user must get through to what lies below.
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const shared = join(folder, "shared");
const open = (dataDir = shared) => openDatabase({ dataDir, runtimeDir });
const pidFile = (dataDir = shared) => join(dataDir, "postgres", "18", "postmaster.pid");
const postmaster = () => Number(readFileSync(pidFile(), "utf8").split("\n")[0]);

async function answers(database: Database): Promise<boolean> {
  return (await database.pool.query("select 1 as one")).rows[0].one === 1;
}

async function eventually(what: string, done: () => Promise<boolean> | boolean): Promise<void> {
  for (const deadline = Date.now() + 60_000; !(await done()); await delay(10)) {
    if (Date.now() > deadline) throw new Error(`Waited too long for ${what}.`);
  }
}

it("keeps data from start to start, stops the server on close, and leaves nothing to a network", async () => {
  const first = await open();
  await first.pool.query("create table kept (id bigint); insert into kept values (9007199254740991)");
  const { rows } = await first.pool.query(
    "select current_setting('listen_addresses') as on, current_setting('fsync') as fsync",
  );
  expect(rows).toEqual([{ on: "", fsync: "on" }]);
  const pid = postmaster();
  await first.close();
  expect(existsSync(`/proc/${pid}`)).toBe(false);
  expect(existsSync(pidFile())).toBe(false);
  const second = await open();
  expect((await second.pool.query("select id from kept")).rows).toEqual([{ id: 9007199254740991 }]);
  await second.close();
  expect(statSync(join(shared, "postgres")).mode & 0o777).toBe(0o700);
});

it("joins a server that runs on the same folder, and takes over when its owner stops", async () => {
  const owner = await open();
  const pid = postmaster();
  const guest = await open();
  expect(postmaster()).toBe(pid);
  expect(await answers(guest)).toBe(true);
  const inFlight = guest.pool.query("select pg_sleep(30)");
  const failure = expect(inFlight).rejects.toBeInstanceOf(DatabaseUnavailable);
  await eventually("the query to run", async () => {
    const { rows } = await owner.pool.query(
      "select 1 from pg_stat_activity where query like '%pg_sleep(30)' and pid <> pg_backend_pid()",
    );
    return rows.length > 0;
  });
  await owner.close();
  await failure;
  await eventually("the guest to start the server", () => answers(guest).catch(() => false));
  expect(postmaster()).not.toBe(pid);
  await guest.close();
  expect(existsSync(pidFile())).toBe(false);
});

it("starts another server when a process of the server was killed", async () => {
  const owner = await open();
  const guest = await open();
  const pid = postmaster();
  const { rows } = await owner.pool.query<{ pid: number }>("select pg_backend_pid() as pid");
  process.kill(Number(rows[0]?.pid), "SIGKILL");
  await eventually("both to reach a server", async () => {
    const reached = await Promise.all([owner, guest].map((each) => answers(each).catch(() => false)));
    return reached.every(Boolean) && existsSync(pidFile()) && postmaster() !== pid;
  });
  await guest.close();
  await owner.close();
});

it("starts one server for several that open it together", async () => {
  const dataDir = join(folder, "together");
  const all = await Promise.all([open(dataDir), open(dataDir), open(dataDir)]);
  const addresses = await Promise.all(
    all.map((one) => one.pool.query("select pg_postmaster_start_time()::text as at")),
  );
  expect(new Set(addresses.map(({ rows }) => rows[0].at)).size).toBe(1);
  await Promise.all(all.map((one) => one.close()));
  expect(existsSync(pidFile(dataDir))).toBe(false);
});

/** A process that has ended and that nobody has asked for: its parent has become a program that never will. */
async function zombie(): Promise<number> {
  const parent = spawn("/bin/sh", ["-c", "sleep 0.2 & echo $!; exec sleep 20"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const pid = await new Promise<number>((resolve) =>
    parent.stdout.once("data", (text) => resolve(Number(text))),
  );
  await eventually("a zombie", () => / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
  return pid;
}

it.each([
  { whose: "nobody's", pid: () => 4_194_303 },
  { whose: "another program's", pid: () => process.pid },
  { whose: "a zombie's", pid: zombie },
  {
    whose: "another server's",
    pid: async () => {
      other = await open(join(folder, "together"));
      return Number(readFileSync(pidFile(join(folder, "together")), "utf8").split("\n")[0]);
    },
  },
])("starts although the process id left by a dead server is $whose", async ({ pid }) => {
  const left = await pid();
  const socketDir = join(shared, "postgres", "run");
  mkdirSync(socketDir, { recursive: true });
  writeFileSync(
    pidFile(),
    `${left}\n${shared}/postgres/18\n1700000000\n5432\n${socketDir}\n\n  5432001         7\nready   \n`,
  );
  writeFileSync(join(socketDir, ".s.PGSQL.5432.lock"), `${left}\n`);
  const database = await open();
  expect((await database.pool.query("select count(*) as rows from kept")).rows).toEqual([{ rows: 1 }]);
  await database.close();
  await other?.close();
  other = undefined;
});
let other: Database | undefined;

it("starts although a server was killed in the moment in which it wrote its name", async () => {
  writeFileSync(pidFile(), "");
  const database = await open();
  expect(await answers(database)).toBe(true);
  await database.close();
});

it.each([
  ["longer than a socket's path may be", "d".repeat(120)],
  ["with characters that mean something elsewhere", 'it\'s, a "data" dir é'],
  ["below a folder closed to others", "closed/data"],
])("runs in a folder %s", async (_, name) => {
  if (name.startsWith("closed")) mkdirSync(join(folder, "closed"), { mode: 0o700 });
  const dataDir = join(folder, name);
  const database = await open(dataDir);
  const guest = await open(dataDir);
  expect(await answers(guest)).toBe(true);
  await guest.close();
  await database.close();
  rmSync(dataDir, { recursive: true });
});

it("starts over an initialisation that was killed", async () => {
  const dataDir = join(folder, "killed");
  mkdirSync(join(dataDir, "postgres", "new-123", "base"), { recursive: true });
  writeFileSync(join(dataDir, "postgres", "new-123", "PG_VERSION"), "18\n");
  const database = await open(dataDir);
  expect(await answers(database)).toBe(true);
  await database.close();
  expect(existsSync(join(dataDir, "postgres", "new-123"))).toBe(false);
});

it("tells in one sentence why it cannot start", async () => {
  const version = join(shared, "postgres", "18", "PG_VERSION");
  writeFileSync(version, "17\n");
  await expect(open()).rejects.toThrow(/was written by PostgreSQL 17, and this Switchyard includes 18/);
  renameSync(version, `${version}.away`);
  await expect(open()).rejects.toThrow(/holds no PostgreSQL database/);
  writeFileSync(version, "18\n");
  const broken = openDatabase({ dataDir: shared, runtimeDir, settings: { work_mem: "plenty" } });
  await expect(broken).rejects.toThrow(
    /did not start: invalid value for parameter "work_mem": "plenty" \(see .*postgres\.log\)/,
  );
  writeFileSync(join(folder, "file"), "");
  await expect(open(join(folder, "file"))).rejects.toThrow(/must be a folder/);
  expect(() => chooseAccount("/")).toThrow(/belongs to (root|user id 0)/);
});
